// covers: S-131
import assert from "node:assert/strict";
import { MAX_LINK_CHARS, readInvokeLink, readStudyLink } from "@/model/launch/launch_link.ts";

const problemOf = (search: string) => {
  const link = readInvokeLink(search);
  return "problem" in link ? `${link.problem.reason} ${link.problem.field}` : "none";
};
const requestOf = (search: string) => {
  const link = readInvokeLink(search);
  assert.ok("request" in link, search);
  return link;
};

Deno.test("readInvokeLink() reads studies by UID and accession number, and which page shows them", () => {
  const byUid = requestOf(
    "?requestType=STUDY&studyUID=1.2.3,1.2.4&patientID=P-1&viewerType=IHE_BIR",
  );
  assert.deepEqual(byUid.request.study_uids, ["1.2.3", "1.2.4"]);
  assert.equal(byUid.request.patient_id, "P-1");
  assert.equal(byUid.target, "viewer");
  const byNumber = requestOf("?requestType=STUDY&accessionNumber=A%2F12%203&viewerType=REPORT");
  assert.deepEqual(byNumber.request.accession_numbers, ["A/12 3"]);
  assert.equal(byNumber.request.patient_id, null);
  assert.equal(byNumber.target, "report");
  // the other of the two comes empty out of a template
  assert.deepEqual(
    requestOf("?requestType=STUDY&studyUID=1.2.3&accessionNumber=").request.accession_numbers,
    [],
  );
});

Deno.test("readInvokeLink() reads a patient, with the ID of an HL7 CX, days and a number of results", () => {
  const { request } = requestOf(
    "?requestType=PATIENT&patientID=4711%5E%5E%5EHOSP%261.2.3%26ISO&patientName=Doe%5EJane" +
      "&patientBirthDate=19600520&lowerDateTime=2020-01-02T08%3A00%3A00%2B09%3A00&upperDateTime=20260131" +
      "&mostRecentResults=2&modalitiesInStudy=MR,CT&keyImagesOnly=true",
  );
  assert.deepEqual(request, {
    study_uids: [],
    accession_numbers: [],
    patient_id: "4711",
    birth_date: "1960-05-20",
    date_from: "2020-01-02",
    date_to: "2026-01-31",
    most_recent: 2,
    modalities: ["MR", "CT"],
  });
  assert.equal(requestOf("?requestType=PATIENT&patientID=%EA%B0%80-1").request.patient_id, "가-1");
});

Deno.test("readInvokeLink() names the parameter that is missing, repeated or no value of its kind", () => {
  const study = "?requestType=STUDY&studyUID=1.2.3", patient = "?requestType=PATIENT&patientID=P-1";
  const cases: [string, string][] = [
    ["", "missing requestType"],
    ["?requestType=SERIES&studyUID=1.2.3", "invalid requestType"],
    ["?requestType=STUDY", "missing studyUID"],
    ["?requestType=STUDY&patientID=P-1", "missing studyUID"],
    ["?requestType=PATIENT", "missing patientID"],
    ["?requestType=PATIENT&studyUID=1.2.3", "missing patientID"],
    [`${study}&patientID=`, "missing patientID"],
    [`${study}&patientID=%20`, "missing patientID"],
    [`${study}&patientID=%5E%5E%5EHOSP`, "invalid patientID"],
    [`${study}&studyUID=1.2.3`, "repeated studyUID"],
    [`${study}&patientID=P-1&patientID=P-2`, "repeated patientID"],
    ["?requestType=STUDY&studyUID=1.2.3x", "invalid studyUID"],
    ["?requestType=STUDY&studyUID=1.2%252E3", "invalid studyUID"],
    ["?requestType=STUDY&studyUID=1..2", "invalid studyUID"],
    [`?requestType=STUDY&studyUID=${"1".repeat(65)}`, "invalid studyUID"],
    [`?requestType=STUDY&studyUID=${"1,".repeat(20)}x`, "invalid studyUID"],
    [`?requestType=STUDY&studyUID=${Array.from({ length: 21 }, (_, n) => n)}`, "invalid studyUID"],
    ["?requestType=STUDY&studyUID=1.2.3%00", "invalid studyUID"],
    ["?requestType=STUDY&accessionNumber=A*", "invalid accessionNumber"],
    ["?requestType=STUDY&accessionNumber=A%5CB", "invalid accessionNumber"],
    [`?requestType=STUDY&accessionNumber=${"A".repeat(65)}`, "invalid accessionNumber"],
    ["?requestType=STUDY&accessionNumber=A,,B", "invalid accessionNumber"],
    ["?requestType=PATIENT&patientID=%FF%FE", "invalid patientID"],
    ["?requestType=PATIENT&patientID=P%0D%0Aset-cookie", "invalid patientID"],
    [`?requestType=PATIENT&patientID=${"P".repeat(65)}`, "invalid patientID"],
    [`${patient}&patientBirthDate=19600231`, "invalid patientBirthDate"],
    [`${patient}&lowerDateTime=yesterday`, "invalid lowerDateTime"],
    [`${patient}&mostRecentResults=0`, "invalid mostRecentResults"],
    [`${patient}&mostRecentResults=1e3`, "invalid mostRecentResults"],
    [`${patient}&modalitiesInStudy=mr`, "invalid modalitiesInStudy"],
    [`${patient}&viewerType=javascript:alert(1)`, "invalid viewerType"],
    [`${patient}&viewerType=toString`, "invalid viewerType"],
    [`${study}&patientID=P-1&PatientId=P-2`, "repeated patientID"],
    [`${study}&patientid=`, "missing patientID"],
    [`${patient}&x=${"x".repeat(MAX_LINK_CHARS)}`, "too_long "],
  ];
  for (const [search, problem] of cases) assert.equal(problemOf(search), problem, search);
  assert.equal(problemOf(study), "none");
  assert.equal(problemOf(patient), "none");
});

Deno.test("readStudyLink() reads ?study=UID, and no link where none is named", () => {
  assert.equal(readStudyLink("", "viewer"), null);
  assert.equal(readStudyLink("?language=ko", "report"), null);
  const link = readStudyLink("?study=1.2.3&patientID=P-1", "report");
  assert.ok(link && "request" in link);
  assert.deepEqual([link.request.study_uids, link.request.patient_id], [["1.2.3"], "P-1"]);
  assert.equal(link.target, "report");
  for (const search of ["?study=", "?study=x", "?study=1&study=2"]) {
    assert.ok("problem" in readStudyLink(search, "viewer")!, search);
  }
});

Deno.test("a parameter in another spelling is no missing one: its patient must still agree", () => {
  for (const name of ["patientid", "PatientID", "PATIENTID"]) {
    const invoked = readInvokeLink(`?REQUESTTYPE=STUDY&accessionnumber=A-1&${name}=P-1`);
    const named = readStudyLink(`?Study=1.2.3&${name}=P-1`, "viewer");
    for (const link of [invoked, named]) {
      assert.equal(link && "request" in link ? link.request.patient_id : null, "P-1", name);
    }
  }
  const born = readStudyLink("?study=1.2.3&patientBirthDate=19600520", "viewer");
  assert.equal(born && "request" in born ? born.request.birth_date : null, "1960-05-20");
});

Deno.test("a study behind any number of other characters is too long, and not absent", () => {
  const long = readStudyLink(`?x=${"x".repeat(MAX_LINK_CHARS)}&study=1.2.3`, "viewer");
  assert.deepEqual(long, { problem: { reason: "too_long", field: "" } });
});
