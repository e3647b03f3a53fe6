import { AppError } from "@/model/errors.ts";
import type { DicomKind } from "@/model/schema/report/dicom.ts";
import type { ResultKind } from "@/model/schema/connections/connections.ts";
import type { DicomFile } from "@/server/core/dicom/write/dataset_writer.ts";
import type { OutboxEntry } from "@/server/core/connections/storage/outbox.ts";
import { lastFinal } from "@/server/core/connections/storage/sent_results.ts";
import { diagnosticReport } from "@/server/core/connections/service/fhir_resources.ts";
import { acknowledged, oruMessage } from "@/server/core/connections/service/messages.ts";
import { reportedStudy } from "@/server/core/connections/service/reported_study.ts";
import { type KnownPeer } from "@/server/core/connections/service/known_peers.ts";
import { askGate, authorization, failureOf } from "@/server/core/connections/service/peers.ts";
import { type ServiceContext, SITE } from "@/server/core/site/service/context.ts";
import { researchImages, researchOptions } from "@/server/core/exports/service/research.ts";
import {
  getDicomResult,
  listKeyImageObjects,
  listReportPages,
} from "@/server/core/exports/service/dicom_results.ts";

/** Kinds of results without the patient's identity, which research destinations may receive. */
const RESEARCH_KINDS: readonly ResultKind[] = [
  "measurements",
  "regions",
  "lesions",
  "outlines",
  "changes",
  "thickness",
  "percentiles",
];

/** DICOM objects of one kind of result; empty when the study has none. */
export async function* objectsOf(
  services: ServiceContext,
  { config }: KnownPeer,
  pid: number,
  kind: ResultKind,
): AsyncGenerator<DicomFile> {
  const filter = { language: config.language },
    { label_map: isLabelMap, research, deface } = config;
  try {
    if (kind === "images") {
      // images are sent automatically only to research destinations, after de-identification
      if (research) yield* researchImages(services, pid, deface);
      return;
    }
    // a research destination receives no reports, which contain the patient's identity
    if (research && !RESEARCH_KINDS.includes(kind)) return;
    const options = { isLabelMap, ...research ? await researchOptions(services, pid) : {} };
    if (kind === "key_images") yield* listKeyImageObjects(services, pid);
    else if (kind === "pages") yield* listReportPages(services, pid, filter, SITE, options);
    else yield (await getDicomResult(services, pid, kind as DicomKind, filter, SITE, options)).file;
  } catch (error) {
    const isNone = error instanceof AppError &&
      ["entity.not_found", "study.not_analyzed"].includes(error.code);
    if (!isNone) throw error;
  }
}

/** An HL7 or FHIR message. */
interface TextResult {
  /** sends the message. @returns the failure, `null` on success */
  send: () => Promise<{ failure: string; text: string } | null>;
  /** whether a physician has signed the results in it */
  isFinal: boolean;
}

/** Creates an HL7 or FHIR message; `null` without results. */
export async function textOfResult(
  services: ServiceContext,
  peer: KnownPeer,
  entry: OutboxEntry,
): Promise<TextResult | null> {
  const { pid, kind } = entry, finalAt = await lastFinal(services.db, entry);
  const study = await reportedStudy(services, pid, peer.config.language, SITE, finalAt);
  if (!study) return null;
  const isFinal = study.signed?.is_outdated === false;
  const { host, port, tls, url } = peer.config;
  if (kind === "hl7") {
    const message = oruMessage(study, services.gate?.aeTitle ?? "SULCUS");
    const send = async () => {
      const answer = await askGate(services, { kind: "mllp", host, port, tls, message });
      if (answer.error) return answer.error;
      const refused = acknowledged(answer.body ?? "");
      return refused === null ? null : { failure: "ack", text: refused };
    };
    return { send, isFinal };
  }
  const { identifier, resource } = diagnosticReport(study);
  const send = async () =>
    failureOf(
      await askGate(services, {
        kind: "http",
        method: "POST",
        url: `${url}/DiagnosticReport`,
        headers: {
          "content-type": "application/fhir+json",
          accept: "application/fhir+json",
          // FHIR header that prevents a duplicate when the same report is sent again
          "if-none-exist": `identifier=urn:dicom:uid|urn:oid:${identifier}`,
          ...authorization(peer),
        },
        body: JSON.stringify(resource),
      }),
    );
  return { send, isFinal };
}
