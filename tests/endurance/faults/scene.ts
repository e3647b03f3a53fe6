// A site in a rehearsal, with the users, systems and faults around it.
import { readFileSync } from "node:fs";
import type { Api } from "@/client/api/http.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { descendantsOf, killAll } from "@/bench/machine/processes.ts";
import { type Site, startSite } from "@/tests/e2e/site.ts";
import { exchangeEnvironment, exchangeLoops } from "@/tests/endurance/crash/exchange.ts";
import { Ledger, signIn } from "@/tests/endurance/crash/load.ts";
import { JumpingClock } from "@/tests/endurance/faults/clock.ts";
import { fillDisk, flipBlob, junkInbox, junkUploads } from "@/tests/endurance/faults/damage.ts";
import type { Balance } from "@/tests/endurance/faults/kinds.ts";
import type { DatabaseName, FaultPlace } from "@/tests/endurance/faults/place.ts";
import type { FaultProxy } from "@/tests/endurance/faults/proxy.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const FULL_MS = 1500;
/** Maximum duration of a start, ms: seconds usually, but minutes on an overloaded machine. */
const LATEST_UP_MS = 600_000;
/**
 * Time after which a missing response counts as lost, ms. The proxy resets stalled connections much
 * earlier; on a busy machine an upload takes half a minute.
 */
const ANSWER_MS = 120_000;
/** Acknowledgements required between two kills, and maximum wait for them, ms. */
const LEAST_WORK = 3, LATEST_WORK_MS = 240_000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export interface RehearsalOptions {
  seed: number;
  database: DatabaseName;
  /** duration of the faults, s */
  seconds: number;
  /** minimum number of kills, and of acknowledgements of each kind: faults continue until then */
  kills: number;
  least?: number;
  /** maximum duration of the faults, s; by default twice the duration */
  latestSeconds?: number;
  say: (text: string) => void;
}

const commandOf = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
};
/** Text in the command line that identifies each process of a site. */
const PROCESSES = {
  server: "\0serve\0",
  converter: "/start/converter.ts",
  reader: "/start/reader.ts",
  gate: "/start/gate.ts",
} as const;

/** A site with users, systems and faults. */
export class Scene {
  readonly random: Random;
  readonly ledger = new Ledger();
  readonly problems: string[] = [];
  readonly kills: Record<string, number> = {
    server: 0,
    converter: 0,
    reader: 0,
    gate: 0,
    database: 0,
    everything: 0,
  };
  readonly damages: Record<string, number> = {};
  /** number of refused calls by error code */
  readonly refusals: Record<string, number> = {};
  readonly proxies: FaultProxy[] = [];
  readonly clock: JumpingClock;
  site!: Site;
  balance!: Balance;
  api!: Api;
  isOver = false;
  /** whether the disk is full or a stored file is damaged, so that errors are expected */
  isDamaged = false;
  #earlierLogs = "";
  #round = 0;

  constructor(
    readonly place: FaultPlace,
    readonly options: RehearsalOptions,
    readonly sitePort: number,
  ) {
    this.random = new Random(options.seed);
    this.clock = new JumpingClock(place.folder);
  }

  get folder(): string {
    return this.place.folder;
  }
  get dataDir(): string {
    return `${this.folder}/site`;
  }
  get killed(): number {
    return Object.values(this.kills).reduce((sum, count) => sum + count, 0);
  }
  found(problem: string): void {
    this.problems.push(problem);
    this.options.say(`Problem (seed ${this.options.seed}): ${problem}`);
  }
  noteDamage(name: string): void {
    this.damages[name] = (this.damages[name] ?? 0) + 1;
  }

  async start(gatePort: number): Promise<void> {
    this.#earlierLogs = this.programLog();
    this.site = await startSite({
      dataDir: this.dataDir,
      databaseUrl: this.place.databaseUrl,
      workers: 1,
      port: this.sitePort,
      command: "start",
      env: {
        SULCUS_STORAGE_KEY_FILE: `${this.folder}/storage.key`,
        SULCUS_CALLS_PER_MINUTE: "0",
        ...this.clock.environment(),
        ...exchangeEnvironment(gatePort),
      },
    });
  }

  /** Output of the site's processes since the first start. */
  programLog(): string {
    return this.#earlierLogs + ((this.site as Site | undefined)?.output() ?? "");
  }

  /** API client through the proxy; stalled calls are aborted. */
  proxied(api: Api): Api {
    const [web] = this.proxies;
    return {
      ...api,
      origin: `http://127.0.0.1:${web!.port}`,
      send: (request) => fetch(request, { signal: AbortSignal.timeout(ANSWER_MS) }),
    };
  }

  /** Works as a user until the faults are over. */
  async act(): Promise<void> {
    while (!this.isOver) {
      try {
        await this.balance.act(this.proxied(this.api));
      } catch (error) {
        const { code } = error as { code?: string };
        const answer = code ?? (error instanceof Error ? error.name : "other");
        this.refusals[answer] = (this.refusals[answer] ?? 0) + 1;
        if (/^(token|auth)\./.test(answer)) {
          await signIn(this.site.url).then((api) => this.api = api, () => {});
        }
        if (code === "internal" && !this.isDamaged) {
          this.found(`an internal error was answered: ${error}`);
        }
        await pause(100);
      }
    }
  }

  /** Opens and closes sockets. */
  async listen(): Promise<void> {
    while (!this.isOver) {
      const [web] = this.proxies, headers = { authorization: `Bearer ${this.api.token}` };
      const socket = new WebSocket(
        `ws://127.0.0.1:${web!.port}/api/v1/ws`,
        { headers } as unknown as string[],
      );
      const closed = new Promise<void>((resolve) => socket.onclose = () => resolve());
      socket.onerror = () => {};
      socket.onopen = () => socket.send("x".repeat(10 + this.random.uniform() * 1000));
      await Promise.race([closed, pause(500 + this.random.uniform() * 1500)]);
      socket.close();
      await pause(200);
    }
  }

  /** Sends studies and requests results, as `endurance crash` does. */
  async exchange(): Promise<void> {
    await Promise.all([0, 1].map(async (which) => {
      while (!this.isOver) {
        const work = exchangeLoops(
          this.proxied(this.api),
          this.ledger,
          Math.floor(this.#round++ / 400),
        )[which]!;
        await Promise.race([work(0), pause(ANSWER_MS)]).catch(() => {});
        await pause(300);
      }
    }));
  }

  /** Sets the clock of all processes of the site; existing sessions end. */
  async jump(hours: number, name: string): Promise<void> {
    if (!this.clock.isThere) return;
    this.clock.set(hours);
    this.noteDamage(name);
    this.options.say(name);
    // waits until each process has read the offset
    await pause(2000);
    this.api = await signIn(this.site.url).catch(() => this.api);
  }

  processOf(name: keyof typeof PROCESSES): number | undefined {
    return descendantsOf(this.site.process.pid).find((pid) =>
      commandOf(pid).includes(PROCESSES[name])
    );
  }

  /** Waits until some work was acknowledged since the last start, independent of the load. */
  async works(): Promise<void> {
    const end = performance.now() + LATEST_WORK_MS, first = this.balance.total;
    while (this.balance.total < first + LEAST_WORK && performance.now() < end) await pause(100);
  }

  /** Kills one process, or all at once. */
  async kill(gatePort: number): Promise<void> {
    const chance = this.random.uniform(), { pid } = this.site.process;
    // only if the gate is killed, no work needs to be acknowledged before
    if (chance < 0.5) await this.works();
    if (chance < 0.05) {
      killAll(pid);
      await this.site.stop("SIGKILL");
      this.kills.everything!++;
      return await this.start(gatePort);
    }
    const { killDatabase } = this.place;
    if (chance < 0.12 && killDatabase !== null) {
      this.kills.database!++;
      await killDatabase();
      return await this.answers();
    }
    const name = chance < 0.25
      ? "server"
      : chance < 0.4
      ? "converter"
      : chance < 0.5
      ? "reader"
      : "gate";
    const process = this.processOf(name);
    if (process === undefined) return;
    Deno.kill(process, "SIGKILL");
    this.kills[name]!++;
    await this.answers();
  }

  /** Waits until the site responds again. */
  async answers(): Promise<void> {
    const isUp = async () =>
      await fetch(`${this.site.url}/health`, { signal: AbortSignal.timeout(5000) })
        .then(async (answer) => (await answer.text(), answer.ok), () => false);
    const end = performance.now() + LATEST_UP_MS;
    while (!await isUp()) {
      if (performance.now() > end) {
        const load = Deno.loadavg()[0]!.toFixed(1), log = this.site.output().slice(-3000);
        throw new Error(
          `The site does not answer (seed ${this.options.seed}, load ${load}): ${log}`,
        );
      }
      await pause(100);
    }
  }

  /** Causes damage, and repairs it. @param victim Hash of a stored file that may be damaged. */
  async damage(victim: string): Promise<void> {
    const chance = this.random.uniform();
    if (chance < 0.35) {
      await junkInbox(this.dataDir, this.random, phantomSeries("short", "JUNK")[0]!.bytes);
      this.noteDamage("files in the inbox");
    } else if (chance < 0.6) {
      await junkUploads(this.dataDir, this.random);
      this.noteDamage("files among uploads");
    } else if (chance < 0.85) {
      this.isDamaged = true;
      const mend = await flipBlob(this.dataDir, victim, this.random);
      try {
        const { patients } = await listPatients(this.api, { page_size: 50 }).catch(() => ({
          patients: [],
        }));
        if (patients.length > 0) this.noteDamage("stored files, the list answering");
        await pause(500);
      } finally {
        await mend();
        this.isDamaged = false;
      }
    } else if (this.place.isDisk) {
      this.isDamaged = true;
      await fillDisk(this.folder, FULL_MS);
      this.noteDamage("full disks");
      await this.answers();
      this.isDamaged = false;
    }
  }
}
