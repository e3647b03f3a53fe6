// IHE integration statement: profiles, actors and options, generated from tables in the code.
import { eventsOf } from "@/model/hl7/adt.ts";
import { controlsOf, ORDER_EVENTS } from "@/model/hl7/order.ts";
import { INVOKE_NAMES } from "@/model/launch/link_names.ts";
import { auditEventText } from "@/model/text/site/audit_events.ts";
import { SOP_CLASS } from "@/server/core/dicom/write/derived_object.ts";
import { eventKindOf } from "@/server/core/site/service/audit/audit_message.ts";

/** Result kinds of the IHE profile AI Results, and the DICOM object that contains each kind. */
const RESULT_KINDS: readonly (readonly [kind: string, object: string, holds: string])[] = [
  ["measurements, qualitative findings", "enhancedSr", "volumes, thickness, percentiles, grades"],
  ["segmentation", "segmentation", "regions, lesions, changed lesions"],
  ["key images", "keyObjectSelection", "images marked by a reader"],
  ["parametric map", "parametricMap", "cortical thickness; percentile of each region's volume"],
  ["regions of images, volumetric (TID 1411)", "comprehensive3dSr", "outlines of lesions"],
  ["presentation state", "grayscalePresentationState", ""],
];
const classes: Readonly<Record<string, string>> = SOP_CLASS;
const results = RESULT_KINDS.map(([kind, object, holds]) => {
  const uid = Object.hasOwn(classes, object) ? classes[object] : undefined;
  return `| ${kind} | ${uid ? `yes, \`${uid}\`` : "no"} | ${uid ? holds : ""} |`;
}).join("\n");

/** Codes of audit messages, and the program's events for which they are sent. */
function auditRows(): string {
  const byCode = new Map<string, string[]>();
  for (const event of Object.keys(auditEventText)) {
    const { id: [code, , meaning], action } = eventKindOf(event);
    const name = `| ${code} | ${meaning} | ${action} |`;
    byCode.set(name, [...byCode.get(name) ?? [], `\`${event}\``]);
  }
  return [...byCode].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, events]) => `${name} ${events.join(", ")} |`).join("\n");
}

/** Integration statement as Markdown, a section of the conformance statement. */
export const integration = `## IHE integration statement

Product: Sulcus, the version under **About**. Not tested at a Connectathon.

| Profile | Actor | Transactions | Held |
| --- | --- | --- | --- |
| Invoke Image Display | Image Display | RAD-106 | whole; ${INVOKE_NAMES.length} parameters, above |
| AI Results | Evidence Creator | storage of results, by C-STORE or STOW-RS | in part: the kinds of results below |
| Scheduled Workflow | receiver of Patient Update | RAD-12, HL7 v2 over MLLP | in part: ${
  [...eventsOf("update"), ...eventsOf("merge")].map((event) => `ADT^${event}`).join(", ")
} |
| Scheduled Workflow | receiver of orders | RAD-4, HL7 v2 over MLLP | in part: ${
  Object.entries(ORDER_EVENTS).map(([type, event]) => `${type}^${event}`).join(", ")
}; ORC-1 ${controlsOf("set").join(", ")} order, ${
  controlsOf("cancel").join(", ")
} cancel, other codes change nothing |
| Audit Trail and Node Authentication | Secure Application | ITI-20, syslog over TLS | in part: the messages below, with \`SULCUS_SYSLOG_DICOM\`; TLS of both sides for DICOM where it is set up |

Messages that are acknowledged and change nothing: ${
  eventsOf("ignore").map((event) => `ADT^${event}`).join(", ")
}. Other types and events are refused.

### Results

| Kind of the profile | Sent | Holds |
| --- | --- | --- |
${results}

### Audit messages

DICOM PS3.15 A.5, one for each entry of the audit log. The study is named by its UID and the patient by the ID, while the study is not deleted.

| Code | Event | Action | Entries |
| --- | --- | --- | --- |
${auditRows()}
`;
