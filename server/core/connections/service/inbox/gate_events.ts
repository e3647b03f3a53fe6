import type { GateEvent } from "@/server/gate/link/tasks.ts";
import {
  delayCommitment,
  deleteCommitment,
  dueCommitments,
  insertCommitment,
} from "@/server/core/connections/storage/commitments.ts";
import { logConnection } from "@/server/core/connections/storage/connection_log.ts";
import { noteCommitted } from "@/server/core/connections/storage/outbox.ts";
import { storedAmong } from "@/server/core/connections/storage/arrivals.ts";
import type { InboxFiles } from "@/server/core/connections/service/inbox/inbox_files.ts";
import { knownPeers } from "@/server/core/connections/service/known_peers.ts";
import {
  askGate,
  dicomPeer,
  failureOf,
  noteAnswer,
} from "@/server/core/connections/service/peers.ts";
import { LONGEST_PAUSE_MS, pauseMs } from "@/server/core/connections/service/outbox.ts";
import { noteUnusable } from "@/server/core/connections/service/inbox/unusable_files.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";

const BATCH = 200;
/** Time after which an object that is neither stored nor in the inbox counts as missing, ms. */
const MAX_COMMITMENT_MS = 86_400_000;
/** Failure reason of a storage commitment: no such object instance (PS3.3 C.14). */
const NO_SUCH_INSTANCE = 0x0112;
/** Failure reason of a storage commitment: the stored SOP class is another (PS3.3 C.14). */
const CLASS_CONFLICT = 0x0119;

async function take({ db, log }: ServiceContext, event: GateEvent): Promise<void> {
  const { at, address, calling: peer } = event, now = nowIso();
  if (event.type === "association") {
    const { end, reason, echoes, stored, refused, bytes, seconds } = event;
    // an association that only tested the connection (C-ECHO) is not logged
    if (end === "released" && stored + refused === 0 && echoes > 0) return;
    const details = { end, stored, refused, bytes, seconds, ...(reason ? { reason } : {}) };
    const isError = end !== "released" || refused > 0;
    await logConnection(db, { at, peer, address, event: "association", isError, details });
  } else if (event.type === "rejected") {
    const details = { reason: event.reason, count: event.count, called: event.called };
    await logConnection(db, { at, peer, address, event: "rejected", isError: true, details });
  } else if (event.type === "message_refused") {
    const details = { reason: event.reason, count: event.count };
    await logConnection(db, {
      at,
      peer,
      address,
      event: "message_refused",
      isError: true,
      details,
    });
  } else if (event.type === "hl7_closed") {
    const details = { count: event.count };
    await logConnection(db, { at, peer, address, event: "hl7_closed", isError: true, details });
  } else if (event.type === "commit_request") {
    const { transactionUid, instances } = event;
    await insertCommitment(db, { transactionUid, peer, instances }, Date.now());
  } else {
    const { transactionUid, committed, failed } = event;
    const { entries, isComplete } = await noteCommitted(
      db,
      { transactionUid, committed, failed },
      now,
    );
    const details = { committed: committed.length, failed: failed.length };
    const isError = !isComplete || entries === 0;
    await logConnection(db, { at, peer, address, event: "committed", isError, details });
    if (entries === 0) log("warn", "A commitment that nobody asked for", { peer });
  }
}

/** Stores events of the gate (network process); deletes an event's file once it is stored. */
export async function takeEvents(services: ServiceContext, files: InboxFiles): Promise<void> {
  const { events, unusable } = await files.events(BATCH);
  await noteUnusable(services, unusable);
  for (const { name, text } of events) {
    try {
      await take(services, JSON.parse(text) as GateEvent);
    } catch (error) {
      // an unreadable event is skipped, or all later events would wait; database errors are retried
      if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
      services.log("error", "Cannot read an event of the gate", { error: String(error) });
    }
    await files.forgetEvent(name);
  }
}

/**
 * Answers storage commitment requests when all instances are stored, or some count as missing.
 * @param open Instances in the inbox that are not stored yet, each with the study if known.
 * @returns studies that a sender has declared complete, which need not wait for more objects.
 */
export async function answerCommitments(
  services: ServiceContext,
  open: ReadonlyMap<string, string | null>,
): Promise<Set<string>> {
  const { db, gate } = services, asked = new Set<string>(), peers = await knownPeers(db);
  for (
    const { transactionUid, peer: aeTitle, instances, attempts, createdMs } of await dueCommitments(
      db,
      Date.now(),
      LONGEST_PAUSE_MS,
    )
  ) {
    const { stored, conflicting } = await storedAmong(db, instances);
    const isOld = Date.now() - createdMs > MAX_COMMITMENT_MS;
    const missing = instances.filter(({ sopInstanceUid }) => !stored.has(sopInstanceUid));
    const arriving = missing.filter(({ sopInstanceUid }) => open.has(sopInstanceUid));
    if (arriving.length > 0 && !isOld) {
      for (const { sopInstanceUid } of arriving) {
        const studyUid = open.get(sopInstanceUid);
        if (studyUid) asked.add(studyUid);
      }
      await delayCommitment(db, transactionUid, Date.now() + 2000);
      continue;
    }
    const peer = peers.find(({ kind, config }) =>
      kind === "dicom" && config.ae_title === aeTitle && config.port > 0
    );
    if (!peer) {
      const details = { reason: "no_address" };
      await logConnection(db, {
        at: nowIso(),
        peer: aeTitle,
        address: "",
        event: "commit_result",
        isError: true,
        details,
      });
      await deleteCommitment(db, transactionUid);
      continue;
    }
    const failed = failureOf(
      await askGate(services, {
        kind: "commit_result",
        peer: dicomPeer(peer, gate?.aeTitle ?? "SULCUS"),
        transactionUid,
        committed: instances.filter(({ sopInstanceUid }) => stored.has(sopInstanceUid)),
        failed: missing.map((one) => ({
          ...one,
          reason: conflicting.has(one.sopInstanceUid) ? CLASS_CONFLICT : NO_SUCH_INSTANCE,
        })),
      }),
    );
    await noteAnswer(services, peer, "commit_result", failed, {
      committed: instances.length - missing.length,
      failed: missing.length,
    });
    if (failed && !isOld) await delayCommitment(db, transactionUid, Date.now() + pauseMs(attempts));
    else await deleteCommitment(db, transactionUid);
  }
  return asked;
}
