import { readFailure, storedFailure } from "@/model/connections/failure.ts";
import type { Pull, PullRequest } from "@/model/schema/connections/pacs.ts";
import type { GateAnswer } from "@/server/gate/link/tasks.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  arrivedOf,
  claimPull,
  finishPull,
  insertPull,
  listPullsOf,
  releasePulls,
  type StoredPull,
  wasPulled,
} from "@/server/core/connections/storage/pulls.ts";
import { sharedIdAmong } from "@/server/core/studies/service/orders/shared_ids.ts";
import { findPatientByStudy } from "@/server/core/studies/storage/patients.ts";
import {
  findStudies,
  listArchives,
  mustFindArchive,
} from "@/server/core/connections/service/archive_search.ts";
import { isPassing, LONGEST_PAUSE_MS, pauseMs } from "@/server/core/connections/service/outbox.ts";
import { type KnownPeer, knownPeers } from "@/server/core/connections/service/known_peers.ts";
import {
  askGate,
  authorization,
  dicomPeer,
  failureOf,
  noteAnswer,
} from "@/server/core/connections/service/peers.ts";
import { SystemQueue } from "@/server/core/connections/service/system_queue.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";

/** Maximum number of attempts to retrieve a study; few, because a user is waiting. */
const MAX_ATTEMPTS = 5;
/** Maximum number of a patient's earlier studies that a routing rule retrieves. */
const MAX_PRIORS = 3;
const LISTED = 100;

type Failure = { failure: string; text: string };

/** Queues the retrieval of studies from an archive. @throws {AppError} `entity.not_found`. */
export async function requestPulls(
  services: ServiceContext,
  id: number,
  { studies }: PullRequest,
  caller: Caller,
): Promise<Pull[]> {
  const { db } = services, peer = await mustFindArchive(db, id);
  for (const { study_uid, description = "", study_date = "", images = 0 } of studies) {
    await insertPull(db, {
      peerId: peer.id,
      kind: "study",
      studyUid: study_uid,
      description,
      studyDate: study_date,
      expected: images,
      uid: caller.uid,
    }, nowIso());
  }
  return await listPulls(db, caller);
}

/** Retrievals that a user has requested, newest first. */
export async function listPulls(db: Database, { uid }: Caller): Promise<Pull[]> {
  const stored = await listPullsOf(db, uid, LISTED);
  const names = new Map((await knownPeers(db)).map(({ id, name }) => [id, name]));
  const arrived = await arrivedOf(db, stored.map(({ studyUid }) => studyUid));
  return stored.map((pull) => {
    const come = arrived.get(pull.studyUid);
    return {
      id: pull.id,
      system: names.get(pull.peerId) ?? "",
      study_uid: pull.studyUid,
      description: pull.description,
      study_date: pull.studyDate,
      state: pull.state,
      arrived: come?.instances ?? pull.completed,
      expected: pull.expected,
      failure: pull.lastError === null ? null : readFailure(pull.lastError),
      pid: come?.pid ?? null,
    };
  });
}

/**
 * Queues a search for a patient's earlier studies, once per study, but not for a study that was
 * retrieved itself.
 */
export async function queuePriors(
  tx: Database,
  peerIds: readonly number[],
  studyUid: string,
): Promise<void> {
  if (peerIds.length === 0 || await wasPulled(tx, studyUid)) return;
  const archiveIds = new Set((await listArchives(tx)).map(({ id }) => id));
  for (const peerId of new Set(peerIds)) {
    if (!archiveIds.has(peerId)) continue;
    const isAsked = await tx.selectFrom("pulls").select("id").where("peer_id", "=", peerId)
      .where("kind", "=", "priors").where("study_uid", "=", studyUid).executeTakeFirst();
    if (isAsked) continue;
    const priors = {
      kind: "priors" as const,
      description: "",
      studyDate: "",
      expected: 0,
      uid: null,
    };
    await insertPull(tx, { ...priors, peerId, studyUid }, nowIso());
  }
}

/** Retrieves studies from archives, one after another from each archive. */
export class Puller extends SystemQueue<StoredPull> {
  recover(): Promise<void> {
    return releasePulls(this.services.db, this.owner);
  }

  protected systems(): Promise<KnownPeer[]> {
    return listArchives(this.services.db);
  }

  protected claim(peer: KnownPeer): Promise<StoredPull | null> {
    return claimPull(this.services.db, {
      peerId: peer.id,
      owner: this.owner,
      nowMs: Date.now(),
      longestMs: LONGEST_PAUSE_MS,
    });
  }

  protected async work(peer: KnownPeer, pull: StoredPull): Promise<boolean> {
    const { failed, completed, missing } = pull.kind === "study"
      ? await this.#study(peer, pull)
      : await this.#priors(peer, pull);
    await this.#end(peer, pull, failed, completed, missing);
    return true;
  }

  async #end(
    peer: KnownPeer,
    pull: StoredPull,
    failed: Failure | null,
    completed: number,
    missing: number,
  ) {
    const { db } = this.services, details = { completed, failed: missing, attempt: pull.attempts };
    await noteAnswer(
      this.services,
      peer,
      pull.kind === "study" ? "retrieve" : "priors",
      failed,
      details,
    );
    const error = failed && storedFailure(failed);
    const isPassed = failed !== null && failed.failure !== "incomplete" &&
      !isPassing(failed.failure, failed.text);
    const isLater = failed !== null && !isPassed && pull.attempts < MAX_ATTEMPTS;
    await finishPull(db, pull.id, {
      state: isLater ? "waiting" : failed ? "failed" : "done",
      error,
      completed,
      failed: missing,
      ...(isLater ? { notBeforeMs: Date.now() + pauseMs(pull.attempts) } : { endedAt: nowIso() }),
    });
  }

  async #study(peer: KnownPeer, { studyUid }: StoredPull) {
    const { gate } = this.services, ours = gate?.aeTitle ?? "SULCUS", dicom = dicomPeer(peer, ours);
    const answer: GateAnswer = peer.kind === "dicomweb"
      ? await askGate(this.services, {
        kind: "http",
        method: "GET",
        url: `${peer.config.url}/studies/${studyUid}`,
        headers: {
          accept: 'multipart/related; type="application/dicom"; transfer-syntax=*',
          ...authorization(peer),
        },
        intoInboxAs: peer.name,
      })
      : peer.config.retrieve === "get"
      ? await askGate(this.services, { kind: "get", peer: dicom, studyUid })
      : await askGate(this.services, { kind: "move", peer: dicom, destination: ours, studyUid });
    const { completed = 0, failed: missing = 0 } = answer;
    const failed = failureOf(answer) ??
      (missing > 0 ? { failure: "incomplete", text: String(missing) } : null) ??
      (completed === 0 ? { failure: "no_images", text: "" } : null);
    return { failed, completed, missing };
  }

  /** Searches an archive for earlier studies of a patient, and queues retrieval of the newest. */
  async #priors(peer: KnownPeer, { studyUid }: StoredPull) {
    const { db } = this.services, none = { failed: null, completed: 0, missing: 0 };
    const study = await findPatientByStudy(db, studyUid);
    const { patient_id: id, patient_birthdate: birth, study_date: date } = study?.row ?? {};
    // without a patient ID of one person, the search would match other people's studies
    if (!id || await sharedIdAmong(db, id) !== null) return none;
    const search = {
      patient_id: id,
      patient_name: "",
      accession_number: "",
      study_uid: "",
      date_from: "",
      date_to: date ?? "",
    };
    const { studies, failure: failed } = await findStudies(this.services, peer, search);
    const isPrior = (one: typeof studies[number]) =>
      one.pid === null && one.study_uid !== studyUid && one.patient_id === id &&
      // excludes another person with the same patient ID and a different birth date
      (!birth || !one.birth_date || one.birth_date === birth) &&
      (one.modalities.length === 0 || one.modalities.includes("MR"));
    for (const prior of studies.filter(isPrior).slice(0, MAX_PRIORS)) {
      await insertPull(db, {
        peerId: peer.id,
        kind: "study",
        studyUid: prior.study_uid,
        description: prior.description.slice(0, 64),
        studyDate: prior.study_date ?? "",
        expected: prior.images ?? 0,
        uid: null,
      }, nowIso());
    }
    return { ...none, failed };
  }
}
