import { createHash } from "node:crypto";
import { AppError, isPassing, isPassingCode } from "@/model/errors.ts";
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import { isAnalyzing } from "@/model/schema/studies/study.ts";
import { latestCredible } from "@/model/time/stored_time.ts";
import type { Routing } from "@/model/schema/connections/connections.ts";
import {
  dueStudies,
  endArrival,
  endedStudies,
  forgetRefused,
  listArrivalsOf,
  noteArrival,
  openStudies,
  type StoredArrival,
} from "@/server/core/connections/storage/arrivals.ts";
import type { ArrivalState } from "@/server/core/database/tables.ts";
import { findPatientByStudy, type StoredPatient } from "@/server/core/studies/storage/patients.ts";
import { listInstances, listInstancesOfSeries } from "@/server/core/studies/storage/series.ts";
import {
  dataSetHash,
  dataSetHashOf,
  noteDiffers,
} from "@/server/core/connections/service/inbox/differing.ts";
import {
  type FiledInstance,
  InboxFiles,
} from "@/server/core/connections/service/inbox/inbox_files.ts";
import {
  noteRoute,
  readRouting,
  routedSeries,
  ruleOf,
} from "@/server/core/connections/service/inbox/routing.ts";
import {
  noteUnusable,
  reasonOf,
  type UnusableFile,
} from "@/server/core/connections/service/inbox/unusable_files.ts";
import type { UploadFailure } from "@/model/schema/studies/upload.ts";
import { queuePriors } from "@/server/core/connections/service/pulls.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { checkUploadAllowed, storeReceived } from "@/server/core/studies/service/ingest.ts";
import { type IncomingFile, ReceivedFiles } from "@/server/core/studies/service/receive.ts";
import { groupSettings } from "@/server/core/settings/service/settings.ts";
import { isOwnPseudonym } from "@/server/core/exports/service/deidentified.ts";
import { isOwnResult } from "@/server/core/dicom/write/derived_object.ts";
import { checkDiskSpace } from "@/server/core/site/service/status.ts";

/** Maximum number of received objects that a pass sorts into study folders. */
const BATCH = 500;
/** Interval between attempts to store a study that waits for a credit, a licence or disk space. */
const WAIT_MS = 3000;
/**
 * Maximum number of conversions of a study that end because the converter process exits.
 * The pause doubles each time, because another study or low memory may be the reason.
 */
const MAX_CONVERSIONS = 6;
const DAY_MS = 86_400_000;
/**
 * Errors after which a study stays in the inbox and is tried again, in addition to temporary errors
 * ({@link isPassing}). All other errors refuse the study.
 */
const WAITS_FOR = new Set([
  "study.being_analyzed",
  "license.expired",
  "license.not_started",
  "credit.none",
  "internal",
]);

/** Reads a file. `broken` is called for an error of this file; reading other files continues. */
async function* bodyOf(path: string, broken: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  try {
    using file = await Deno.open(path);
    for (;;) {
      const piece = new Uint8Array(1 << 18), count = await file.read(piece);
      if (count === null) return;
      yield piece.subarray(0, count);
    }
  } catch (error) {
    if (await reasonOf(path, error) === null) throw error;
    broken(error);
    throw new AppError("file.damaged", "Cannot read a file of the inbox", {}, { cause: error });
  }
}

/** Reason for refusing a study: the converter process exited during a conversion. */
const CONVERTER_ENDED = "reading_ended";

const isOpen = ({ state }: StoredArrival) => state === "arriving" || state === "waiting";

const isBusy = ({ row }: StoredPatient) =>
  isAnalyzing(row.t1_analysis_status) || isAnalyzing(row.t2_analysis_status);

/** Stores objects from the inbox (the gate's folder) as studies, by the same code as uploads. */
export class Inbox {
  readonly #name: string;
  #swept = -Infinity;
  /** Study Instance UIDs of waiting studies, each with the time of the next attempt */
  readonly #waiting = new Map<string, number>();
  /** number of conversions during which the converter process exited, by Study Instance UID */
  readonly #ended = new Map<string, number>();

  /** @param waitMs Shortest time between two attempts for a study that waits. */
  constructor(
    private readonly services: ServiceContext,
    readonly files: InboxFiles,
    private readonly waitMs = WAIT_MS,
  ) {
    // several servers may share a database: a hash of the folder identifies a server's inbox
    this.#name = createHash("sha256").update(files.folder).digest("hex").slice(0, 16);
  }

  /**
   * Finds files that have no row in the database after a crash.
   * Errors of files or folders are logged and do not prevent the start.
   */
  async recover(): Promise<void> {
    for (const folder of await this.#studyFolders()) {
      const { filed, unusable, error } = await this.files.filedIn(folder);
      await this.#noteLost(filed);
      await noteUnusable(this.services, unusable);
      if (error) this.#cannotLook(error);
    }
  }

  #cannotLook(error: unknown): void {
    this.services.log("error", "Cannot look through the inbox", { error: String(error) });
  }

  async #studyFolders(): Promise<string[]> {
    try {
      const { folders, unusable } = await this.files.studyFolders();
      await noteUnusable(this.services, unusable);
      return folders;
    } catch (error) {
      this.#cannotLook(error);
      return [];
    }
  }

  /** Records files of a study that are not yet counted in a row of the database. */
  async #noteLost(filed: readonly FiledInstance[]): Promise<void> {
    const studyUid = filed[0]?.header.studyUid;
    if (studyUid === undefined) return;
    const rows = await listArrivalsOf(this.services.db, studyUid);
    const lost = filed.flatMap((one) => {
      const row = rows.find(({ seriesUid }) => seriesUid === one.header.seriesUid);
      // stored files are moved away, so a file in this folder is newer than a row marked stored
      const isLost = !row || row.lastMs < one.arrivedMs || row.state === "stored" ||
        row.lastMs > latestCredible(Date.now());
      return isLost ? [{ ...one, arrivedMs: Math.max(one.arrivedMs, row?.lastMs ?? 0) }] : [];
    });
    await this.#note(lost);
  }

  async #note(filed: readonly FiledInstance[]): Promise<void> {
    // grouped by study too, because two studies may contain the same Series Instance UID
    const series = Map.groupBy(filed, ({ header }) => `${header.studyUid}|${header.seriesUid}`);
    for (const all of series.values()) {
      const { header: { studyUid, seriesUid, ...header }, sender } = all[0]!;
      await noteArrival(this.services.db, this.#name, {
        seriesUid,
        studyUid,
        sender,
        description: header.seriesDescription || header.protocolName,
        instances: all.length,
        lastMs: Math.max(...all.map(({ arrivedMs }) => arrivedMs)),
      });
    }
  }

  /** Received instances that are neither stored nor refused, each with the study if known. */
  async open(): Promise<Map<string, string | null>> {
    const open = new Map<string, string | null>();
    for (const name of await this.files.arrived(Infinity)) {
      open.set(name.replace(/\.dcm$/, ""), null);
    }
    for (const studyUid of await openStudies(this.services.db, this.#name)) {
      for (const uid of await this.files.instancesOf(studyUid)) open.set(uid, studyUid);
    }
    return open;
  }

  /** Moves received objects into study folders. @returns whether more objects may be waiting. */
  async file(): Promise<boolean> {
    const { db, log } = this.services, names = await this.files.arrived(BATCH);
    if (names.length === 0) return false;
    const encoding = encodingTerm((await groupSettings(db)).dicom_encoding_id);
    const filed: FiledInstance[] = [], unusable: UnusableFile[] = [], errors: unknown[] = [];
    for (const name of names) {
      try {
        const result = await this.files.file(name, encoding);
        if (result.filed) filed.push(result.filed);
        unusable.push(...result.unusable);
      } catch (error) {
        errors.push(error);
      }
    }
    // the time is read after the batch, because objects of the same studies may arrive meanwhile
    const nowMs = Date.now();
    await this.#note(filed.map((one) => ({ ...one, arrivedMs: Math.max(one.arrivedMs, nowMs) })));
    await noteUnusable(this.services, unusable);
    // the files are tried again: a full or unavailable disk is not an error of these files
    if (errors.length > 0) {
      log("error", "Cannot file what came", { files: errors.length, error: String(errors[0]) });
    }
    return names.length === BATCH && errors.length < BATCH;
  }

  /**
   * Stores complete studies: studies that received no object for a while, and studies of which the
   * sender requests storage commitment.
   * @returns pids of the stored studies.
   */
  async take(complete: ReadonlySet<string> = new Set()): Promise<number[]> {
    const { db } = this.services, routing = await readRouting(db), pids: number[] = [];
    const quietMs = 1000 * routing.quiet_seconds;
    const quiet = await dueStudies(db, this.#name, { nowMs: Date.now(), quietMs });
    const open = complete.size > 0 ? await openStudies(db, this.#name) : [];
    for (const studyUid of new Set([...quiet, ...open.filter((uid) => complete.has(uid))])) {
      if ((this.#waiting.get(studyUid) ?? 0) > performance.now()) continue;
      const pid = await this.#takeStudy(studyUid, routing);
      if (pid !== null) pids.push(pid);
    }
    await this.#sweep(routing);
    return pids;
  }

  /** Deletes refused objects after the retention time. */
  async #sweep({ keep_days }: Routing): Promise<void> {
    if (performance.now() - this.#swept < 600_000) return;
    this.#swept = performance.now();
    const beforeMs = Date.now() - keep_days * DAY_MS;
    for (const studyUid of await endedStudies(this.services.db, this.#name, beforeMs)) {
      await this.files.removeStudy(studyUid);
      await forgetRefused(this.services.db, studyUid);
    }
    await this.files.removeAside(beforeMs);
  }

  async #end(
    rows: readonly StoredArrival[],
    state: ArrivalState,
    reason: string | null,
    pid: number | null,
  ) {
    if (state === "waiting" && rows[0]) {
      const { studyUid } = rows[0], isConverter = reason?.endsWith(CONVERTER_ENDED) ?? false;
      const repeated = isConverter ? (this.#ended.get(studyUid) ?? 1) - 1 : 0;
      this.#waiting.set(studyUid, performance.now() + this.waitMs * 2 ** repeated);
    }
    for (const arrival of rows) {
      await endArrival(this.services.db, arrival, { state, reason, pid });
    }
  }

  async #takeStudy(studyUid: string, routing: Routing): Promise<number | null> {
    const { db, log } = this.services, rows = await listArrivalsOf(db, studyUid);
    const existing = await findPatientByStudy(db, studyUid), pid = existing?.row.pid ?? null;
    this.#waiting.delete(studyUid);
    try {
      if (existing && isBusy(existing)) {
        throw new AppError("study.being_analyzed", "Cannot take the study yet");
      }
      await checkDiskSpace(this.services, 0);
      return await this.#store(studyUid, rows, existing, routing);
    } catch (error) {
      const code = error instanceof AppError ? error.code : "internal";
      const isWaiting = WAITS_FOR.has(code) || isPassing(error);
      if (!(error instanceof AppError)) {
        log("error", "Cannot take a study from the inbox", { error: String(error) });
      }
      await this.#end(rows.filter(isOpen), isWaiting ? "waiting" : "refused", code, pid);
      return null;
    }
  }

  /** Counts conversions in which the converter process exited. @returns whether to try again. */
  #countEnded(studyUid: string, failed: readonly UploadFailure[]): boolean {
    if (!failed.some(({ reason }) => reason === CONVERTER_ENDED)) {
      this.#ended.delete(studyUid);
      return false;
    }
    const count = (this.#ended.get(studyUid) ?? 0) + 1;
    if (count < MAX_CONVERSIONS) {
      this.#ended.set(studyUid, count);
      return true;
    }
    this.#ended.delete(studyUid);
    return false;
  }

  /** Headers of a study's files by SOP Instance UID; unusable files are quarantined. */
  async #headers(studyUid: string): Promise<Map<string, FiledInstance>> {
    const { filed, unusable, error } = await this.files.filedIn(this.files.studyFolder(studyUid));
    await noteUnusable(this.services, unusable);
    if (error) throw error;
    return new Map(filed.map((one) => [one.sopUid, one]));
  }

  /**
   * SOP Instance UIDs that are not stored yet. Files of instances that are stored already
   * are deleted if identical, and quarantined if different.
   */
  async #fresh(
    studyUid: string,
    sopUids: readonly string[],
    known: ReadonlyMap<string, string>,
  ): Promise<string[]> {
    const { blobs } = this.services, fresh: string[] = [];
    for (const sopUid of sopUids) {
      const blob = known.get(sopUid);
      if (blob === undefined) {
        fresh.push(sopUid);
        continue;
      }
      const path = this.files.pathOf(studyUid, sopUid),
        stored = await dataSetHash(await blobs.stream(blob));
      let came: string;
      try {
        came = await dataSetHashOf(path);
      } catch (error) {
        await noteUnusable(this.services, [await this.files.setUnusable(path, error)]);
        continue;
      }
      if (stored === came) {
        await this.files.remove(studyUid, [sopUid]);
        continue;
      }
      await this.files.putAside(studyUid, sopUid);
      await noteDiffers(this.services, sopUid);
    }
    return fresh;
  }

  /**
   * Yields the new files of a study, then the files that are stored already:
   * choosing series, and checking that a series is complete, need all files.
   */
  async *#bodies(
    studyUid: string,
    sopUids: readonly string[],
    known: ReadonlyMap<string, string>,
    broken: Map<string, unknown>,
  ): AsyncGenerator<IncomingFile> {
    for (const uid of sopUids) {
      const path = this.files.pathOf(studyUid, uid);
      yield { fileName: uid, body: bodyOf(path, (error) => broken.set(uid, error)) };
    }
    for (const [uid, blob] of known) {
      yield { fileName: uid, body: await this.services.blobs.stream(blob) };
    }
  }

  /** Ends the arrival of series without new files: all stored before, or no file was usable. */
  async #endWithout(
    rows: readonly StoredArrival[],
    here: ReadonlySet<string>,
    pid: number | null,
  ): Promise<void> {
    for (const row of rows) {
      if (!isOpen(row) || here.has(row.seriesUid)) continue;
      const stored = pid === null
        ? []
        : await listInstancesOfSeries(this.services.db, pid, row.seriesUid);
      if (stored.length > 0) await this.#end([row], "stored", null, pid);
      else await this.#end([row], "refused", "unusable", pid);
    }
  }

  /**
   * Ends the arrival of series that this program sent: results, and de-identified images.
   * An archive that forwards all objects returns both.
   * @returns Series Instance UIDs of the returned series.
   */
  async #endReturned(
    rows: readonly StoredArrival[],
    filed: readonly FiledInstance[],
    pid: number | null,
  ): Promise<Set<string>> {
    const isMasked = pid === null &&
      filed.some(({ header }) => header.texts.PatientIdentityRemoved === "YES") &&
      await isOwnPseudonym(this.services.db, filed[0]!.header.studyUid);
    const own = filed.filter(({ header }) => isMasked || isOwnResult(header));
    const returned = new Set(own.map(({ header }) => header.seriesUid));
    await this.#end(
      rows.filter(({ seriesUid }) => returned.has(seriesUid)),
      "refused",
      "own_result",
      pid,
    );
    return returned;
  }

  async #store(
    studyUid: string,
    rows: readonly StoredArrival[],
    existing: StoredPatient | null,
    routing: Routing,
  ): Promise<number | null> {
    const { db } = this.services, headers = await this.#headers(studyUid);
    const storedInstances = existing
      ? await listInstances(db, existing.row.pid)
      : new Map<string, string>();
    const pid = existing?.row.pid ?? null;
    const unknown = await this.#fresh(studyUid, [...headers.keys()], storedInstances);
    const returned = await this.#endReturned(rows, unknown.map((uid) => headers.get(uid)!), pid);
    const fresh = unknown.filter((uid) => !returned.has(headers.get(uid)!.header.seriesUid));
    const rule = new Map(
      [...Map.groupBy(fresh, (uid) => headers.get(uid)!.header.seriesUid)].map(
        ([seriesUid, uids]) => {
          const { header, sender } = headers.get(uids[0]!)!,
            at = ruleOf(routing.rules, routedSeries(header, sender));
          return [seriesUid, at === null ? null : routing.rules[at]!];
        },
      ),
    );
    const seriesOf = (sopUid: string) => headers.get(sopUid)!.header.seriesUid;
    const accepted = fresh.filter((uid) => rule.get(seriesOf(uid))?.action !== "refuse");
    const isAnalyzed = accepted.some((uid) => rule.get(seriesOf(uid))?.action !== "keep");
    const rowOf = (uid: string) => rows.filter(({ seriesUid }) => seriesUid === uid);
    if (fresh.length === 0) {
      await this.#endWithout(rows, returned, pid);
      return null;
    }
    for (const [seriesUid, one] of rule) {
      if (one?.action === "refuse") await this.#end(rowOf(seriesUid), "refused", "rule", pid);
    }
    if (accepted.length === 0) {
      await this.#endWithout(rows, new Set([...rule.keys(), ...returned]), pid);
      return null;
    }
    const sender = { uid: null, isAnalyzed };
    await checkUploadAllowed(this.services, sender);
    const received = new ReceivedFiles();
    try {
      const broken = new Map<string, unknown>();
      await received.take(this.services, this.#bodies(studyUid, accepted, storedInstances, broken));
      for (const [uid, error] of broken) {
        const unusable = await this.files.setUnusable(this.files.pathOf(studyUid, uid), error);
        await noteUnusable(this.services, [unusable]);
      }
      const wanted = accepted.filter((uid) => !broken.has(uid));
      const refused = [...rule.keys()].filter((one) => rule.get(one)?.action === "refuse");
      const here = new Set([...refused, ...returned]);
      for (const uid of wanted) here.add(seriesOf(uid));
      await this.#endWithout(rows, here, pid);
      if (wanted.length === 0) return null;
      const { files } = received, unread = received.fileErrors.failed;
      const answer = await storeReceived(
        this.services,
        sender,
        { files, failed: unread.filter(({ file_name }) => !broken.has(file_name)) },
        undefined,
      );
      const stored = await findPatientByStudy(db, studyUid), storedPid = stored?.row.pid ?? null;
      const failed = new Map(answer.failed.map((one) => [one.file_name, one]));
      const mayConvertAgain = this.#countEnded(studyUid, answer.failed);
      const waits = ({ code, reason }: UploadFailure) =>
        WAITS_FOR.has(code) || isPassingCode(code) ||
        (mayConvertAgain && reason === CONVERTER_ENDED);
      const waiting = answer.failed.find(waits);
      for (const [seriesUid, uids] of Map.groupBy(wanted, seriesOf)) {
        const failure = failed.get(uids.find((uid) => failed.has(uid)) ?? "");
        const reason = failure ? [failure.code, failure.reason].filter(Boolean).join("/") : null;
        const isWaiting = failure !== undefined && waits(failure);
        const state = failure === undefined ? "stored" : isWaiting ? "waiting" : "refused";
        await this.#end(rowOf(seriesUid), state, reason, storedPid);
      }
      const keptInstances = storedPid === null
        ? new Map<string, string>()
        : await listInstances(db, storedPid);
      // if no series was stored, the destinations of the study's results stay unchanged
      if (storedPid !== null && !waiting && answer.pid_list.length > 0) {
        const peers = [...rule.values()].flatMap((one) => one?.peers ?? []);
        await noteRoute(db, storedPid, headers.get(wanted[0]!)!.sender, peers);
        const archives = [...rule.values()].flatMap((one) => one?.priors_from ?? []);
        await queuePriors(db, archives, studyUid);
      }
      await this.files.remove(studyUid, wanted.filter((uid) => keptInstances.has(uid)));
      return answer.pid_list[0] ?? null;
    } finally {
      await received.discard();
    }
  }
}
