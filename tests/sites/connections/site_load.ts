// Over 400 lines: one scenario; its senders, faults and counters share the same site and studies.
// Senders retry while gate, server and PACS are killed, connections are cut and the disk is full.
// Acknowledged objects must be stored once and unchanged, and sent images must arrive once.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { login } from "@/client/api/accounts/auth.ts";
import { getRouting, savePeer, saveRouting } from "@/client/api/connections/connections.ts";
import { insertOutbox } from "@/server/core/connections/storage/outbox.ts";
import { COMMAND } from "@/server/gate/dimse/command.ts";
import { oneOf } from "@/server/gate/dimse/association.ts";
import { headBytesOf } from "@/server/gate/receive/part10.ts";
import { Requestor } from "@/server/gate/send/requestor.ts";
import { axes, type Grid, PLANES } from "@/server/commands/demo/phantom/grid.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { KOREAN_PATIENT } from "@/server/commands/demo/phantom/dicom/series.ts";
import { EMAIL, PASSWORD, type Site, startSite } from "@/tests/e2e/site.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { noOrthanc, type Orthanc, startOrthanc } from "@/tests/sites/connections/orthanc.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { removeDisk, smallDisk } from "@/tests/sites/small_disk.ts";

const MR = "1.2.840.10008.5.1.4.1.1.4", EXPLICIT_LE = "1.2.840.10008.1.2.1";
/** Size of the test disk: fixed part, and part per study of 40 small files, a page each, bytes. */
const DISK_BYTES = 384 << 20, STUDY_BYTES = 350_000;
/** Faults: a killed process or a full disk. */
const BLOWS = ["gate", "server", "pacs", "disk"] as const;
type Blow = typeof BLOWS[number];

interface SiteLoad {
  studies: number;
  senders: number;
  /** number of times that each fault occurs */
  rounds: number;
  seed: number;
  /** time after which no further study is started */
  minutes?: number;
  /** time without progress after which the load fails; default 60 */
  patienceSeconds?: number;
}

interface SiteLoadResult {
  /** number of studies that were started, all of which must be complete */
  studies: number;
  sent: number;
  /** acknowledged objects that are not stored; `changed`: stored with other bytes */
  lost: number;
  changed: number;
  /** objects that were stored twice, or were never sent */
  doubled: number;
  /** images that the PACS lacks or has changed or twice; `delivered`: images that arrived */
  undelivered: number;
  delivered: number;
  blows: Record<Blow, number>;
  cuts: number;
  /** parts of the load that this machine cannot run, as texts */
  without: string[];
  seconds: number;
}

const GRID: Grid = {
  shape: [24, 24, 40],
  centreRasMm: [0, -14, 6],
  directions: axes(PLANES.axial),
  spacingMm: [8, 8, 2],
};

interface Instance {
  uid: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** A small series of one study that the site can store. */
function studyOf(study: number): Instance[] {
  const patient = { ...KOREAN_PATIENT, patientId: `L-${study}`, name: `Load^${study}` };
  const files = phantomSeries("short", patient.patientId, {
    grid: GRID,
    sliceThicknessMm: 2,
    patient,
  });
  return files.map(({ bytes }) => ({ uid: textOf(bytes, [0x08, 0, 0x18, 0], "UI"), bytes }));
}

const latin1 = new TextDecoder("latin1");
/** Value of an explicit little-endian element with a short length. */
function textOf(bytes: Uint8Array, tag: readonly number[], vr: string): string {
  const from = headBytesOf(bytes) ?? 0;
  for (let at = from; at < bytes.length - 8; at++) {
    const isHere = tag.every((byte, n) => bytes[at + n] === byte) &&
      latin1.decode(bytes.subarray(at + 4, at + 6)) === vr;
    if (!isHere) continue;
    const length = bytes[at + 6]! + 256 * bytes[at + 7]!;
    return latin1.decode(bytes.subarray(at + 8, at + 8 + length)).replace(/\0$/, "");
  }
  return "";
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const dataSetOf = (bytes: Uint8Array<ArrayBuffer>) => bytes.subarray(headBytesOf(bytes)!);
/** Pixels at the end of a test image. */
const pixelsOf = (bytes: Uint8Array) =>
  bytes.subarray(bytes.length - 2 * GRID.shape[0] * GRID.shape[1]);

/** Child process whose command line contains a text; `null` if there is none. */
function childOf(pid: number, part: string): number | null {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(
    Number,
  );
  return children.find((child) => {
    try {
      return readFileSync(`/proc/${child}/cmdline`, "utf8").replaceAll("\0", " ").includes(part);
    } catch {
      return false;
    }
  }) ?? null;
}

/** Extends a file until the disk is full. */
function fill(path: string): void {
  using file = Deno.openSync(path, { create: true, append: true });
  try {
    for (;;) file.writeSync(new Uint8Array(1 << 16));
  } catch (error) {
    if (!/os error 28/.test(String(error))) throw error;
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until a count is reached. @throws if the count does not change for `patienceSeconds`. */
async function reaches(
  what: string,
  wanted: number,
  { patienceSeconds = 60 }: SiteLoad,
  count: () => Promise<number>,
): Promise<void> {
  let last = -1, since = Date.now();
  for (;;) {
    const now = await count().catch(() => last);
    if (now >= wanted) return;
    if (now !== last) [last, since] = [now, Date.now()];
    if (Date.now() - since > 1000 * patienceSeconds) {
      throw new Error(`${what}: ${now} of ${wanted}, and no more come`);
    }
    await pause(50);
  }
}

/** A site and a PACS on free ports, and senders that retry until all objects are acknowledged. */
class Load {
  readonly acknowledged = new Set<string>();
  readonly done: Record<Blow, number> = { gate: 0, server: 0, pacs: 0, disk: 0 };
  readonly random: Random;
  cuts = 0;
  refused = 0;
  isSending = true;

  constructor(
    private readonly folder: string,
    private readonly site: Site,
    private readonly port: number,
    private readonly pacs: Orthanc | null,
    seed: number,
  ) {
    this.random = new Random(seed);
  }

  /** Sends objects in one association until all are sent or the association fails. */
  async #send(all: readonly Instance[]): Promise<void> {
    const peer = {
      host: "127.0.0.1",
      port: this.port,
      called: "SULCUS",
      calling: "LOAD",
      tls: false,
    };
    const association = await Requestor.open(
      peer,
      [{ abstractSyntax: MR, transferSyntaxes: [EXPLICIT_LE] }],
      null,
    );
    const half = async function* (whole: Uint8Array) {
      yield whole.subarray(0, whole.length >> 1);
      // cuts the connection in the middle of an object
      association.drop();
      await pause(0);
      throw new Error("cut");
    };
    try {
      const { id } = association.contextOf(MR);
      for (const { uid, bytes } of all) {
        const isCut = this.random.uniform() < 0.01, dataSet = dataSetOf(bytes);
        if (isCut) this.cuts++;
        const command = { sopClassUid: MR, sopInstanceUid: uid, field: COMMAND.store, priority: 0 };
        await association.request(id, command, isCut ? half(dataSet) : oneOf(dataSet));
        if ((await association.response()).command.status === 0) this.acknowledged.add(uid);
        else this.refused++;
      }
      await association.close();
    } catch (error) {
      association.drop();
      throw error;
    }
  }

  /** Sends a study by Orthanc, which reports success after all objects are acknowledged. */
  async #sendByPacs(all: readonly Instance[]): Promise<void> {
    let study = "";
    for (const { bytes } of all) {
      study = (await this.pacs!.post<{ ParentStudy: string }>("/instances", bytes)).ParentStudy;
    }
    await this.pacs!.post("/modalities/SULCUS/store", study);
    for (const { uid } of all) this.acknowledged.add(uid);
  }

  async send(study: number, isByPacs: boolean): Promise<void> {
    const all = studyOf(study);
    for (;;) {
      const left = all.filter(({ uid }) => !this.acknowledged.has(uid));
      if (left.length === 0) return;
      // refused, cut or killed: objects that were not acknowledged are sent again
      await (isByPacs ? this.#sendByPacs(all) : this.#send(left)).catch(() => pause(20));
    }
  }

  /** Waits until a process of the site is running again, and kills it. */
  async #kill(part: string): Promise<void> {
    let child = childOf(this.site.process.pid, part);
    for (; child === null; child = childOf(this.site.process.pid, part)) await pause(20);
    Deno.kill(child, "SIGKILL");
  }

  async strike(blow: Blow): Promise<void> {
    if (blow === "gate") await this.#kill("server/commands/start/gate.ts");
    else if (blow === "server") await this.#kill("main.ts serve");
    else if (blow === "pacs") await this.pacs!.kill();
    else await this.#fillDisk();
    this.done[blow]++;
  }

  /** Keeps the disk full until the site has refused three objects. */
  async #fillDisk(): Promise<void> {
    const before = this.refused;
    while (this.refused < before + 3 && this.isSending) {
      fill(`${this.folder}/ballast`);
      await pause(20);
    }
    await Deno.remove(`${this.folder}/ballast`);
  }
}

/** Configures the site: who may send, and no automatic analysis. @returns the PACS's id. */
async function tellSite(site: Site, pacs: Orthanc | null): Promise<number | null> {
  const open = { send: fetch, origin: site.url };
  const { access_token: token } = await login(open, { email: EMAIL, password: PASSWORD }),
    api = { ...open, token };
  await savePeer(api, null, {
    name: "Load",
    kind: "dicom",
    config: { ae_title: "LOAD", may_send: true },
  });
  const config = { ae_title: "PACS", host: "127.0.0.1", may_send: true, research: true };
  const id = pacs &&
    await savePeer(api, null, {
      name: "PACS",
      kind: "dicom",
      config: { ...config, port: pacs.dicomPort },
    });
  const every = { sender: "", modality: "", station: "", description: "", body_part: "" };
  const keep = {
    ...every,
    age_from: null,
    age_to: null,
    action: "keep" as const,
    peers: [],
    priors_from: null,
  };
  await saveRouting(api, { ...await getRouting(api), quiet_seconds: 1, rules: [keep] });
  return id;
}

/** Queues each stored study once for sending, de-identified. */
async function queueImages(dataDir: string, peerId: number): Promise<void> {
  const db = await openBeside(dataDir);
  try {
    const queued = db.selectFrom("outbox").select("pid");
    const rows = await db.selectFrom("patients").select("pid").where("pid", "not in", queued)
      .execute();
    const entries = rows.map(({ pid }) => ({ peerId, pid, run: "", kind: "images" }));
    await insertOutbox(db, entries, new Date().toISOString());
  } finally {
    await db.destroy();
  }
}

/** Compares the stored objects with the sent ones. */
async function compareStored(dataDir: string, studies: number) {
  const db = await openBeside(dataDir);
  const rows = await db.selectFrom("instances").select(["sop_uid", "blob"]).execute();
  await db.destroy();
  const stored = new Map(rows.map(({ sop_uid, blob }) => [sop_uid, blob]));
  let lost = 0, changed = 0, sent = 0;
  for (let study = 0; study < studies; study++) {
    for (const { uid, bytes } of studyOf(study)) {
      sent++;
      const blob = stored.get(uid);
      if (blob === undefined) lost++;
      else {
        const there = await Deno.readFile(
          `${dataDir}/blobs/${blob.slice(0, 2)}/${blob.slice(2, 4)}/${blob}`,
        );
        if (sha256(dataSetOf(there)) !== sha256(dataSetOf(bytes))) changed++;
      }
    }
  }
  return { sent, lost, changed, doubled: rows.length - (sent - lost) };
}

/** Counts the de-identified images in the PACS, and those that are missing or unexpected. */
async function compareDelivered(pacs: Orthanc, studies: number) {
  const ids = await pacs.post<string[]>(
    "/tools/find",
    JSON.stringify({ Level: "Instance", Query: { PatientID: "ANON-*" } }),
  );
  const counts = new Map<string, number>();
  for (const id of ids) {
    const bytes = await (await fetch(`${pacs.url}/instances/${id}/file`)).bytes(),
      key = sha256(pixelsOf(bytes));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  let undelivered = 0;
  for (const { bytes } of studyOf(0)) {
    const key = sha256(pixelsOf(bytes)), count = counts.get(key) ?? 0;
    undelivered += Math.abs(studies - count);
    counts.delete(key);
  }
  for (const count of counts.values()) undelivered += count;
  return { delivered: ids.length, undelivered };
}

/** Runs the whole load, and compares stored and sent objects. */
export async function runSiteLoad(load: SiteLoad): Promise<SiteLoadResult> {
  const disk = await smallDisk(DISK_BYTES + STUDY_BYTES * load.studies), without: string[] = [];
  if ("problem" in disk) without.push(`a full disk (${disk.problem})`);
  if (noOrthanc !== "") without.push(noOrthanc);
  const folder = "folder" in disk
    ? disk.folder
    : await Deno.makeTempDir({ prefix: "sulcus-load-" });
  const dataDir = `${folder}/site`,
    port = lastingPort(),
    env = { SULCUS_DICOM_PORT: String(port), SULCUS_DICOM_REACH: "127.0.0.0/8" };
  let pacs: Orthanc | null = null, site: Site | null = null;
  try {
    if (noOrthanc === "") pacs = await startOrthanc(port);
    await Deno.mkdir(dataDir);
    site = await startSite({ dataDir, command: "start", workers: 0, port: lastingPort(), env });
    return { ...await loadSite(load, folder, site, port, pacs, "folder" in disk), without };
  } finally {
    await site?.stop();
    await pacs?.close();
    if ("folder" in disk) await removeDisk(folder);
    else await Deno.remove(folder, { recursive: true });
  }
}

async function loadSite(
  load: SiteLoad,
  folder: string,
  site: Site,
  port: number,
  pacs: Orthanc | null,
  hasDisk: boolean,
): Promise<Omit<SiteLoadResult, "without">> {
  const { dataDir } = site, started = performance.now();
  const blows = BLOWS.filter((blow) =>
    blow === "pacs" ? pacs !== null : blow !== "disk" || hasDisk
  );
  const peerId = await tellSite(site, pacs), all = new Load(folder, site, port, pacs, load.seed);
  const total = load.studies * GRID.shape[2];
  const db = await openBeside(dataDir);
  const rowsOf = async (of: "instances" | "sent") => {
    const count = of === "instances"
      ? sql<{ n: number }>`SELECT count(*) AS n FROM instances`
      : sql<{ n: number }>`SELECT count(*) AS n FROM outbox WHERE state = 'sent'`;
    return (await count.execute(db)).rows[0]!.n;
  };
  // counting many rows takes long, so it is done less often
  const pollMs = Math.min(1000, 20 + load.studies / 4);
  let studies = 0, isSent = false;
  const hasTime = () => performance.now() - started < 60_000 * (load.minutes ?? Infinity);
  const sender = async (isByPacs: boolean) => {
    while (studies < load.studies && hasTime()) await all.send(studies++, isByPacs);
  };
  const striker = async (blow: Blow) => {
    // progress of the phase in which the fault does the most damage
    const part = async () =>
      blow === "server"
        ? await rowsOf("instances") / total
        : blow === "pacs"
        ? await rowsOf("sent") / load.studies
        : all.acknowledged.size / total;
    for (let n = 1; n <= load.rounds; n++) {
      while (await part().catch(() => 0) < n / (load.rounds + 1)) {
        // all studies were sent because of the time limit, so this progress is never reached
        if (isSent) return;
        await pause(pollMs);
      }
      await all.strike(blow);
    }
  };
  const queuer = async () => {
    while (peerId !== null && !isSent) {
      // ignored: the disk is full, or the server is being killed
      await queueImages(dataDir, peerId).catch(() => {});
      await pause(200);
    }
  };
  const queueing = queuer();
  const work = async () => {
    await Promise.all(
      Array.from({ length: load.senders }, (_, n) => sender(pacs !== null && n === 0)),
    );
    all.isSending = false;
    await reaches("stored", studies * GRID.shape[2], load, () => rowsOf("instances"));
    if (peerId !== null) await reaches("sent", studies, load, () => rowsOf("sent"));
    isSent = studies < load.studies;
  };
  try {
    await Promise.all([work(), ...blows.map(striker)]);
  } catch (cause) {
    const arrivals = await db.selectFrom("arrivals").select(["state", "reason", "instances"])
      .where("state", "!=", "stored").execute();
    const waiting = await db.selectFrom("outbox").select(["state", "last_error"])
      .where("state", "!=", "sent").execute();
    throw new Error(JSON.stringify({ arrivals, waiting }) + site.output().slice(-4000), { cause });
  } finally {
    isSent = true;
    await queueing;
    await db.destroy();
  }
  const seconds = (performance.now() - started) / 1000;
  await site.stop();
  const stored = await compareStored(dataDir, studies);
  const delivered = pacs ? await compareDelivered(pacs, studies) : { delivered: 0, undelivered: 0 };
  return { studies, ...stored, ...delivered, blows: all.done, cuts: all.cuts, seconds };
}
