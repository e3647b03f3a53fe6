// covers: S-131
import assert from "node:assert/strict";
import { randomOf } from "@/tests/sites/connections/random_messages.ts";
import {
  MAX_LINK_CHARS,
  readInvokeLink,
  readNumberedLink,
  readStudyLink,
  withoutLink,
} from "@/model/launch/launch_link.ts";
import { readPatientId } from "@/model/launch/linked_patient_id.ts";
import { INVOKE_NAMES, nameReading, STUDY_NAMES } from "@/model/launch/link_names.ts";

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
  // link templates of other systems contain both parameters, and leave one of them empty
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
    patient_id: "4711^^^HOSP&1.2.3&ISO",
    pid: null,
    birth_date: "1960-05-20",
    date_from: "2020-01-02",
    date_to: "2026-01-31",
    most_recent: 2,
    modalities: ["MR", "CT"],
  });
  assert.equal(requestOf("?requestType=PATIENT&patientID=%EA%B0%80-1").request.patient_id, "가-1");
});

Deno.test("readInvokeLink() reads the values of the other request type, too", () => {
  const all = "&patientID=P-1&patientBirthDate=19600520&studyUID=1.2.3&accessionNumber=A-1" +
    "&lowerDateTime=20200102&upperDateTime=20260131&modalitiesInStudy=MR&mostRecentResults=2";
  const ofPatient = requestOf(`?requestType=PATIENT${all}`).request;
  assert.deepEqual(ofPatient, {
    study_uids: ["1.2.3"],
    accession_numbers: ["A-1"],
    patient_id: "P-1",
    pid: null,
    birth_date: "1960-05-20",
    date_from: "2020-01-02",
    date_to: "2026-01-31",
    most_recent: 2,
    modalities: ["MR"],
  });
  // the number of results says nothing about a named study
  const ofStudy = requestOf(`?requestType=STUDY${all}`).request;
  assert.deepEqual(ofStudy, { ...ofPatient, most_recent: null });
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
    [`${patient}&lowerDateTime=20200102&upperDateTime=20200101`, "reversed lowerDateTime"],
    [`?requestType=PATIENT&patientID=${"P".repeat(65)}%5E%5E%5EHOSP`, "invalid patientID"],
    [`?requestType=PATIENT&patientID=P%5E%5E%5E${"H".repeat(250)}`, "invalid patientID"],
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

Deno.test("a patient ID is read as sent, and without an assigning authority", () => {
  const readings: [string, string[], string, string[]?][] = [
    ["P-1", ["P-1"], "P-1"],
    ["X^1", ["X^1"], "X"],
    ["X^^^", ["X^^^"], "X"],
    ["X^1^M11^HOSP", ["X^1^M11^HOSP"], "X"],
    [" X^^^HOSP&1.2.3&ISO^PI ", ["X^^^HOSP&1.2.3&ISO^PI", "X"], "X", ["HOSP", "1.2.3"]],
    ["X^1^^^HOSP", ["X^1^^^HOSP", "X^1"], "X", ["HOSP"]],
    ["X^^^&1.2.3&ISO", ["X^^^&1.2.3&ISO", "X"], "X", ["1.2.3"]],
  ];
  for (const [text, ids, part, authorities = []] of readings) {
    assert.deepEqual(readPatientId(text), { ids, part, authorities });
  }
  for (const text of ["", " ", "^^^HOSP", "^1", "P".repeat(65)]) {
    assert.equal(readPatientId(text), null, text);
  }
});

Deno.test("readStudyLink() without a study reads the accession number or the patient", () => {
  for (const target of ["viewer", "report"] as const) {
    const requestsOf = (search: string) => {
      const link = readStudyLink(search, target);
      assert.ok(link && "request" in link, search);
      assert.equal(link.target, target);
      const { study_uids, accession_numbers, patient_id } = link.request;
      return [study_uids, accession_numbers, patient_id];
    };
    assert.deepEqual(requestsOf("?patientID=P-1&patientBirthDate=19600520"), [[], [], "P-1"]);
    assert.deepEqual(requestsOf("?accessionNumber=A-1&patientID=P-1"), [[], ["A-1"], "P-1"]);
    assert.deepEqual(requestsOf("?accessionNumber=A-1&tab=t1"), [[], ["A-1"], null]);
    const missing: [string, string][] = [
      ["?patientBirthDate=19600520", "study"],
      // a template that was not filled in
      ["?study=&patientID=P-1", "study"],
      ["?study=&accessionNumber=A-1", "study"],
      ["?accessionNumber=&patientID=P-1", "accessionNumber"],
      ["?accessionNumber=", "accessionNumber"],
      ["?patientID=", "patientID"],
    ];
    for (const [search, field] of missing) {
      const problem = { reason: "missing", field };
      assert.deepEqual(readStudyLink(search, target), { problem }, search);
    }
  }
});

Deno.test("a refused parameter is quoted as sent, and never with a value", () => {
  const link = (search: string) => {
    const read = readStudyLink(`?study=1.2.3&${search}`, "viewer");
    assert.ok(read && "problem" in read, search);
    const { reason, field, sent } = read.problem;
    return [reason, sent ?? field];
  };
  assert.deepEqual(link("PID-3=P-2"), ["unsupported", "PID-3"]);
  assert.deepEqual(link(`accessionNumber=${encodeURIComponent("ACC3' OR 1=1")}`), [
    "unsupported",
    "ACC3' OR 1",
  ]);
  assert.deepEqual(link("amp;patientID=P-2"), ["misspelled", "amp;patientID"]);
  assert.deepEqual(link("patient%20ID%3DP-2=1"), ["misspelled", "patient ID"]);
  assert.deepEqual(link("mrn%0A%E2%80%8B=P-2"), ["unsupported", "mrn"]);
  assert.equal(link(`${"x".repeat(60)};mrn=P-2`)[1], `${"x".repeat(40)}…`);
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

const isRefusedFor = (link: ReturnType<typeof readStudyLink>, name: string, sent: string) => {
  assert.ok(link && "problem" in link, `${sent} is ignored`);
  assert.ok(["misspelled", "unsupported", "repeated"].includes(link.problem.reason), sent);
  assert.equal(link.problem.field.toLowerCase(), name.toLowerCase(), sent);
};

Deno.test("a name that a template spoilt is refused by name, and never ignored", () => {
  const spoilt: [string, string][] = [
    ["amp;patientID", "patientID"],
    ["amp;amp;patientID", "patientID"],
    ["#38;patientID", "patientID"],
    ["quot;patientID", "patientID"],
    ["patientID[]", "patientID"],
    ["launch[patientID]", "patientID"],
    [" patientID", "patientID"],
    ["PatientId ", "patientID"],
    ["patient_id", "patientID"],
    ["patient-ID", "patientID"],
    ["patientid2", "patientID"],
    ["patinetID", "patientID"],
    ["patient", "patientID"],
    ["%70atientID", "patientID"],
    ["\u200bpatientID", "patientID"],
    ["ｐａｔｉｅｎｔＩＤ", "patientID"],
    ["\u0440atientID", "patientID"],
    ["?patientID", "patientID"],
    ["patientID=P-2", "patientID"],
    ["x;patientID", "patientID"],
    ["patient_birthdate", "patientBirthDate"],
    ["PatientsBirthDate", "patientBirthDate"],
  ];
  for (const [sent, name] of spoilt) {
    const parameter = `${encodeURIComponent(sent)}=P-2`;
    isRefusedFor(readStudyLink(`?study=1.2.3&${parameter}`, "viewer"), name, sent);
    isRefusedFor(
      readInvokeLink(`?requestType=STUDY&studyUID=1.2.3&${parameter}`),
      name,
      sent,
    );
  }
  const others: [string, string][] = [
    ["accession_number=A-1", "accessionNumber"],
    ["accesionNumber=A-1", "accessionNumber"],
    ["studyUID[]=1.2.4", "studyUID"],
    ["study=1.2.4", "study"],
    ["mostRecentResult=1", "mostRecentResults"],
    ["viewer_type=REPORT", "viewerType"],
    ["patientName=Doe;patientID=P-2", "patientID"],
    ["accessionNumber=A-1;patientID=P-2", "patientID"],
    ["accessionNumber=A-1%26amp%3BpatientID=P-2", "patientID"],
    ["x=1;patientID=P-2", "patientID"],
  ];
  for (const [parameter, name] of others) {
    const search = `?requestType=STUDY&studyUID=1.2.3&${parameter}`;
    isRefusedFor(readInvokeLink(search), name, parameter);
  }
  isRefusedFor(readStudyLink("?amp;study=1.2.3", "viewer"), "study", "amp;study");
});

Deno.test("a parameter that is clearly something else has no effect", () => {
  const others = [
    "patientName=Doe^Jane",
    "diagnosticQuality=true",
    "keyImagesOnly=false",
    "patientSex=F",
    "patientAge=70",
    "seriesUID=1.2.3.4",
    "user=kim",
    "token=abc",
    "language=ko",
    "timestamp=20260101",
    "returnUrl=https://ris.test/list?patientID=P-2;study=2",
    "%FF=1",
    "%25zz=1",
    "toString=1",
    "__proto__=1",
    "=1",
  ];
  for (const parameter of others) {
    assert.equal(problemOf(`?requestType=STUDY&studyUID=1.2.3&${parameter}`), "none", parameter);
    const link = readStudyLink(`?study=1.2.3&${parameter}`, "viewer");
    assert.ok(link && "request" in link, parameter);
  }
});

/** A parameter name with errors that systems make: case, escapes, brackets, spaces, two letters. */
function spoiltName(name: string, random: (n: number) => number): string {
  const letters = [...name].map((each) => random(2) ? each.toLowerCase() : each.toUpperCase());
  const marks = ["", "_", "-", " ", ".", "\u200b", "\t", "1"];
  for (let n = random(3); n > 0; n--) {
    letters.splice(random(letters.length + 1), 0, marks[random(8)]!);
  }
  const text = letters.join("");
  const wrapped = [text, `amp;${text}`, `amp;amp;${text}`, `${text}[]`, ` ${text} `, `[${text}]`];
  return wrapped[random(wrapped.length)]!;
}
function withEdits(name: string, edits: number, random: (n: number) => number): string {
  const letters = [...name];
  for (; edits > 0; edits--) {
    const at = random(letters.length), letter = String.fromCharCode(97 + random(26));
    letters.splice(at, random(2), ...(random(2) ? [letter] : []));
  }
  return letters.join("");
}

/** A name of two other letters that other systems send for something else. */
const isParentId = (sent: string): boolean =>
  ["parentid", "paymentid"].includes(sent.toLowerCase().replaceAll(/amp;|[^a-z]/g, ""));

Deno.test("10,000 spoilt names of the patient's ID and birth date never open another patient", () => {
  const random = randomOf(45);
  for (let n = 0; n < 10_000; n++) {
    const [name, value] = ([["patientID", "P-2"], ["patientBirthDate", "19600520"]] as const)[
      random(2)
    ]!;
    const sent = spoiltName(withEdits(name, random(3), random), random);
    if (isParentId(sent)) continue;
    const parameter = `${encodeURIComponent(sent)}=${value}`;
    for (
      const link of [
        readStudyLink(`?study=1.2.3&${parameter}`, "viewer"),
        readInvokeLink(`?requestType=STUDY&studyUID=1.2.3&${parameter}`),
        readInvokeLink(`?${parameter}&accessionNumber=A-1&requestType=STUDY`),
      ]
    ) {
      if (link && "request" in link) {
        const { patient_id, birth_date } = link.request;
        assert.ok(patient_id === "P-2" || birth_date === "1960-05-20", JSON.stringify(sent));
      } else assert.equal(link!.problem.use ?? link!.problem.field, name, JSON.stringify(sent));
    }
  }
});

Deno.test("a name of another product for the patient or study is refused with the name to use", () => {
  const meant: Record<string, string[]> = {
    patientID: [
      ...[
        "mrn",
        "MRN",
        "patientMRN",
        "pat_mrn",
        "medicalRecordNumber",
        "mpi",
        "eMPI",
        "pid",
        "ptid",
      ],
      ...["pat_id", "patID", "PATNO", "pt_no", "patientNo", "patient_number", "patientIdentifier"],
      ...["patientUID", "patientPK", "patientKey", "inpatientID", "outpatientNo", "chartNo"],
      ...[
        "subjectID",
        "hospitalNumber",
        "nhs_number",
        "launch[mrn]",
        "amp;mrn",
        "x;pid",
        "mrn=P-2",
      ],
    ],
    patientBirthDate: ["birthDate", "birth_date", "dob", "patientDOB", "pat_dob", "dateOfBirth"],
    accessionNumber: [
      ...["accession", "accno", "acc_no", "accnum", "accessionNo", "accession_nr", "ACSN"],
    ],
    studyUID: [
      "StudyInstanceUID",
      "StudyInstanceUIDs",
      "study_iuid",
      "suid",
      "studyGUID",
      "studies",
    ],
  };
  for (const [use, names] of Object.entries(meant)) {
    for (const sent of names) {
      const parameter = `${encodeURIComponent(sent)}=P-2`,
        ofPage = use.replace("studyUID", "study");
      const links = [
        [readInvokeLink(`?requestType=STUDY&studyUID=1.2.3&${parameter}`), use],
        [readStudyLink(`?study=1.2.3&${parameter}`, "viewer"), ofPage],
        [readNumberedLink(`?tab=t1&${parameter}`, "1", "report"), ofPage],
        [readNumberedLink(`?user=kim;${parameter}`, "1", "viewer"), ofPage],
      ] as const;
      for (const [link, name] of links) {
        assert.ok(link && "problem" in link, `${sent} is ignored`);
        const { reason, use } = link.problem;
        assert.deepEqual([reason, use], ["unsupported", name], sent);
        // as sent, without a value or another parameter that a system joined to the name
        const { field } = link.problem, ofName = sent.split("=")[0]!;
        assert.ok(ofName.endsWith(field) && /[a-z]/i.test(field), `${field} for ${sent}`);
      }
    }
  }
  const named = readStudyLink("?StudyInstanceUIDs=1.2.3&patientID=P-1", "viewer");
  const problem = { reason: "unsupported", field: "StudyInstanceUIDs", use: "study" };
  assert.deepEqual(named, { problem });
  const byUid = readStudyLink("?studyUID=1.2.3", "report");
  assert.deepEqual(byUid, { problem: { ...problem, field: "studyUID" } });
  const invoked = readInvokeLink("?requestType=STUDY&study=1.2.3");
  assert.deepEqual(invoked, { problem: { ...problem, field: "study", use: "studyUID" } });
});

Deno.test("ordinary parameters of other systems have no effect", () => {
  const names = [
    ...["studyID", "StudyID", "study_id", "studyURL", "studyDate", "studyTime", "studyDescription"],
    ...[
      "studyStatus",
      "studyType",
      "studyKey",
      "seriesUID",
      "seriesID",
      "SOPInstanceUID",
      "examID",
    ],
    ...["parentId", "parent_id", "amp;parentId", "paymentId", "parentID", "clientId", "agentId"],
    ...["patientName", "patientSex", "patientAge", "patientBirthName", "patientBirthPlace"],
    ...[
      "patientClass",
      "patientType",
      "patientLocation",
      "patientBed",
      "patientWard",
      "patientZip",
    ],
    ...["patientID.issuer", "patientID_issuer", "issuerOfPatientID", "issuer_of_patientid"],
    ...["patientIDType", "TypeOfPatientID", "assigningAuthority", "other_patientids", "issuer"],
    ...["PatientIdentityRemoved", "showPatientID", "issuerOfAccessionNumber", "admissionNumber"],
    ...[
      "orderNumber",
      "placerOrderNumber",
      "visitNumber",
      "encounterId",
      "accountNumber",
      "episode",
    ],
    ...["requestTime", "requestDate", "requestId", "viewType", "viewMode", "viewer", "modality"],
    ...[
      "user",
      "userId",
      "userName",
      "login",
      "password",
      "token",
      "access_token",
      "session",
      "sid",
    ],
    ...["state", "code", "scope", "iss", "launch", "aud", "client_id", "redirect_uri", "nonce"],
    ...["returnUrl", "callback", "referrer", "lang", "locale", "theme", "time", "timestamp", "key"],
    ...[
      "signature",
      "hash",
      "cmd",
      "action",
      "mode",
      "layout",
      "hp",
      "monitor",
      "window",
      "v",
      "_",
    ],
    ...["hospital", "hospitalId", "hospitalName", "institution", "department", "physician", "role"],
    ...["title", "id", "uid", "name", "type", "date", "sex", "gender", "age", "status", "source"],
    ...[
      "utm_source",
      "gclid",
      "fbclid",
      "requestor",
      "priority",
      "comment",
      "reason",
      "process_id",
    ],
  ];
  for (const name of names) {
    const parameter = `${encodeURIComponent(name)}=7`;
    assert.equal(problemOf(`?requestType=STUDY&studyUID=1.2.3&${parameter}`), "none", name);
    const link = readStudyLink(`?study=1.2.3&${parameter}`, "viewer");
    assert.ok(link && "request" in link, name);
    assert.equal(readNumberedLink(`?${parameter}`, "1", "viewer"), null, name);
    assert.equal(withoutLink(`?${parameter}`), `?${parameter}`);
    const inValue = `state=${encodeURIComponent(`a&${name}=7`)}`;
    assert.equal(problemOf(`?requestType=STUDY&studyUID=1.2.3&${inValue}`), "none", inValue);
  }
  const addresses = [
    "https://ris.test/list?patientID=P-2;study=2",
    "/list?patientID=P-2",
    "list.aspx?patientID=P-2&mrn=P-2",
    "https%3A%2F%2Fris.test%2Flist%3Fmrn%3DP-2",
  ];
  for (const address of addresses) {
    const search = `?returnUrl=${encodeURIComponent(address)}`;
    assert.equal(readNumberedLink(search, "1", "viewer"), null, address);
  }
});

Deno.test("an accession number beside a study is read on each page", () => {
  const search = "?study=1.2.3&accessionNumber=A-1&patientID=P-1";
  for (const link of [readStudyLink(search, "viewer"), readNumberedLink(search, "1", "report")]) {
    assert.ok(link && "request" in link);
    assert.deepEqual(link.request.accession_numbers, ["A-1"]);
  }
  const alone = readNumberedLink("?accessionNumber=A-1", "1", "viewer");
  assert.ok(alone && "request" in alone);
  assert.deepEqual([alone.request.pid, alone.request.accession_numbers], [1, ["A-1"]]);
});

/** Texts that a faulty template or system puts between two parameters. */
const SEPARATORS = [
  ...["&", "&amp;", "&amp%3B", "%26", "%26amp%3B", "%2526", ";", "%3B", ",", "%2C", "|", "%7C"],
  ...[
    "?",
    "&&",
    "&?",
    "+",
    "%20",
    "%0A",
    "%09",
    "/",
    "%EF%BC%9B",
    "%EF%BC%86",
    "%EF%BC%8C",
    "&#38;",
  ],
];
const OTHER_NAMES = ["mrn", "patientNo", "pat_id", "patientIdentifier", "PID", "patientMRN", "mpi"];
const BESIDE = ["user=kim", "tab=t1", "language=ko", "dept=MR/CT", "parentId=7", "page_list=1,2"];

/** The query of a link with patient P-2, which a faulty template spoilt. */
function spoiltLink(given: readonly string[], random: (n: number) => number): string {
  const equals = ["=", "=", "=", "%3D", "%253D", " = ", "=="][random(7)]!;
  const spoilt = spoiltName(withEdits("patientID", random(3), random), random);
  const name = random(4) === 0 || isParentId(spoilt)
    ? OTHER_NAMES[random(OTHER_NAMES.length)]!
    : spoilt;
  const parameters = [...given, ...BESIDE.filter(() => random(3) === 0)];
  parameters.splice(
    random(parameters.length + 1),
    0,
    encodeURIComponent(name) + equals + "P-2",
    ...random(8) === 0 ? ["patientID=P-1"] : [],
  );
  const separator = SEPARATORS[random(SEPARATORS.length)]!;
  return parameters.reduce(
    (search, each, n) => search + (n === 0 ? "?" : random(2) ? "&" : separator) + each,
    "",
  );
}

Deno.test("no spoilt link with another patient's ID opens a study, on any page", () => {
  const random = randomOf(46), opened: string[] = [];
  for (let n = 0; n < 10_000; n++) {
    const page = random(4), study = "study=1.2.3.1";
    const given = [
      ["requestType=STUDY", "studyUID=1.2.3.1"],
      [study],
      random(2) ? [study] : [],
      random(2) ? ["accessionNumber=A-1"] : [],
    ][page]!;
    const search = spoiltLink(given, random);
    const link = page === 0
      ? readInvokeLink(search)
      : page === 1
      ? readStudyLink(search, "viewer")
      : readNumberedLink(search, "1", page === 2 ? "viewer" : "report");
    // `/viewer` without a study opens none
    const isRefused = link === null ? page === 1 : "problem" in link;
    if (isRefused) continue;
    // the study's patient is P-1: another ID is refused by the comparison with the study
    const id = link !== null && "request" in link ? link.request.patient_id : null;
    if (id === null || id === "P-1") opened.push(search);
  }
  assert.deepEqual(opened, []);
});

Deno.test("all documented names are read, on their page alone", () => {
  for (const names of [INVOKE_NAMES, STUDY_NAMES]) {
    for (const name of names) assert.deepEqual(nameReading(name, names), { kind: "read", name });
  }
});

Deno.test("a query of any length is read in a moment", () => {
  for (
    const part of ["a=1&", "patxxxxID=1&", "accessxxNxmber=1&", "x=1;y=", "x=1,patientID=", "%25"]
  ) {
    const search = `?${part.repeat(32_000 / part.length)}`, start = performance.now();
    for (const link of [readStudyLink(search, "viewer"), readNumberedLink(search, "1", "viewer")]) {
      assert.deepEqual(link, { problem: { reason: "too_long", field: "" } });
    }
    // 0.3 s before the limit; the bound allows for a busy machine
    assert.ok(performance.now() - start < 100, part);
  }
});
