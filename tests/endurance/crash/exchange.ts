// Other systems while a site is killed: a scanner sends studies to the gate, and an archive gets
// results.
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import {
  getConnections,
  getRouting,
  repeatResults,
  savePeer,
  saveRouting,
} from "@/client/api/connections/connections.ts";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import type { Connections } from "@/model/schema/connections/connections.ts";
import { createCore } from "@/server/core/mod.ts";
import type { Database } from "@/server/core/database/database.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { findPatient, findPatientByStudy } from "@/server/core/studies/storage/patients.ts";
import { listInstances } from "@/server/core/studies/storage/series.ts";
import { insertOutbox, runOf } from "@/server/core/connections/storage/outbox.ts";
import { oneOf } from "@/server/gate/dimse/association.ts";
import { COMMAND } from "@/server/gate/dimse/command.ts";
import { INBOX } from "@/server/gate/link/tasks.ts";
import { headBytesOf, readMeta } from "@/server/gate/receive/part10.ts";
import { Requestor } from "@/server/gate/send/requestor.ts";
import { openArchive } from "@/tests/sites/connections/gate_site.ts";
import { EMAIL, PASSWORD } from "@/tests/e2e/site.ts";
import { NO_NETWORKS, setGroupBefore } from "@/tests/sites/group_settings.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { analysedPhantom, studyFiles } from "@/tests/sites/dicom_study.ts";
import { KOREAN_PATIENT } from "@/server/commands/demo/phantom/dicom/series.ts";
import type { Ledger } from "@/tests/endurance/crash/load.ts";

const SCANNER = "SCANNER", ARCHIVE = "ARCHIVE", ARRIVING = "ARRIVING-";
/** Number of studies with results, and the kinds of results that are sent. */
const SENT_STUDIES = 4, SENT_KINDS = ["report", "regions", "measurements"] as const;
/**
 * After the last start, the number of pending objects must decrease: within the first time and
 * processor time at least once, and to zero within the last time.
 */
const UNCHANGED_MS = 300_000, UNCHANGED_WORK_S = 60, LATEST_SETTLED_MS = 1_800_000;
/** Folders of received files that are not stored yet. */
const ARRIVED = [INBOX.partial, INBOX.received, "studies"];
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const dataSetHash = (bytes: Uint8Array) =>
  createHash("sha256").update(bytes.subarray(headBytesOf(bytes) ?? 0)).digest("hex");

/** A study that the scanner sends. */
interface Arriving {
  studyUid: string;
  /** data set hash and content by SOP Instance UID */
  instances: Map<
    string,
    { hash: string; classUid: string; syntax: string; bytes: Uint8Array<ArrayBuffer> }
  >;
  /** objects that the gate has acknowledged */
  acknowledged: Set<string>;
}

/** Study Instance UID of a phantom's file: explicit, little-endian. */
function studyUidOf(bytes: Uint8Array): string {
  for (let at = 132; at + 8 < bytes.length; at++) {
    const isTag = bytes[at] === 0x20 && bytes[at + 1] === 0 && bytes[at + 2] === 0x0d &&
      bytes[at + 3] === 0;
    if (!isTag || bytes[at + 4] !== 0x55 || bytes[at + 5] !== 0x49) continue;
    return new TextDecoder().decode(bytes.subarray(at + 8, at + 8 + bytes[at + 6]!)).replace(
      /\0$/,
      "",
    );
  }
  throw new Error("The phantom has no Study Instance UID");
}

async function newArriving(name: string): Promise<Arriving> {
  const files = phantomSeries("short", name), instances: Arriving["instances"] = new Map();
  for (const { bytes } of files) {
    const { sopClassUid, sopInstanceUid, transferSyntax } = (await readMeta(oneOf(bytes))).meta!;
    const one = { hash: dataSetHash(bytes), classUid: sopClassUid, syntax: transferSyntax, bytes };
    instances.set(sopInstanceUid, one);
  }
  return { studyUid: studyUidOf(files[0]!.bytes), instances, acknowledged: new Set() };
}

/** Acknowledgements to other systems, kept across kills. */
export class ExchangeLedger {
  readonly arriving: Arriving[] = [];
  /** times of the last acknowledged requests to send, ms, by outbox entry */
  readonly asked = new Map<number, number>();

  constructor(
    readonly port: number,
    readonly archive: Awaited<ReturnType<typeof openArchive>>,
    /** studies with results to send, and their outbox entries */
    readonly sent: readonly { pid: number; entries: number[] }[],
  ) {}

  /** Whether a study belongs to this ledger. */
  isOurs = ({ pid, patient_id }: { pid: number; patient_id: string }): boolean =>
    patient_id.startsWith(ARRIVING) || this.sent.some((one) => one.pid === pid);
}

/** Environment variables of the site. */
export const exchangeEnvironment = (port: number): Record<string, string> => ({
  SULCUS_DICOM_PORT: String(port),
  SULCUS_DICOM_REACH: "127.0.0.0/8",
  SULCUS_DICOM_HOST: "127.0.0.1",
});
export const exchangePort = lastingPort;

/**
 * Makes a stopped site with both systems, and studies with results that can be sent on request.
 * @param site `key` is the encryption key of its files.
 */
export async function beginExchange(
  { dataDir, databaseUrl, key, port, via = (port) => Promise.resolve(port) }: {
    dataDir: string;
    databaseUrl: string | null;
    key: Uint8Array;
    /** port of the gate */
    port: number;
    /** returns the port through which the site reaches the archive */
    via?: (port: number) => Promise<number>;
  },
): Promise<ExchangeLedger> {
  await setGroupBefore({ dataDir, databaseUrl }, NO_NETWORKS);
  const db = await openBeside(dataDir), archive = await openArchive(ARCHIVE, ["SULCUS"]);
  await addQuickUser(db, {
    email: EMAIL,
    password: PASSWORD,
    name: "Administrator",
    isMaintenance: true,
  });
  const core = await createCore({ dataDir, databaseUrl, workers: 0, storageKey: key });
  try {
    const open: Api = { send: core.fetch, origin: "http://core" };
    const api = {
      ...open,
      token: (await login(open, { email: EMAIL, password: PASSWORD })).access_token,
    };
    const scanner = { ae_title: SCANNER, may_send: true };
    await savePeer(api, null, { name: "Scanner", kind: "dicom", config: scanner });
    const to = { ae_title: ARCHIVE, host: "127.0.0.1", port: await via(archive.gate.port) };
    const config = { ...to, results: [...SENT_KINDS], by_rule: true };
    const peerId = await savePeer(api, null, { name: "Archive", kind: "dicom", config });
    await saveRouting(api, { ...await getRouting(api), quiet_seconds: 1 });
    const sent: ExchangeLedger["sent"][number][] = [];
    for (let n = 0; n < SENT_STUDIES; n++) {
      const patient = { ...KOREAN_PATIENT, patientId: `SENT-${n}` };
      const pid = await analysedPhantom({ api, dataDir }, studyFiles({ patient }), key);
      const { t1, t2 } = (await findPatient(db, pid))!.analysisId, run = runOf([t1, t2]);
      const entries = SENT_KINDS.map((kind) => ({ peerId, pid, run, kind }));
      await insertOutbox(db, entries, "2026-01-06T10:00:00Z");
      const rows = await db.updateTable("outbox").set({ state: "nothing" }).where("pid", "=", pid)
        .returning("id").execute();
      sent.push({ pid, entries: rows.map(({ id }) => id) });
    }
    return new ExchangeLedger(port, archive, sent);
  } finally {
    await core.close();
    await db.destroy();
  }
}

/** Loops that send studies and request results. */
export const exchangeLoops = (
  api: Api,
  ledger: Ledger,
  round: number,
): ((n: number) => Promise<void>)[] => {
  const { exchange } = ledger;
  if (exchange === null) return [];
  return [
    () => sendStudy(exchange, ledger, round),
    () => wish(api, exchange, ledger),
  ];
};

/** Sends unacknowledged objects of the scanner's study; one study per round is analysed. */
async function sendStudy(ledger: ExchangeLedger, all: Ledger, round: number): Promise<void> {
  const open = ledger.arriving.find(({ instances, acknowledged }) =>
    acknowledged.size < instances.size
  );
  if (open === undefined) {
    if (ledger.arriving.length > round) return await pause(100);
    ledger.arriving.push(await newArriving(`${ARRIVING}${ledger.arriving.length}`));
    return;
  }
  const before = open.acknowledged.size;
  // the gate is not running: unacknowledged objects are sent again later
  await deliver(ledger.port, open).catch(() => pause(50));
  all.writes += open.acknowledged.size > before ? 1 : 0;
}

/** Sends objects in one association, until it fails. */
async function deliver(port: number, { instances, acknowledged }: Arriving): Promise<void> {
  const left = [...instances].filter(([uid]) => !acknowledged.has(uid)), [first] = left;
  if (first === undefined) return;
  const { classUid, syntax } = first[1];
  const peer = { host: "127.0.0.1", port, called: "SULCUS", calling: SCANNER, tls: false };
  const association = await Requestor.open(
    peer,
    [{ abstractSyntax: classUid, transferSyntaxes: [syntax] }],
    null,
  );
  try {
    const { id } = association.contextOf(classUid, syntax);
    for (const [uid, { bytes }] of left) {
      const command = {
        sopClassUid: classUid,
        sopInstanceUid: uid,
        field: COMMAND.store,
        priority: 0,
      };
      await association.request(id, command, oneOf(bytes.subarray(headBytesOf(bytes)!)));
      if ((await association.response()).command.status === 0) acknowledged.add(uid);
    }
    await association.close();
  } catch (error) {
    association.drop();
    throw error;
  }
}

/** Requests all idle results to be sent, also those sent before. */
async function wish(api: Api, ledger: ExchangeLedger, all: Ledger): Promise<void> {
  const { outbox } = await getConnections(api),
    ours = ledger.sent.flatMap(({ entries }) => entries);
  const ready = outbox.filter(({ id, state }) => ours.includes(id) && isAtRest(state)).map((
    { id },
  ) => id);
  if (ready.length === 0) return await pause(100);
  const now = Date.now();
  await repeatResults(api, ready);
  for (const id of ready) ledger.asked.set(id, now);
  all.writes++;
}

const isAtRest = (state: string) => ["sent", "failed", "nothing"].includes(state);

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    .length;

/** Counts the work interrupted by a kill. Call it only while no process of the site runs. */
export async function noteKill(dataDir: string, { exchange, kills }: Ledger): Promise<void> {
  const db = await openBeside(dataDir);
  const sending = await db.selectFrom("outbox").select("id").where("state", "=", "sending")
    .execute();
  await db.destroy();
  const inbox = `${dataDir}/inbox`, isIn = (folder: string) => filesOf(folder) > 0;
  const isArriving = ARRIVED.some((name) => isIn(`${inbox}/${name}`));
  const met: Record<string, boolean> = {
    "an upload": isIn(`${dataDir}/blobs/incoming`),
    "images that a scanner sends": isArriving || (exchange?.arriving ?? []).some(isPartly),
    "results on their way": sending.length > 0,
  };
  for (const [what, isMet] of Object.entries(met)) kills[what] = (kills[what] ?? 0) + Number(isMet);
}

const isPartly = ({ instances, acknowledged }: Arriving) =>
  acknowledged.size > 0 && acknowledged.size < instances.size;

/**
 * Lets the scanner send the rest, and waits until nothing is pending: as long as the number
 * decreases, or a failed system is not contacted for some time.
 * @param say Called with the progress.
 * @param workedSeconds Processor time of the site's processes, which may be none on a busy machine.
 * @returns work that did not complete.
 */
export async function settleExchange(
  api: Api,
  dataDir: string,
  ledger: ExchangeLedger,
  say: (text: string) => void = () => {},
  workedSeconds: () => number = () => Infinity,
): Promise<string[]> {
  const began = performance.now(), latest = began + LATEST_SETTLED_MS;
  for (const study of ledger.arriving) {
    while (study.acknowledged.size < study.instances.size && performance.now() < latest) {
      await deliver(ledger.port, study).catch(() => pause(100));
    }
  }
  let least = Infinity, end = performance.now() + UNCHANGED_MS, workEnd = -Infinity;
  for (;;) {
    const page = await getConnections(api),
      { counts, peers } = page,
      open = counts.arriving + counts.waiting + counts.to_send;
    // received files may not have a database row yet
    const files = ARRIVED.reduce((sum, name) => sum + filesOf(`${dataDir}/inbox/${name}`), 0);
    if (open + files === 0) return [];
    const isLess = open + files < least;
    if (isLess) say(`after ${Math.round((performance.now() - began) / 1000)} s: ${summary(page)}`);
    if (isLess || peers.some((peer) => peer.not_before !== null)) {
      end = performance.now() + UNCHANGED_MS;
      workEnd = workedSeconds() + UNCHANGED_WORK_S;
    }
    least = Math.min(least, open + files);
    const isUnchanged = performance.now() > end && workedSeconds() >= workEnd;
    if (isUnchanged || performance.now() > latest) {
      return [`it does not come to rest: ${unsettled(page)}`];
    }
    await pause(200);
  }
}

const summary = ({ counts: { arriving, waiting, to_send } }: Connections) =>
  `${arriving} series arriving, ${waiting} waiting, ${to_send} results to send`;

/** Pending rows, and systems that are not contacted for some time, as text. */
function unsettled({ counts, arrivals, outbox, peers, gate }: Connections): string {
  return JSON.stringify({
    at: new Date().toISOString(),
    counts,
    gate,
    arrivals: arrivals.filter(({ state }) => ["arriving", "waiting"].includes(state)),
    outbox: outbox.filter(({ state }) => ["waiting", "sending"].includes(state)),
    peers: peers.map(({ name, waiting, not_before, last_error }) => (
      { name, waiting, not_before, last_error }
    )),
  });
}

/** Compares a stopped site and the archive with the acknowledged work. @returns problems. */
export async function compareExchange(
  db: Database,
  dataDir: string,
  ledger: ExchangeLedger,
  key: Uint8Array | null,
): Promise<string[]> {
  const problems: string[] = [], blobs = new DiskBlobs(`${dataDir}/blobs`, { isShared: true, key });
  for (const { studyUid, instances } of ledger.arriving) {
    const stored = await findPatientByStudy(db, studyUid);
    if (stored === null) {
      problems.push(`study ${studyUid}, which the gate has acknowledged, is lost`);
      continue;
    }
    const there = await listInstances(db, stored.row.pid);
    let lost = 0, changed = 0;
    for (const [uid, { hash }] of instances) {
      const blob = there.get(uid);
      if (blob === undefined) lost++;
      else if (dataSetHash(await blobs.read(blob)) !== hash) changed++;
    }
    const added = there.size - (instances.size - lost);
    if (lost + changed + added > 0) {
      problems.push(
        `study ${studyUid}: ${lost} images lost, ${changed} changed, ${added} of nobody`,
      );
    }
  }
  const left = [...ARRIVED, INBOX.sent, "unusable", "conflicts"]
    .map((name) => [name, filesOf(`${dataDir}/inbox/${name}`)] as const).filter(([, count]) =>
      count > 0
    );
  for (const [name, count] of left) problems.push(`${count} files are left in ${name}`);
  return [...problems, ...await compareSent(db, ledger)];
}

async function compareSent(db: Database, { asked, archive }: ExchangeLedger): Promise<string[]> {
  const problems: string[] = [], uids: string[] = [];
  for (const path of archive.files()) {
    const { meta } = await readMeta(oneOf(await Deno.readFile(path)));
    uids.push(meta?.sopInstanceUid ?? "unreadable");
  }
  const kept = new Set(uids);
  if (kept.size < uids.length) {
    problems.push(`${uids.length - kept.size} results are twice in the archive`);
  }
  for (const [id, wishedMs] of asked) {
    const row = await db.selectFrom("outbox").select([
      "state",
      "sent_at",
      "instances",
      "last_error",
    ])
      .where("id", "=", id).executeTakeFirst();
    const sentMs = row?.sent_at ? Date.parse(row.sent_at) : 0;
    if (row?.state !== "sent" || sentMs < wishedMs) {
      problems.push(`result ${id} is ${row?.state} (${row?.last_error}), sent ${row?.sent_at}`);
    }
    for (
      const { sopInstanceUid } of JSON.parse(row?.instances ?? "[]") as { sopInstanceUid: string }[]
    ) {
      if (!kept.has(sopInstanceUid)) {
        problems.push(`result ${id} is said to be sent, and is not in the archive`);
      }
    }
  }
  return problems;
}
