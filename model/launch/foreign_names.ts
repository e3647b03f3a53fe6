// Parameter names of other products in links: names for a patient or study, and unrelated names.
// All patterns and names are in lower case, without characters other than letters.

const NUMBER = "(?:ids?|no|nr|num|number|nbr|identifiers?|identification|uid|guid|oid|key|pk|" +
  "code|ref|reference|sid|mrn|mpi)";
const BIRTH = "(?:dob|birthdate|birthday|birthdt|birth|bdate|dateofbirth|birthdatetime)";

/** Names under which other products send the value of a documented parameter. */
const SYNONYMS: readonly (readonly [documented: string, names: RegExp])[] = [
  ["patientID", new RegExp(`^(?:in|out)?(?:patient|pat|pt|ptnt|subject)${NUMBER}$`)],
  ["patientID", /^(?:pids?|mrn|mrnid|mrno|mrnumber|e?mpi|e?mpiid|uhid|ipp)$/],
  ["patientID", /^(?:medicalrecord|medrec|hospital|hosp|chart|nhs)(?:no|nr|num|number)$/],
  ["patientBirthDate", new RegExp(`^(?:patient|pat|pt)?${BIRTH}$`)],
  ["accessionNumber", /^(?:accessions?|accn|accsn|acsn|acc)(?:no|nr|num|number|nbr)?$/],
  ["accessionNumber", /^accession(?:ids?|code)$/],
  ["studyUID", /^(?:dicom)?study(?:instance)?(?:iuids?|uids?|oid|guid)$/],
  ["studyUID", /^(?:studies|studyinstance|studyinstanceids?|suid|siuid|exam(?:ination)?uid)$/],
];

/**
 * Names that resemble or contain a documented name, and mean something else. `studyID` is the DICOM
 * attribute (0020,0010), which identifies no study; an issuer is not compared.
 */
const UNRELATED: ReadonlySet<string> = new Set([
  ...["studyid", "studyids", "parentid", "parentids", "paymentid"],
  ...["patientbirthname", "patientbed", "patientzip", "patientvip", "patientpic", "patientdir"],
  ...["issuerofpatientid", "issuerofpatientidqualifierssequence", "issuerpatientid"],
  ...["patientidissuer", "patientidauthority", "patientidassigningauthority"],
  ...["patientiddomain", "patientidnamespace", "patientidsystem", "patientidtype"],
  ...["patientidentifiersystem", "patientidentifiertype", "typeofpatientid"],
  ...["otherpatientid", "otherpatientids", "otherpatientidssequence"],
  ...["patientidentityremoved", "showpatientid", "hidepatientid", "displaypatientid"],
  ...["issuerofaccessionnumber", "issuerofaccessionnumbersequence", "accessionnumberissuer"],
]);

/** Documented parameter with the same meaning as a name of another product; `null`: none. */
export const documentedFor = (letters: string): string | null =>
  SYNONYMS.find(([, names]) => names.test(letters))?.[0] ?? null;

export const isUnrelated = (letters: string): boolean => UNRELATED.has(letters);
