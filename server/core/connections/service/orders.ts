/** Finds the accession number of a study: in its images, otherwise in the modality worklist. */
import type { DicomJson } from "@/server/gate/link/tasks.ts";
import { withoutAccession } from "@/server/core/connections/storage/orders.ts";
import { listStoredInstances } from "@/server/core/studies/storage/series.ts";
import { type KnownPeer, knownPeers } from "@/server/core/connections/service/known_peers.ts";
import { isBusy } from "@/server/core/dicom/worker/reader.ts";
import { storedAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";
import {
  askGate,
  dicomPeer,
  failureOf,
  noteAnswer,
} from "@/server/core/connections/service/peers.ts";
import { mayCall } from "@/server/core/connections/service/outbox.ts";
import { announceMatch, noteAccession } from "@/server/core/studies/service/orders/match_orders.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const DAY_MS = 86_400_000;
/** Time after the arrival of a study for which an unreachable modality worklist is retried. */
const MAX_ASKED_MS = DAY_MS;
/** Pause after a modality worklist server did not respond. */
const PAUSE_MS = 60_000;

type Study = Awaited<ReturnType<typeof withoutAccession>>[number];

/** Accession number in the first image; empty without one, `null` if no file could be read now. */
async function ofImages(services: ServiceContext, pid: number): Promise<string | null> {
  const [first] = await listStoredInstances(services.db, pid);
  if (!first) return "";
  try {
    return await storedAnswer(services, first.blob, "accession", { isLater: true });
  } catch (error) {
    // `null`: tried again later; a damaged file counts as a file without accession number
    return isBusy(error) ? null : "";
  }
}

const textOf = (item: DicomJson, tag: string): string => {
  const [value] = item[tag]?.Value ?? [];
  return typeof value === "string" ? value.trim() : "";
};

/**
 * Accession number of the worklist entry with the Study Instance UID of a study, otherwise of the
 * patient's only entry of that day. @returns empty without an entry, or with several entries.
 */
export function orderOf(matches: readonly DicomJson[], { studyUid, patientId }: Study): string {
  const ofPatient = matches.filter((one) =>
    textOf(one, "00100020") === patientId && textOf(one, "00080050") !== ""
  );
  const ofStudy = ofPatient.filter((one) => textOf(one, "0020000D") === studyUid);
  const numbers = new Set(
    (ofStudy.length > 0 ? ofStudy : ofPatient).map((one) => textOf(one, "00080050")),
  );
  return numbers.size === 1 ? [...numbers][0]!.slice(0, 64) : "";
}

/** Accession number from a modality worklist. @returns `null` when the server did not respond. */
async function ofWorklist(
  services: ServiceContext,
  peer: KnownPeer,
  study: Study,
): Promise<string | null> {
  const element = (vr: string, value = "") => ({ vr, ...(value ? { Value: [value] } : {}) });
  const answer = await askGate(services, {
    kind: "find",
    peer: dicomPeer(peer, services.gate?.aeTitle ?? "SULCUS"),
    model: "worklist",
    most: 50,
    query: {
      "00080005": element("CS", "ISO_IR 192"),
      "00080050": element("SH"),
      "00100020": element("LO", study.patientId.replaceAll(/[*?\\]/g, " ").trim()),
      "0020000D": element("UI"),
      "00400100": {
        vr: "SQ",
        Value: [{
          "00080060": element("CS", "MR"),
          "00400002": element("DA", study.studyDate?.replaceAll("-", "") ?? ""),
        }],
      },
      "00401001": element("SH"),
    },
  });
  const failed = failureOf(answer);
  if (failed) {
    await noteAnswer(services, peer, "worklist", failed, { pid: study.pid }, Date.now() + PAUSE_MS);
    return null;
  }
  return orderOf(answer.matches ?? [], study);
}

/** Stores the accession number of a study, and assigns the study to the matching order. */
async function storeAccession(
  { db, publish }: ServiceContext,
  pid: number,
  accession: string,
): Promise<void> {
  announceMatch(
    publish,
    await db.transaction().execute((tx) => noteAccession(tx, pid, accession)),
  );
}

/** Finds and stores accession numbers of studies that have not been looked up so far. */
export async function noteOrders(services: ServiceContext, most: number): Promise<void> {
  const { db } = services, studies = await withoutAccession(db, most);
  if (studies.length === 0) return;
  const worklistPeers = (await knownPeers(db)).filter(({ kind, config }) =>
    kind === "dicom" && config.worklist
  );
  for (const study of studies) {
    let accession = await ofImages(services, study.pid);
    const isNew = Date.now() - Date.parse(study.createdAt) < MAX_ASKED_MS;
    if (accession === "" && isNew && study.patientId !== "") {
      for (const peer of worklistPeers) {
        accession = mayCall(peer) ? await ofWorklist(services, peer, study) : null;
        if (accession !== "") break;
      }
    }
    if (accession !== null) await storeAccession(services, study.pid, accession);
  }
}
