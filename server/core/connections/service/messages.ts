/** Builds HL7 version 2 messages that contain the results of a study. */
import { HL7_STATUS } from "@/model/report/result_status.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";
import {
  type ReportedStudy,
  unreliableValue,
} from "@/server/core/connections/service/reported_study.ts";

/**
 * Escapes separators in an HL7 field value (HL7 2.5 chapter 2.7). Line breaks become spaces.
 * Control characters are removed, since 0x0B and 0x1C delimit the frame of an HL7 message.
 */
const escaped = (text: string) =>
  text.replaceAll("\\", "\\E\\").replaceAll("|", "\\F\\").replaceAll("^", "\\S\\").replaceAll(
    "&",
    "\\T\\",
  )
    .replaceAll("~", "\\R\\").replaceAll(
      /[\p{Cc}\u2028\u2029]+/gu,
      (run) => /[\t\r\n\f\u0085\u2028\u2029]/.test(run) ? " " : "",
    );
const digits = (iso: string) => iso.replaceAll(/\D/g, "").slice(0, 14);

/** A text as HL7 type FT: line breaks become formatting commands (HL7 2.5 chapter 2.7.5). */
const formatted = (text: string) => text.split("\n").map(escaped).join("\\.br\\");

/**
 * Impression (LOINC 19005-8) as separate OBX segments:
 * notice above the signed text, the whole signed text, and the suggested sentences.
 */
const impressionOf = ({ signed, comment }: ReportedStudy): (readonly ["TX" | "FT", string])[] => [
  ...signed ? [["TX", escaped(signed.label)], ["FT", formatted(signed.text)]] as const : [],
  ...comment.map((sentence) => ["TX", escaped(sentence)] as const),
];

/**
 * HL7 message ORU^R01, version 2.5: volumes, the report as PDF, the order's accession number.
 * OBR-25 and OBX-11 contain the status of the results: P, F or C.
 */
export function oruMessage(study: ReportedStudy, ours: string): string {
  const { identity, studyUid, finishedAt, measures, pdf } = study, at = digits(finishedAt);
  const text = (keyword: string) => escaped(identity[keyword] ?? "");
  const name = (identity.PatientName ?? "").split("=")[0]!.split("^").map(escaped).join("^");
  const accession = text("AccessionNumber"),
    controlId = uidOf("hl7", studyUid, finishedAt).slice(-20);
  const status = HL7_STATUS[study.status];
  const sex = { M: "M", F: "F" }[identity.PatientSex ?? ""] ?? "U";
  const observed = measures.map(({ name, ml, isUnreliable }, n) =>
    [
      "OBX",
      n + 1,
      isUnreliable ? "ST" : "NM",
      `${escaped(name)}^${escaped(name)}^99SULCUS`,
      "",
      isUnreliable ? escaped(unreliableValue(ml)) : ml.toFixed(2),
      isUnreliable ? "" : "mL^mL^UCUM",
      "",
      "",
      "",
      "",
      status,
    ]
      .join("|")
  );
  const comments = impressionOf(study).map(([type, value], n) =>
    [
      "OBX",
      measures.length + n + 1,
      type,
      "19005-8^Radiology Imaging study [Impression] (narrative)^LN",
      n + 1,
      value,
      "",
      "",
      "",
      "",
      "",
      status,
    ].join("|")
  );
  const report = [
    "OBX",
    measures.length + comments.length + 1,
    "ED",
    "24590-2^MRI Head Report^LN",
    "",
    `${escaped(ours)}^AP^PDF^Base64^${Buffer.from(pdf).toString("base64")}`,
    "",
    "",
    "",
    "",
    "",
    status,
  ].join("|");
  return [
    `MSH|^~\\&|${escaped(ours)}||||${at}||ORU^R01^ORU_R01|${controlId}|P|2.5||||||UNICODE UTF-8`,
    `PID|1||${text("PatientID")}||${name}||${text("PatientBirthDate")}|${sex}`,
    `OBR|1|${accession}|${accession}|24590-2^MRI Head Report^LN|||${
      digits(identity.StudyDate ?? "")
    }|||||||||||${accession}||||${at}|||${status}`,
    `NTE|1||Study ${escaped(studyUid)}`,
    ...observed,
    ...comments,
    report,
  ].join("\r") + "\r";
}

/** Error text (MSA, ERR) of an acknowledgement that refuses a message; `null` if accepted. */
export function acknowledged(answer: string): string | null {
  const segments = answer.split(/[\r\n]+/),
    msa = segments.find((one) => one.startsWith("MSA"))?.split("|");
  if (msa?.[1] === "AA" || msa?.[1] === "CA") return null;
  return [msa?.[1], msa?.[3], segments.find((one) => one.startsWith("ERR"))].filter(Boolean).join(
    " ",
  ) ||
    "no MSA";
}
