// covers: S-221
import assert from "node:assert/strict";
import {
  type ContextEvent,
  readHubMessage,
  refusalEvent,
  requestOfContext,
  studyEvent,
} from "@/model/launch/hub_message.ts";
import { Random } from "@/model/random.ts";

const NOW = Date.parse("2026-01-05T08:00:00Z");
const typed = (code: string, value: string) => ({ type: { coding: [{ code }] }, value });
const UID = { system: "urn:dicom:uid", value: "urn:oid:1.2.3" };

function messageOf(
  name: string,
  patient: unknown[] | null,
  study: unknown[] | null,
  change: Record<string, unknown> = {},
) {
  const context = [
    ...(patient
      ? [{ key: "patient", resource: { resourceType: "Patient", identifier: patient } }]
      : []),
    ...(study
      ? [{ key: "study", resource: { resourceType: "ImagingStudy", identifier: study } }]
      : []),
  ];
  const event = { "hub.topic": "t", "hub.event": name, context };
  return JSON.stringify({ id: "1", timestamp: "2026-01-05T08:00:00Z", event, ...change });
}
function eventOf(text: string): ContextEvent {
  const message = readHubMessage(text);
  assert.ok(message.kind === "event", text);
  return message.event;
}

Deno.test("readHubMessage() reads study and patient, and events in any spelling", () => {
  const text = messageOf("imagingstudy-OPEN", [typed("MR", " P-1 ")], [UID, typed("ACSN", "A-1")]);
  assert.deepEqual(eventOf(text), {
    id: "1",
    name: "ImagingStudy-open",
    stamp: "2026-01-05T08:00:00Z",
    subject: { patientId: "P-1", birthDate: null, studyUid: "1.2.3", accessionNumber: "A-1" },
  });
  const patient = messageOf("Patient-close", [{ value: "가-1" }], null);
  assert.equal(eventOf(patient).subject.patientId, "가-1");
  // the clock of the other application does not matter
  for (const timestamp of ["2036-01-05T08:00:00Z", "2026", "", 7, null, undefined]) {
    const other = messageOf("Patient-open", [{ value: "P" }], null, { timestamp });
    assert.equal(eventOf(other).subject.patientId, "P");
  }
});

Deno.test("readHubMessage() takes no identifier that could be another patient's or study's", () => {
  const patientIdOf = (...identifiers: unknown[]) =>
    eventOf(messageOf("ImagingStudy-open", identifiers, [UID])).subject.patientId;
  assert.equal(patientIdOf(typed("MR", "P-1"), typed("SS", "9")), "P-1");
  for (
    const identifiers of [
      [],
      [{}],
      [typed("MR", "P-1"), typed("MR", "P-2")],
      [{ value: "P-1" }, { value: "P-2" }],
      [{ value: "P*" }],
      [{ value: "P\\1" }],
      [{ value: "P\n1" }],
      [{ value: "P".repeat(65) }],
      [typed("MR", ""), typed("SS", "9")],
    ]
  ) assert.equal(patientIdOf(...identifiers), null, JSON.stringify(identifiers));
  const uidOf = (...identifiers: unknown[]) =>
    eventOf(messageOf("ImagingStudy-open", [{ value: "P" }], identifiers)).subject.studyUid;
  assert.equal(uidOf(UID, UID), "1.2.3");
  for (
    const identifiers of [
      [],
      [UID, { ...UID, value: "urn:oid:1.2.4" }],
      [{ ...UID, value: "1.2.3" }],
      [{ ...UID, value: "urn:oid:1..3" }],
      [{ ...UID, value: `urn:oid:${"1".repeat(65)}` }],
      [{ ...UID, system: "urn:other" }],
    ]
  ) assert.equal(uidOf(...identifiers), null, JSON.stringify(identifiers));
});

Deno.test("requestOfContext() needs a patient, and for a study its UID or accession number", () => {
  const requestOf = (name: string, patient: unknown[], study: unknown[] | null) =>
    requestOfContext(eventOf(messageOf(name, patient, study)));
  const request = requestOf("ImagingStudy-open", [{ value: "P-1" }], [UID]);
  assert.deepEqual([request?.study_uids, request?.patient_id], [["1.2.3"], "P-1"]);
  assert.equal(requestOf("ImagingStudy-open", [], [UID]), null);
  assert.equal(requestOf("ImagingStudy-open", [{ value: "P-1" }], []), null);
  assert.equal(requestOf("Patient-open", [{ value: "P-1" }], null)?.patient_id, "P-1");
});

Deno.test("readHubMessage() refuses what is no event, and takes anything without an error", () => {
  const many = Array.from({ length: 21 }, () => ({ value: "P" }));
  const unreadable = (kind: string) => [
    messageOf(`Patient-${kind}`, null, null),
    messageOf(`ImagingStudy-${kind}`, [{ value: "P" }], null),
    messageOf(`Patient-${kind}`, many, null),
    messageOf(`Patient-${kind}`, [{ value: 7 }], null),
  ];
  for (const text of unreadable("close")) {
    assert.deepEqual(readHubMessage(text), { kind: "invalid", id: "1" }, text);
  }
  // the other application shows a different study, and the user must be informed of this
  for (const text of unreadable("open")) {
    assert.equal(requestOfContext(eventOf(text)), null, text);
  }
  assert.deepEqual(readHubMessage("{"), { kind: "invalid", id: null });
  const random = new Random(68), whole = unreadable("open")[0]!;
  for (let n = 0; n < 5000; n++) {
    const at = Math.floor(random.uniform() * whole.length);
    const code = String.fromCharCode(Math.floor(random.uniform() * 256));
    readHubMessage(whole.slice(0, at) + code + whole.slice(at + 1));
  }
});

Deno.test("studyEvent() and refusalEvent() are read back as they were meant", () => {
  const facts = { id: "7", topic: "t", nowMs: NOW };
  const study = {
    pid: 3,
    studyUid: "1.2.3",
    patientId: "P-1",
    birthDate: "1960-05-20",
    accessionNumbers: ["A-1"],
  };
  const event = eventOf(JSON.stringify(studyEvent("ImagingStudy-open", facts, study)));
  assert.deepEqual(event.subject, {
    patientId: "P-1",
    birthDate: "1960-05-20",
    studyUid: "1.2.3",
    accessionNumber: "A-1",
  });
  const refusal = readHubMessage(JSON.stringify(refusalEvent(event, { ...facts, id: "8" })));
  assert.deepEqual(refusal, { kind: "other", topic: "t", id: "8" });
});
