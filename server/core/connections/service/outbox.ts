import { storedFailure } from "@/model/connections/failure.ts";
import { AppError, cannotWrite } from "@/model/errors.ts";
import { isOver } from "@/model/time/stored_time.ts";
import type { ResultKind } from "@/model/schema/connections/connections.ts";
import { INBOX, type SentFile } from "@/server/gate/link/tasks.ts";
import type { DicomFile } from "@/server/core/dicom/write/dataset_writer.ts";
import { deflatedChunks } from "@/server/core/dicom/write/deflated.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";
import {
  claimOutbox,
  currentRuns,
  findOutbox,
  finishOutbox,
  insertOutbox,
  isSameAnalysis,
  type OutboxEntry,
  outboxId,
  releaseOutbox,
  repeatOutbox,
  type SentInstance,
  withdrawOutbox,
} from "@/server/core/connections/storage/outbox.ts";
import type { Database } from "@/server/core/database/database.ts";
import { storageError } from "@/server/core/database/storage_error.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";
import { type KnownPeer, knownPeers } from "@/server/core/connections/service/known_peers.ts";
import { deliver, writeChunks } from "@/server/core/connections/service/delivery.ts";
import {
  askGate,
  dicomPeer,
  failureOf,
  noteAnswer,
} from "@/server/core/connections/service/peers.ts";
import { objectsOf, textOfResult } from "@/server/core/connections/service/result_objects.ts";
import { rejectionNotes } from "@/server/core/connections/service/rejection_note.ts";
import { queuePending } from "@/server/core/connections/service/result_queue.ts";
import { SystemQueue } from "@/server/core/connections/service/system_queue.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";

/** Time for which a process may send an outbox entry; afterwards another process may send it. */
const LEASE_MS = 1_200_000;
/** Pauses after failures of a remote system: 5 s, doubled each time, at most an hour. */
const FIRST_PAUSE_MS = 5000, MAX_PAUSE_MS = 3_600_000;
/** Pauses after an error of this server: 1 s, doubled each time, at most a minute. */
const FIRST_OWN_PAUSE_MS = 1000, MAX_OWN_PAUSE_MS = 60_000;
/** Maximum number of attempts to send a result that fails with an unexpected error. */
const MAX_TRIES = 10;
const EXPLICIT_LE = "1.2.840.10008.1.2.1";

/** Longest possible pause of {@link pauseMs}, with the random part. */
export const LONGEST_PAUSE_MS = 1.2 * MAX_PAUSE_MS;

/** Pause before calling a remote system again after a number of consecutive failures, whole ms. */
export const pauseMs = (failures: number, random = Math.random()): number =>
  Math.round(
    Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 20)) * (0.8 + 0.4 * random),
  );

/**
 * Whether a remote system may be called now. A pause that ends implausibly late counts as over,
 * because the end was stored before the clock was set back.
 */
export const mayCall = ({ notBeforeMs }: KnownPeer, nowMs = Date.now()): boolean =>
  isOver(notBeforeMs, nowMs, LONGEST_PAUSE_MS);

const ownPauseMs = (failures: number): number =>
  Math.min(MAX_OWN_PAUSE_MS, FIRST_OWN_PAUSE_MS * 2 ** Math.min(failures, 20));

/** Id of the outbox entry for the current results; queues an entry if results were corrected. */
async function entryOfNow(tx: Database, entry: OutboxEntry): Promise<number> {
  const patient = await findPatient(tx, entry.pid);
  if (!patient) return entry.id;
  const run = (await currentRuns(tx, entry.pid, patient.analysisId))(entry.kind),
    now = { ...entry, run };
  if (run !== entry.run && isSameAnalysis(run, entry.run)) await insertOutbox(tx, [now], nowIso());
  return await outboxId(tx, now) ?? entry.id;
}

/** Sends current results again. @throws {AppError} `access.forbidden`, `entity.not_found`. */
export async function repeatResults(
  services: ServiceContext,
  ids: readonly number[],
  caller: Caller,
): Promise<void> {
  await checkMaintenance(services.db, caller);
  const pids = await services.db.transaction().execute(async (tx) => {
    const currentIds: number[] = [];
    for (const entry of await findOutbox(tx, ids)) currentIds.push(await entryOfNow(tx, entry));
    return currentIds.length > 0 ? await repeatOutbox(tx, currentIds) : [];
  });
  if (pids.length === 0) {
    throw new AppError("entity.not_found", "Cannot send again: there is nothing to send");
  }
  for (const pid of pids) services.publish({ event: "study_sent", pid });
}

/** Whether a failure is temporary, such as a broken connection, so that a retry may succeed. */
export const isPassing = (failure: string, text: string): boolean =>
  ["unreachable", "rejected", "timeout", "tls", "aborted", "protocol", "no_gate"].includes(
    failure,
  ) ||
  (failure === "status" && /^0xa7|^0x01(10|24)/.test(text)) ||
  (failure === "http" && /^(401|403|408|429|5)/.test(text));

/** Sends results of the outbox, one after another to each remote system. */
export class Outbox extends SystemQueue<OutboxEntry> {
  /**
   * time until which nothing is sent, by `performance.now()`, after a full disk or without the gate
   * (network process): these errors are local and say nothing about the remote systems
   */
  #restsUntilMs = 0;
  #failures = 0;

  /** Queues changed results, then starts sending to all remote systems. */
  override async wake(): Promise<void> {
    // an error in this step must not block results that are already in the outbox
    await queuePending(this.services).catch((error) =>
      this.services.log("error", "Cannot queue changed results", { error: String(error) })
    );
    await super.wake();
  }

  recover(): Promise<void> {
    return releaseOutbox(this.services.db, this.owner);
  }

  protected async systems(): Promise<KnownPeer[]> {
    if (this.#restsUntilMs > performance.now()) return [];
    return (await knownPeers(this.services.db)).filter((peer) => mayCall(peer));
  }

  protected claim(peer: KnownPeer): Promise<OutboxEntry | null> {
    return claimOutbox(this.services.db, peer.id, this.owner, Date.now(), LEASE_MS);
  }

  /** Pauses sending to all remote systems after an error of this server. */
  #rest(): void {
    if (this.#restsUntilMs > performance.now()) return;
    this.#restsUntilMs = performance.now() + ownPauseMs(this.#failures++);
  }

  protected async work(peer: KnownPeer, entry: OutboxEntry): Promise<boolean> {
    const { db, log, publish } = this.services, details = { pid: entry.pid, kind: entry.kind };
    const finish = async (end: Parameters<typeof finishOutbox>[3]) => {
      await finishOutbox(db, entry.id, this.owner, end);
      if (end.state !== "waiting") publish({ event: "study_sent", pid: entry.pid });
    };
    try {
      const run = await this.#runOf(entry);
      const sent = await this.#isOvertaken(entry, run)
        ? "overtaken"
        : await this.#send(peer, entry, async () => await this.#runOf(entry) === run);
      if (sent === "overtaken") {
        // outdated results are withdrawn, because a newer entry sends the current results
        if (await this.#isOvertaken(entry, await this.#runOf(entry))) {
          await withdrawOutbox(db, [entry.id], this.owner);
        } else await finish({ state: "waiting" });
        return true;
      }
      if (sent === null) {
        await finish({ state: "nothing" });
        return true;
      }
      const { failed, instances, transactionUid, isFinal } = sent;
      if (failed?.failure === "no_gate") {
        this.#rest();
        await finish({ state: "waiting", error: failed.failure });
        return false;
      }
      this.#failures = 0;
      if (failed === null) {
        await finish({ state: "sent", instances, transactionUid, sentAt: nowIso(), isFinal });
        await noteAnswer(this.services, peer, "sent", null, details);
        return true;
      }
      const error = storedFailure(failed),
        isLater = isPassing(failed.failure, failed.text);
      await finish({ state: isLater ? "waiting" : "failed", error });
      const notBeforeMs = isLater ? Date.now() + pauseMs(peer.failures) : null;
      await noteAnswer(this.services, peer, "sent", failed, details, notBeforeMs);
      return !isLater;
    } catch (cause) {
      const error = storageError(cause), code = error instanceof AppError ? error.code : "internal";
      // a full or read-only disk is no error of the result, which waits until the disk recovers
      if (cannotWrite(error)) {
        this.#rest();
        await finish({ state: "waiting", error: code });
        return false;
      }
      if (code === "internal") {
        log("error", "Cannot make a result to send", { ...details, error: String(error) });
      }
      const isFault = code === "internal", isLater = isFault && entry.faults + 1 < MAX_TRIES;
      const notBeforeMs = isLater ? Date.now() + ownPauseMs(entry.faults) : undefined;
      await finish({ state: isLater ? "waiting" : "failed", error: code, notBeforeMs, isFault });
      return true;
    }
  }

  /** Current state (run) of the results in an entry; empty for a deleted study. */
  async #runOf({ pid, kind }: OutboxEntry): Promise<string> {
    const { db } = this.services, patient = await findPatient(db, pid);
    return patient ? (await currentRuns(db, pid, patient.analysisId))(kind) : "";
  }

  /** Whether another outbox entry contains the current results of the study. */
  async #isOvertaken(entry: OutboxEntry, run: string): Promise<boolean> {
    return run !== entry.run && await outboxId(this.services.db, { ...entry, run }) !== null;
  }

  /**
   * @param isStill Whether the results are unchanged since the start; changed results are not sent.
   * @returns `null` for a study without results of this kind.
   */
  async #send(
    peer: KnownPeer,
    entry: OutboxEntry,
    isStill: () => Promise<boolean>,
  ): Promise<
    | {
      failed: { failure: string; text: string } | null;
      instances: SentInstance[];
      transactionUid: string | null;
      isFinal?: boolean;
    }
    | "overtaken"
    | null
  > {
    const { services } = this;
    if (entry.kind === "hl7" || entry.kind === "fhir") {
      const text = await textOfResult(services, peer, entry);
      if (text === null) return null;
      if (!await isStill()) return "overtaken";
      const { send, isFinal } = text;
      return { failed: await send(), instances: [], transactionUid: null, isFinal };
    }
    const files: SentFile[] = [], instances: SentInstance[] = [];
    try {
      const write = async (file: DicomFile) => {
        const written = await this.#write(entry, files.length, file, peer.config.deflated);
        files.push(written.file);
        instances.push(written.instance);
      };
      for await (const file of objectsOf(services, peer, entry.pid, entry.kind as ResultKind)) {
        await write(file);
      }
      for (const note of await rejectionNotes(services, peer, entry, instances)) {
        const written = await this.#write(entry, files.length, note, peer.config.deflated);
        // the rejection note is sent first, because it rejects objects that were sent earlier
        files.unshift(written.file);
        instances.unshift({ ...written.instance, isNote: true });
      }
      if (!await isStill()) return "overtaken";
      if (files.length === 0) return null;
      const failed = await deliver(services, peer, files);
      const transactionUid = failed === null && peer.config.commits && peer.kind === "dicom"
        ? await this.#askCommitment(peer, entry, instances)
        : null;
      return { failed, instances, transactionUid };
    } finally {
      for (const { path, deflatedPath } of files) {
        await Deno.remove(path).catch(() => {});
        if (deflatedPath) await Deno.remove(deflatedPath).catch(() => {});
      }
    }
  }

  async #write(
    entry: OutboxEntry,
    at: number,
    file: DicomFile,
    isDeflated: boolean,
  ): Promise<{ file: SentFile; instance: SentInstance }> {
    const path = `${this.services.gate!.inbox}/${INBOX.sent}/${entry.id}-${at}.dcm`;
    const { transferSyntax = EXPLICIT_LE } = file;
    const deflatedPath = isDeflated && transferSyntax === EXPLICIT_LE
      ? `${path}.deflated`
      : undefined;
    try {
      await writeChunks(path, file.chunks());
      if (deflatedPath) await writeChunks(deflatedPath, deflatedChunks(file));
    } catch (error) {
      // removes the partial file on a full disk
      for (const half of [path, deflatedPath]) if (half) await Deno.remove(half).catch(() => {});
      throw error;
    }
    const { seriesUid, sopClassUid, sopInstanceUid, patientId } = file;
    return {
      file: { path, sopClassUid, sopInstanceUid, transferSyntax, deflatedPath },
      instance: {
        sopClassUid,
        sopInstanceUid,
        seriesUid,
        ...patientId !== undefined && { patientId },
      },
    };
  }

  /**
   * Requests storage commitment for sent objects.
   * @returns the transaction UID; `null` when the request failed.
   */
  async #askCommitment(
    peer: KnownPeer,
    entry: OutboxEntry,
    instances: SentInstance[],
  ): Promise<string | null> {
    const transactionUid = uidOf("commitment", entry.id, entry.attempts, nowIso());
    const calling = this.services.gate?.aeTitle ?? "SULCUS";
    // stored before the request, because the system's answer may arrive before the request returns
    await this.services.db.updateTable("outbox").set({
      transaction_uid: transactionUid,
      instances: JSON.stringify(instances),
    })
      .where("id", "=", entry.id).execute();
    const answer = await askGate(this.services, {
      kind: "commit",
      peer: dicomPeer(peer, calling),
      transactionUid,
      instances,
    });
    const failed = failureOf(answer);
    if (failed) await noteAnswer(this.services, peer, "commit", failed, { pid: entry.pid });
    return failed ? null : transactionUid;
  }
}
