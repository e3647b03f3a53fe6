// covers: S-121
import assert from "node:assert/strict";
import { code, LEFT } from "@/server/core/dicom/write/codes.ts";
import { diagnosticReport } from "@/server/core/connections/service/fhir_resources.ts";
import { acknowledged, oruMessage } from "@/server/core/connections/service/messages.ts";
import type { ReportedStudy } from "@/server/core/connections/service/reported_study.ts";

const STUDY: ReportedStudy = {
  studyUid: "1.2.3",
  identity: {
    PatientID: "P|1^2",
    PatientName: "Hong^Gildong=洪^吉洞",
    PatientBirthDate: "19600520",
    PatientSex: "F",
    AccessionNumber: "ACC-7",
    StudyDate: "20260105",
  },
  finishedAt: "2026-01-06T10:11:12.000Z",
  status: "preliminary",
  pid: 1,
  measures: [{
    name: "Hippocampus, left",
    ml: 3.14159,
    site: code("SCT", "5366008", "Hippocampus"),
    side: LEFT,
  }],
  regions: [],
  comment: ["Automatic comment (not confirmed)", "Low on the left: hippocampus (1.94 mL, <1st)."],
  pdf: new TextEncoder().encode("%PDF-1.7"),
};

Deno.test("oruMessage() keeps patient and accession number, and holds measures and report", () => {
  const segments = oruMessage(STUDY, "SULCUS").split("\r"),
    of = (name: string) =>
      segments.filter((one) => one.startsWith(`${name}|`)).map((one) => one.split("|"));
  const [msh] = of("MSH"),
    [pid] = of("PID"),
    [obr] = of("OBR"),
    [measure, label, comment, report] = of("OBX");
  // the separator itself is the first field of MSH
  assert.deepEqual([msh![8], msh![11], msh![6]], ["ORU^R01^ORU_R01", "2.5", "20260106101112"]);
  assert.deepEqual([pid![3], pid![5], pid![7], pid![8]], [
    "P\\F\\1\\S\\2",
    "Hong^Gildong",
    "19600520",
    "F",
  ]);
  assert.deepEqual([obr![2], obr![3], obr![18], obr![7], obr![25]], [
    "ACC-7",
    "ACC-7",
    "ACC-7",
    "20260105",
    "P",
  ]);
  assert.deepEqual([measure![2], measure![5], measure![11]], ["NM", "3.14", "P"]);
  assert.deepEqual([label![2], label![3]!.split("^")[0], label![4], label![5]], [
    "TX",
    "19005-8",
    "1",
    STUDY.comment[0],
  ]);
  assert.deepEqual([comment![4], comment![5], comment![11]], ["2", STUDY.comment[1], "P"]);
  assert.deepEqual(of("OBX").map(([, number]) => number), ["1", "2", "3", "4"]);
  assert.equal(report![5]!.split("^")[4], btoa("%PDF-1.7"));
  assert.equal(oruMessage(STUDY, "SULCUS"), oruMessage(STUDY, "SULCUS"));
});

Deno.test("no control character of any text comes into a message, whose frame they would end", () => {
  const control = Array.from({ length: 160 }, (_, code) => String.fromCharCode(code))
    .filter((sign) => /\p{Cc}/u.test(sign)).join("");
  const odd = `A${control}B`,
    identity = Object.fromEntries(Object.keys(STUDY.identity).map((key) => [key, odd]));
  const study = {
    ...STUDY,
    identity: { ...identity, StudyDate: odd },
    studyUid: `1.2${control}.3`,
  };
  const measures = [{ ...STUDY.measures[0]!, name: odd }];
  const message = oruMessage({ ...study, measures }, `SUL${control}CUS`);
  // segments end with CR alone
  assert.doesNotMatch(message.replaceAll("\r", ""), /\p{Cc}/u);
  assert.equal(message.split("\r").length, oruMessage(STUDY, "SULCUS").split("\r").length);
  assert.match(message, /\|A B\|/);
});

Deno.test("each status of results is in every segment and resource of a message", () => {
  const studyOf = (status: ReportedStudy["status"], day: number): ReportedStudy => ({
    ...STUDY,
    status,
    finishedAt: `2026-01-0${day}T08:00:00.000Z`,
  });
  const studies = [
    studyOf("preliminary", 6),
    studyOf("final", 7),
    studyOf("amended", 8),
    studyOf("corrected", 9),
  ];
  const fieldsOf = (study: ReportedStudy) => {
    const segments = oruMessage(study, "SULCUS").split("\r").map((one) => one.split("|"));
    const [msh, obr] = ["MSH", "OBR"].map((name) => segments.find(([first]) => first === name)!);
    const statuses = segments.filter(([name]) => name === "OBX").map((obx) => obx[11]);
    return { control: msh![9], statuses: [obr![25], ...statuses].join("") };
  };
  const fields = studies.map(fieldsOf);
  assert.deepEqual(fields.map(({ statuses }) => statuses), ["PPPPP", "FFFFF", "CCCCC", "CCCCC"]);
  assert.equal(new Set(fields.map(({ control }) => control)).size, studies.length);
  const reports = studies.map(diagnosticReport);
  assert.equal(new Set(reports.map(({ identifier }) => identifier)).size, studies.length);
  for (const [at, { resource }] of reports.entries()) {
    const { status } = studies[at]!;
    const contained = resource.contained as { resourceType: string; status?: string }[];
    const observation = contained.find(({ resourceType }) => resourceType === "Observation")!;
    const imaging = contained.find(({ resourceType }) => resourceType === "ImagingStudy")!;
    assert.deepEqual([resource.status, observation.status], [status, status]);
    // the images are there, whether or not the results are signed
    assert.equal(imaging.status, "available");
  }
});

Deno.test("acknowledged() takes AA and CA, and says why else", () => {
  assert.equal(acknowledged("MSH|^~\\&|HIS\rMSA|AA|1\r"), null);
  assert.equal(acknowledged("MSH|^~\\&|HIS\rMSA|CA|1\r"), null);
  assert.match(
    acknowledged("MSH|^~\\&|HIS\rMSA|AE|1|unknown patient\rERR|^^^207\r")!,
    /AE unknown patient ERR/,
  );
  assert.equal(acknowledged("HTTP/1.1 400"), "no MSA");
});

Deno.test("diagnosticReport() has what R4 requires, and refers to nothing that is not there", () => {
  const { identifier, resource } = diagnosticReport(STUDY), text = JSON.stringify(resource);
  assert.equal(resource.resourceType, "DiagnosticReport");
  assert.equal(resource.conclusion, STUDY.comment.join(" "));
  assert.ok(text.includes(identifier) && text.includes("urn:oid:1.2.3") && text.includes("ACC-7"));
  const contained = (resource.contained as { id: string; status?: string }[]).map(({ id }) =>
    `#${id}`
  );
  for (const [, reference] of text.matchAll(/"reference":"(#[^"]+)"/g)) {
    assert.ok(contained.includes(reference!));
  }
});
