// A site in use while its connections, files, processes and disk meet faults that one seed chooses.
import { readFileSync } from "node:fs";
import type { Api } from "@/client/api/http.ts";
import { listPatients, uploadFiles } from "@/client/api/studies/patients.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { descendantsOf, killAll } from "@/bench/machine/processes.ts";
import { searchedForLeftovers, type Site, startSite } from "@/tests/e2e/site.ts";
import {
  beginExchange,
  exchangeEnvironment,
  exchangeLoops,
  exchangePort,
  settleExchange,
} from "@/tests/endurance/crash/exchange.ts";
import { compare, Ledger, signIn } from "@/tests/endurance/crash/load.ts";
import { wrongStates } from "@/tests/endurance/crash/state.ts";
import { JUMP_HOURS, JumpingClock } from "@/tests/endurance/faults/clock.ts";
import { fillDisk, flipBlob, junkInbox, junkUploads } from "@/tests/endurance/faults/damage.ts";
import { Balance, type Kind, KINDS } from "@/tests/endurance/faults/kinds.ts";
import { addListener, openListener, repeatMessages } from "@/tests/endurance/faults/messages.ts";
import { type FaultProxy, openProxy } from "@/tests/endurance/faults/proxy.ts";
import { adminProcess } from "@/tests/sites/admin_command.ts";
import { allAnalysed, nameSite, openBeside } from "@/tests/sites/core_site.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { removeDisk, smallDisk } from "@/tests/sites/small_disk.ts";

const DISK_BYTES = 900_000_000, FULL_MS = 1500, LATEST_END_MS = 1_800_000, ACTORS = 3;
/**
 * An answer that does not come within this time never will. The proxy resets stalled connections much earlier; a busy
 * machine takes half a minute for an upload.
 */
const ANSWER_MS = 120_000;
/** Acknowledgements between two kills of a process that work needs, and how long they are waited for. */
const LEAST_WORK = 3, LATEST_WORK_MS = 240_000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface RehearsalOptions {
  seed: number;
  /** time of the faults, s */
  seconds: number;
  /** kills at least, and acknowledgements of each kind: the faults go on until then */
  kills: number;
  least?: number;
  /** time after which they are over anyway, s; twice the time by default */
  latestSeconds?: number;
  say: (text: string) => void;
}

/** What a rehearsal has come to. */
export interface Rehearsal {
  problems: string[];
  acknowledged: Record<Kind, number>;
  /** by process */
  kills: Record<string, number>;
  /** connections by what became of them */
  connections: Record<string, number>;
  /** damaged files and full disks */
  damages: Record<string, number>;
}

const commandOf = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
};
/** How each process of a site is told from the others, by its command line. */
const PROCESSES = {
  server: "\0serve\0",
  converter: "/start/converter.ts",
  reader: "/start/reader.ts",
  gate: "/start/gate.ts",
} as const;

/** All that stands around a site during its rehearsal. */
class Scene {
  readonly random: Random;
  readonly ledger = new Ledger();
  readonly problems: string[] = [];
  readonly kills: Record<string, number> = {
    server: 0,
    converter: 0,
    reader: 0,
    gate: 0,
    everything: 0,
  };
  readonly damages: Record<string, number> = {};
  /** calls that were not acknowledged, by code */
  readonly refusals: Record<string, number> = {};
  readonly proxies: FaultProxy[] = [];
  readonly clock: JumpingClock;
  site!: Site;
  balance!: Balance;
  api!: Api;
  isOver = false;
  /** the disk is full, or a stored file is wrong: errors are due */
  isDamaged = false;
  #earlierLogs = "";
  #round = 0;

  constructor(
    readonly folder: string,
    readonly isDisk: boolean,
    readonly options: RehearsalOptions,
    readonly sitePort: number,
  ) {
    this.random = new Random(options.seed);
    this.clock = new JumpingClock(folder);
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

  /** Lines that the site has printed since the first start. */
  programLog(): string {
    return this.#earlierLogs + ((this.site as Site | undefined)?.output() ?? "");
  }

  /** Calls through the proxy; a call that is stalled ends. */
  proxied(api: Api): Api {
    const [web] = this.proxies;
    return {
      ...api,
      origin: `http://127.0.0.1:${web!.port}`,
      send: (request) => fetch(request, { signal: AbortSignal.timeout(ANSWER_MS) }),
    };
  }

  /** Somebody who works until the faults are over. */
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

  /** Sockets that come and go. */
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

  /** Scanner and outbox, as the kills of `endurance crash` have them. */
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

  /** Sets the clock of every process of the site; the sessions before end. */
  async jump(hours: number, name: string): Promise<void> {
    if (!this.clock.isThere) return;
    this.clock.set(hours);
    this.noteDamage(name);
    this.options.say(name);
    // until each process has read it
    await pause(2000);
    this.api = await signIn(this.site.url).catch(() => this.api);
  }

  processOf(name: keyof typeof PROCESSES): number | undefined {
    return descendantsOf(this.site.process.pid).find((pid) =>
      commandOf(pid).includes(PROCESSES[name])
    );
  }

  /** Waits until some work was acknowledged since the site started last, however busy the machine is. */
  async works(): Promise<void> {
    const end = performance.now() + LATEST_WORK_MS, first = this.balance.total;
    while (this.balance.total < first + LEAST_WORK && performance.now() < end) await pause(100);
  }

  /** Ends one process, or all at once, without a warning. */
  async kill(gatePort: number): Promise<void> {
    const chance = this.random.uniform(), { pid } = this.site.process;
    // the gate alone has no part in uploads, edits, analyses and reports
    if (chance < 0.5) await this.works();
    if (chance < 0.05) {
      killAll(pid);
      await this.site.stop("SIGKILL");
      this.kills.everything!++;
      return await this.start(gatePort);
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

  /** Waits until the site answers again, which it must. */
  async answers(): Promise<void> {
    const isUp = async () =>
      await fetch(`${this.site.url}/health`, { signal: AbortSignal.timeout(5000) })
        .then(async (answer) => (await answer.text(), answer.ok), () => false);
    const end = performance.now() + 120_000;
    while (!await isUp()) {
      if (performance.now() > end) {
        throw new Error(`The site does not answer: ${this.site.output().slice(-3000)}`);
      }
      await pause(100);
    }
  }

  /** Damages one thing, and puts it right again. @param victim Hash of a stored file that may be damaged. */
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
    } else if (this.isDisk) {
      this.isDamaged = true;
      await fillDisk(this.folder, FULL_MS);
      this.noteDamage("full disks");
      await this.answers();
      this.isDamaged = false;
    }
  }
}

/** All faults, one after the other, while the others work. */
async function meetFaults(scene: Scene, gatePort: number, victim: string): Promise<void> {
  const { seconds, kills, say, least = 0, latestSeconds = 2 * seconds } = scene.options;
  const began = performance.now(), { acknowledged } = scene.balance;
  let said = began;
  const jumps = [
    { part: 0.25, hours: JUMP_HOURS, name: `clock ${JUMP_HOURS} h forward` },
    { part: 0.6, hours: 0, name: `clock ${JUMP_HOURS} h back` },
  ];
  for (;;) {
    const passed = (performance.now() - began) / 1000;
    const jump = passed > (jumps[0]?.part ?? Infinity) * seconds ? jumps.shift() : undefined;
    if (jump) await scene.jump(jump.hours, jump.name);
    const isEnough = scene.killed >= kills && KINDS.every((kind) => acknowledged[kind] >= least);
    if ((passed > seconds && isEnough) || passed > latestSeconds) break;
    await pause(500 + scene.random.uniform() * 4000);
    if (scene.random.uniform() < 0.75) await scene.kill(gatePort);
    else await scene.damage(victim);
    if (performance.now() - said < 30_000) continue;
    said = performance.now();
    say(
      `${passed.toFixed(0)} s: ${scene.killed} kills, ${
        JSON.stringify(scene.balance.acknowledged)
      }, refused ${JSON.stringify(scene.refusals)}`,
    );
  }
}

/** Lets everything come to its end without faults. @returns what was lost or is wrong. */
async function settle(scene: Scene, gatePort: number): Promise<void> {
  for (const proxy of scene.proxies) proxy.isFaulty = false;
  const { site, dataDir, ledger, balance } = scene, { exchange } = ledger;
  killAll(site.process.pid);
  await site.stop("SIGKILL");
  scene.kills.everything!++;
  await scene.start(gatePort);
  const api = scene.api = await signIn(scene.site.url);
  for (const problem of await settleExchange(api, dataDir, exchange!, scene.options.say)) {
    scene.found(problem);
  }
  await allAnalysed(api, LATEST_END_MS);
  for (const problem of await compareStudies(api, ledger)) scene.found(problem);
  for (const problem of await balance.compare(api)) scene.found(problem);
  await allAnalysed(api, LATEST_END_MS);
  await searchedForLeftovers(scene.site.url);
  await scene.site.stop("SIGTERM");
  // junk of the scene's own is set aside, named in the log
  const aside = [...Deno.readDirSync(`${dataDir}/inbox/unusable`)].length;
  if (aside > (scene.damages["files in the inbox"] ?? 0)) {
    scene.found(`${aside} files are set aside`);
  }
  for (const { name } of Deno.readDirSync(`${dataDir}/inbox/unusable`)) {
    await Deno.remove(`${dataDir}/inbox/unusable/${name}`, { recursive: true });
  }
  const key = new Uint8Array(32).fill(0xa5);
  for (const problem of await wrongStates(dataDir, null, ledger, key)) scene.found(problem);
  for (const problem of await balance.compareRows(dataDir, scene.programLog())) {
    scene.found(problem);
  }
  const variables = {
    SULCUS_DATA_DIR: dataDir,
    SULCUS_STORAGE_KEY_FILE: `${scene.folder}/storage.key`,
  };
  const { code, err } = await adminProcess(variables, "verify");
  if (code !== 0) scene.found(`admin verify: ${err}`);
}

/** Studies that were acknowledged against those that are there. */
async function compareStudies(api: Api, ledger: Ledger): Promise<string[]> {
  const problems = await compare(api, ledger);
  // edits and labels are counted by the balance
  return problems.filter((text) => !/^(edit|label) /.test(text));
}

/** Runs a rehearsal on SQLite. It needs a built site. */
export async function rehearse(options: RehearsalOptions): Promise<Rehearsal> {
  const disk = await smallDisk(DISK_BYTES), isDisk = "folder" in disk;
  const folder = isDisk ? disk.folder : await Deno.makeTempDir({ prefix: "sulcus-faults-" });
  if (!isDisk) options.say(`No disk of its own, so none gets full: ${disk.problem}`);
  const sitePort = lastingPort(), gatePort = exchangePort();
  const scene = new Scene(folder, isDisk, options, sitePort), { random } = scene;
  if (!scene.clock.isThere) options.say("No package faketime, so the clock does not jump");
  const listener = openListener(), key = new Uint8Array(32).fill(0xa5);
  const proxy = async (port: number) => {
    const opened = await openProxy(() => port, random);
    scene.proxies.push(opened);
    return opened.port;
  };
  try {
    await Deno.mkdir(scene.dataDir, { mode: 0o700 });
    await Deno.writeTextFile(`${folder}/storage.key`, "a5".repeat(32), { mode: 0o600 });
    nameSite(scene.dataDir, null);
    await proxy(sitePort);
    const port = await proxy(gatePort), { dataDir } = scene;
    scene.ledger.exchange = await beginExchange({
      dataDir,
      databaseUrl: null,
      key,
      port,
      via: proxy,
    });
    await scene.start(gatePort);
    scene.api = await signIn(scene.site.url);
    const messages = await addListener(scene, await proxy(listener.port));
    const pids: number[] = [];
    for (const name of ["EDITED", "VICTIM"]) {
      const files = phantomSeries("short", name);
      pids.push((await uploadFiles(scene.api, files)).pid_list[0]!);
    }
    await allAnalysed(scene.api, LATEST_END_MS);
    const victim = await storedHashes(dataDir, pids[1]!);
    for (const pid of pids) {
      scene.ledger.studies.set(pid, { hashes: await storedHashes(dataDir, pid), isDeleted: "no" });
    }
    scene.balance = new Balance(scene.ledger, pids[0]!, scene.ledger.exchange.sent[0]!.pid);
    for (const each of scene.proxies) each.isFaulty = true;
    const working = [
      ...Array.from({ length: ACTORS }, () => scene.act()),
      scene.listen(),
      scene.exchange(),
      repeatMessages(scene, messages),
    ];
    try {
      await meetFaults(scene, gatePort, victim[0]!);
    } finally {
      scene.isOver = true;
      for (const each of scene.proxies) each.isFaulty = false;
      await Promise.all(working);
    }
    await settle(scene, gatePort);
    const connections: Record<string, number> = {};
    for (const { counts } of scene.proxies) {
      for (const [fate, count] of Object.entries(counts)) {
        connections[fate] = (connections[fate] ?? 0) + count;
      }
    }
    const { problems, kills, damages, balance } = scene;
    return { problems, acknowledged: balance.acknowledged, kills, connections, damages };
  } finally {
    await scene.site?.stop("SIGKILL").catch(() => {});
    for (const each of scene.proxies) await each.close();
    listener.close();
    await scene.ledger.exchange?.archive.close();
    if (isDisk) await removeDisk(folder);
    else await Deno.remove(folder, { recursive: true });
  }
}

async function storedHashes(dataDir: string, pid: number): Promise<string[]> {
  const db = await openBeside(dataDir);
  const rows = await db.selectFrom("instances").select("blob").where("pid", "=", pid).orderBy(
    "blob",
  )
    .execute().finally(() => db.destroy());
  return rows.map(({ blob }) => blob);
}
