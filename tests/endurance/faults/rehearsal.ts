// Runs a busy site with faults of connections, files, processes and disk, selected by a seed.
import type { Api } from "@/client/api/http.ts";
import { uploadFiles } from "@/client/api/studies/patients.ts";
import { killAll, processorSecondsOfAll } from "@/bench/machine/processes.ts";
import { searchedForLeftovers } from "@/tests/e2e/site.ts";
import { beginExchange, exchangePort, settleExchange } from "@/tests/endurance/crash/exchange.ts";
import { compare, type Ledger, signIn } from "@/tests/endurance/crash/load.ts";
import { wrongStates } from "@/tests/endurance/crash/state.ts";
import { JUMP_HOURS } from "@/tests/endurance/faults/clock.ts";
import { Balance, type Kind, KINDS } from "@/tests/endurance/faults/kinds.ts";
import { addListener, openListener, repeatMessages } from "@/tests/endurance/faults/messages.ts";
import { openPlace } from "@/tests/endurance/faults/place.ts";
import { openProxy } from "@/tests/endurance/faults/proxy.ts";
import { type RehearsalOptions, Scene } from "@/tests/endurance/faults/scene.ts";
import { adminProcess } from "@/tests/sites/admin_command.ts";
import { allAnalysed, nameSite, openBeside } from "@/tests/sites/core_site.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const LATEST_END_MS = 1_800_000, ACTORS = 3;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Result of a rehearsal. */
export interface Rehearsal {
  problems: string[];
  acknowledged: Record<Kind, number>;
  /** number of kills by process */
  kills: Record<string, number>;
  /** number of connections by fault */
  connections: Record<string, number>;
  /** number of damaged files and full disks */
  damages: Record<string, number>;
}

/** Causes all faults, one after another, during the load. */
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

/** Repeats reads after temporary errors, such as those of an overloaded database. */
function patient(api: Api): Api {
  const send: Api["send"] = async (request) => {
    for (const end = performance.now() + LATEST_END_MS;; await pause(1000)) {
      const answer = await api.send(request.clone());
      if (request.method !== "GET" || answer.status !== 503 || performance.now() > end) {
        return answer;
      }
      await answer.body?.cancel();
    }
  };
  return { ...api, send };
}

/** Lets all work complete without faults. @returns lost work and problems. */
async function settle(scene: Scene, gatePort: number): Promise<void> {
  for (const proxy of scene.proxies) proxy.isFaulty = false;
  const { site, dataDir, ledger, balance } = scene, { exchange } = ledger;
  killAll(site.process.pid);
  await site.stop("SIGKILL");
  scene.kills.everything!++;
  await scene.start(gatePort);
  const api = scene.api = patient(await signIn(scene.site.url));
  const worked = () => processorSecondsOfAll(scene.site.process.pid);
  for (const problem of await settleExchange(api, dataDir, exchange!, scene.options.say, worked)) {
    scene.found(problem);
  }
  await allAnalysed(api, LATEST_END_MS);
  for (const problem of await compareStudies(api, ledger)) scene.found(problem);
  for (const problem of await balance.compare(api)) scene.found(problem);
  await allAnalysed(api, LATEST_END_MS);
  await searchedForLeftovers(scene.site.url);
  await scene.site.stop("SIGTERM");
  // the rehearsal's damaged files are set aside, and named in the log
  const aside = [...Deno.readDirSync(`${dataDir}/inbox/unusable`)].length;
  if (aside > (scene.damages["files in the inbox"] ?? 0)) {
    scene.found(`${aside} files are set aside`);
  }
  for (const { name } of Deno.readDirSync(`${dataDir}/inbox/unusable`)) {
    await Deno.remove(`${dataDir}/inbox/unusable/${name}`, { recursive: true });
  }
  const key = new Uint8Array(32).fill(0xa5);
  for (const problem of await wrongStates(dataDir, scene.place.databaseUrl, ledger, key)) {
    scene.found(problem);
  }
  for (const problem of await balance.compareRows(dataDir, scene.programLog())) {
    scene.found(problem);
  }
  const { databaseUrl } = scene.place;
  const variables = {
    SULCUS_DATA_DIR: dataDir,
    ...databaseUrl === null ? {} : { SULCUS_DATABASE_URL: databaseUrl },
    SULCUS_STORAGE_KEY_FILE: `${scene.folder}/storage.key`,
  };
  const { code, err } = await adminProcess(variables, "verify");
  if (code !== 0) scene.found(`admin verify: ${err}`);
}

/** Compares acknowledged studies with the stored ones. */
async function compareStudies(api: Api, ledger: Ledger): Promise<string[]> {
  const problems = await compare(api, ledger);
  // edits and labels are compared in `Balance`
  return problems.filter((text) => !/^(edit|label) /.test(text));
}

/** Runs a rehearsal of a built site. @throws {Error} if its database cannot be started. */
export async function rehearse(options: RehearsalOptions): Promise<Rehearsal> {
  const place = await openPlace(options.database, options.say), { folder, databaseUrl } = place;
  const sitePort = lastingPort(), gatePort = exchangePort();
  const scene = new Scene(place, options, sitePort), { random } = scene;
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
    nameSite(scene.dataDir, databaseUrl);
    await proxy(sitePort);
    const port = await proxy(gatePort), { dataDir } = scene;
    scene.ledger.exchange = await beginExchange({
      dataDir,
      databaseUrl,
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
  } catch (error) {
    scene.found(String(error));
    throw error;
  } finally {
    if (scene.problems.length > 0) {
      const log = await Deno.makeTempFile({ prefix: "sulcus-rehearsal-", suffix: ".log" });
      await Deno.writeTextFile(log, scene.programLog());
      options.say(`The program's log is in ${log}`);
    }
    await scene.site?.stop("SIGKILL").catch(() => {});
    for (const each of scene.proxies) await each.close();
    listener.close();
    await scene.ledger.exchange?.archive.close();
    await place.remove();
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
