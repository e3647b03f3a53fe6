/** DICOMweb searches (QIDO-RS), answered from the database without reading files. */
import { AppError } from "@/model/errors.ts";
import type { JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import {
  columnsOf,
  correctionsOf,
  readAttributes,
  SEX,
} from "@/server/core/connections/service/web/attributes.ts";
import { type WebObject, webObjects } from "@/server/core/connections/service/web/dicomweb.ts";
import { meets, textsOf, uidsOf } from "@/server/core/connections/service/web/matching.ts";
import {
  attributesOfSeries,
  countImages,
  listSearchStudies,
  listStudiesOfUids,
  type SearchStudy,
  STUDIES_AT_ONCE,
  type StudyLookup,
} from "@/server/core/studies/storage/search_studies.ts";
import {
  type EditedRecord,
  withEditsInJson,
} from "@/server/core/studies/service/headers/edited_identity.ts";
import { readReceived } from "@/server/core/studies/storage/patients.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const DEFAULT_LIMIT = 100, MAX_LIMIT = 1000;
/**
 * Default maximum number of series or instances in a search within one study.
 * All are returned, because viewers expect a complete list.
 */
const MAX_OF_STUDY = 100_000;
/** Maximum number of studies in which a search for series or instances looks. */
const MAX_STUDIES = 10;

/** Parameters of a DICOMweb search. */
interface WebQuery {
  /** patterns by keyword or tag, with `*` and `?` as wild cards */
  filters: ReadonlyMap<string, string>;
  /** fuzzy matching of names (PS3.18 §8.3.4.2) in alphabetic, ideographic and phonetic form */
  isFuzzy: boolean;
  /** attributes requested in addition, by tag; `ALL`: every attribute */
  included: readonly string[];
  limit: number;
  /** whether `limit` is this server's: the request contains no limit, or a larger limit */
  isOwnLimit: boolean;
  offset: number;
}

/** Tag of each keyword by which a search can filter. */
const KEYWORDS: Readonly<Record<string, string>> = {
  StudyDate: "00080020",
  StudyTime: "00080030",
  AccessionNumber: "00080050",
  Modality: "00080060",
  ModalitiesInStudy: "00080061",
  PatientName: "00100010",
  PatientID: "00100020",
  StudyInstanceUID: "0020000D",
  SeriesInstanceUID: "0020000E",
  SOPInstanceUID: "00080018",
  SOPClassUID: "00080016",
  SeriesDescription: "0008103E",
  StudyDescription: "00081030",
  ReferringPhysicianName: "00080090",
  PatientBirthDate: "00100030",
  PatientSex: "00100040",
  SeriesNumber: "00200011",
  InstanceNumber: "00200013",
  BodyPartExamined: "00180015",
  Manufacturer: "00080070",
  ProtocolName: "00181030",
  StudyID: "00200010",
};
const STUDY_TAGS = [
  "00080005",
  "00080020",
  "00080030",
  "00080050",
  "00080090",
  "00081030",
  "00100010",
  "00100020",
  "00100030",
  "00100040",
  "0020000D",
  "00200010",
];
const SERIES_TAGS = ["00080060", "0008103E", "0020000E", "00200011", "00080021", "00181030"];
const INSTANCE_TAGS = [
  "00080016",
  "00080018",
  "00200013",
  "00280010",
  "00280011",
  "00280100",
  "00280008",
];

/**
 * Parses the parameters of a search (PS3.18 §8.3.4). @param level Level of the returned objects.
 * @throws {AppError} `input.invalid`.
 */
export function webQuery(parameters: URLSearchParams, level: "studies" | "of_study"): WebQuery {
  const filters = new Map<string, string>(), included: string[] = [];
  const tagOf = (name: string) => KEYWORDS[name] ?? name.toUpperCase();
  const most = level === "studies" ? MAX_LIMIT : MAX_OF_STUDY;
  let limit = level === "studies" ? DEFAULT_LIMIT : most,
    isOwnLimit = true,
    offset = 0,
    isFuzzy = false;
  for (const [name, value] of parameters) {
    // a search parameter without a value is ignored
    if (value === "") continue;
    else if (name === "limit") {
      limit = Number(value);
      isOwnLimit = limit > most;
    } else if (name === "offset") offset = Number(value);
    else if (name === "includefield") included.push(...value.split(",").map(tagOf));
    else if (name === "fuzzymatching") isFuzzy = value === "true";
    else if (name === "accept") continue;
    else filters.set(tagOf(name), value);
  }
  if (![limit, offset].every((one) => Number.isInteger(one) && one >= 0)) {
    throw new AppError("input.invalid", "Cannot search: limit and offset must be whole numbers", {
      field: "limit",
    });
  }
  return { filters, isFuzzy, included, limit: Math.min(limit, most), isOwnLimit, offset };
}

/** Attributes returned for a level (study, series, instance), with additionally requested ones. */
const only = (json: JsonDataSet, tags: readonly string[], { included }: WebQuery): JsonDataSet =>
  included.includes("ALL") ? json : Object.fromEntries(
    [...tags, ...included].filter((tag) => json[tag]).map((tag) => [tag, json[tag]!]),
  );

const counted = (value: number) => ({ vr: "IS", Value: [value] });

/** Record of a study that a search has read, with the identity before edits. */
const recordOf = (study: SearchStudy): EditedRecord => ({
  row: {
    patient_id: study.record_patient_id,
    patient_name: study.record_patient_name,
    patient_birthdate: study.record_birth_date,
    patient_sex: study.record_sex,
    patient_age: study.record_age,
    study_date: study.record_study_date,
    study_date_source: study.study_date_source ?? undefined,
  },
  received: readReceived(study.received_identity),
});

/**
 * Attributes with which a search compares a study, from the images, with the record's corrections.
 * If images are unread or unreadable, from the database row of the study.
 */
function comparedOf(study: SearchStudy): JsonDataSet {
  const several = (text: string | null) => text ? text.split("\\") : [];
  const record = (text: string | null | undefined) => text ? [text] : [];
  const dateOf = (date: string | null) => date?.replaceAll("-", "");
  const accession = several(study.accession_number);
  const columns: [string, readonly unknown[]][] = study.has_attributes === 1
    ? [
      ["00080020", several(study.study_date)],
      ["00080030", several(study.study_time)],
      ["00080090", several(study.referring_physician)],
      ["00081030", several(study.study_description)],
      ["00100010", several(study.patient_name).map(nameOf)],
      ["00100020", several(study.patient_id)],
      ["00100030", several(study.birth_date)],
      ["00100040", several(study.sex)],
      ["00200010", several(study.study_id)],
    ]
    : [
      ["00080020", record(dateOf(study.record_study_date))],
      ["00100010", record(study.record_patient_name).map(nameOf)],
      ["00100020", record(study.record_patient_id)],
      ["00100030", record(dateOf(study.record_birth_date))],
      ["00100040", record(SEX[study.record_sex ?? ""])],
    ];
  const shared: [string, readonly unknown[]][] = [
    ["0020000D", [study.study_uid]],
    // accession number from the modality worklist if the images have none
    ["00080050", accession.join("") === "" ? record(study.record_accession) : accession],
    ["00080061", modalitiesOf(study)],
  ];
  const json = Object.fromEntries(
    [...columns, ...shared].map(([tag, Value]) => [tag, { vr: "", Value: [...Value] }]),
  );
  return study.has_attributes === 1 ? withEditsInJson(json, recordOf(study)) : json;
}

/** A patient's name as DICOM JSON, from component groups separated by `=`. */
function nameOf(text: string): Record<string, string> {
  const [Alphabetic = "", Ideographic = "", Phonetic = ""] = text.split("=");
  return { Alphabetic, ...Ideographic ? { Ideographic } : {}, ...Phonetic ? { Phonetic } : {} };
}

const modalitiesOf = ({ has_results, key_images }: SearchStudy): string[] => [
  "MR",
  ...has_results ? ["DOC", "SR", "SEG", "OT"] : [],
  ...has_results && Number(key_images) > 0 ? ["KO"] : [],
];

/** Search criteria for which the database has an index. */
function lookupOf({ filters }: WebQuery): StudyLookup {
  const plain = (tag: string) => {
    const value = filters.get(tag);
    return value !== undefined && !/[*?]/.test(value) ? value : undefined;
  };
  const uid = filters.get("0020000D"), date = plain("00080020");
  const [, from = "", until = ""] = /^(\d{8})?-(\d{8})?$/.exec(date ?? "") ?? [];
  const isDay = /^\d{8}$/.test(date ?? ""),
    accessionNumber = plain("00080050"),
    patientId = plain("00100020");
  return {
    ...uid ? { studyUids: uidsOf(uid) } : {},
    ...accessionNumber === undefined ? {} : { accessionNumber },
    ...patientId === undefined ? {} : { patientId },
    ...isDay
      ? { studyDate: { from: date!, until: date! } }
      : from || until
      ? { studyDate: { from, until } }
      : {},
  };
}

/** A study as DICOM JSON, for the response to a search. */
async function studyAnswer(
  services: ServiceContext,
  study: SearchStudy,
  query: WebQuery,
): Promise<JsonDataSet> {
  const { db } = services, { pid } = study, images = await countImages(db, pid);
  const stored = study.series_id === null ? null : await attributesOfSeries(db, study.series_id);
  const ofImages = readAttributes(stored);
  const json = ofImages
    ? withEditsInJson(ofImages, recordOf(study))
    : await columnsOf(services, { pid, seriesUid: "", sopUid: "", description: "" });
  const [accession = ""] = textsOf(comparedOf(study), "00080050");
  return {
    ...only(json, STUDY_TAGS, query),
    ...accession && textsOf(json, "00080050").join("") === ""
      ? { "00080050": { vr: "SH", Value: [accession] } }
      : {},
    "0020000D": { vr: "UI", Value: [study.study_uid] },
    // only stored images are counted: generating results for many studies would be slow
    "00080061": { vr: "CS", Value: modalitiesOf(study) },
    "00201206": counted(images.series),
    "00201208": counted(images.instances),
  };
}

/** Studies that match a search, newest first. Reads the database only, no files. */
export async function searchStudies(
  services: ServiceContext,
  query: WebQuery,
): Promise<JsonDataSet[]> {
  const answers: JsonDataSet[] = [], lookup = lookupOf(query), { isFuzzy } = query;
  const hasColumn = ([tag]: [string, string]) => STUDY_TAGS.includes(tag) || tag === "00080061";
  const columns = new Map([...query.filters].filter(hasColumn));
  const otherFilters = new Map([...query.filters].filter((filter) => !hasColumn(filter)));
  let passed = 0;
  for (let lastPid = Number.MAX_SAFE_INTEGER;;) {
    const studies = await listSearchStudies(services.db, lookup, lastPid);
    for (const study of studies) {
      if (answers.length >= query.limit) return answers;
      if (!meets(comparedOf(study), { filters: columns, isFuzzy })) continue;
      if (otherFilters.size === 0 && passed < query.offset) {
        passed++;
        continue;
      }
      const answer = await studyAnswer(services, study, query);
      if (meets(answer, { filters: otherFilters, isFuzzy }) && passed++ >= query.offset) {
        answers.push(answer);
      }
    }
    if (studies.length < STUDIES_AT_ONCE) return answers;
    lastPid = studies.at(-1)!.pid;
    // yields to the event loop
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** Reads attributes of a study's objects: images from the database, results as generated. */
class Listed {
  readonly #bySeries = new Map<number, JsonDataSet | null>();
  readonly #corrections = new Map<number, (json: JsonDataSet) => JsonDataSet>();

  constructor(private readonly services: ServiceContext) {}

  async #corrected(pid: number): Promise<(json: JsonDataSet) => JsonDataSet> {
    const corrected = this.#corrections.get(pid) ?? await correctionsOf(this.services, pid);
    this.#corrections.set(pid, corrected);
    return corrected;
  }

  async of(object: WebObject): Promise<JsonDataSet> {
    if (!("blob" in object)) return object.json;
    const { seriesId, sopUid, attributes } = object, { db } = this.services;
    if (!this.#bySeries.has(seriesId)) {
      const json = readAttributes(await attributesOfSeries(db, seriesId));
      this.#bySeries.set(seriesId, json && (await this.#corrected(object.pid))(json));
    }
    const json = this.#bySeries.get(seriesId) ?? await columnsOf(this.services, object);
    const number = (tag: string, vr: string, value: number | null | undefined) =>
      value == null ? {} : { [tag]: { vr, Value: [value] } };
    const { "00200013": _, ...shared } = json;
    return {
      ...shared,
      "00080018": { vr: "UI", Value: [sopUid] },
      ...attributes?.sopClass ? { "00080016": { vr: "UI", Value: [attributes.sopClass] } } : {},
      ...number("00200013", "IS", attributes?.instanceNumber),
      ...number("00280010", "US", attributes?.rows),
      ...number("00280011", "US", attributes?.columns),
      ...number("00280008", "IS", attributes?.frames),
    };
  }
}

/** Series of a study. @throws {AppError} `entity.not_found`. */
export async function searchSeries(
  services: ServiceContext,
  studyUid: string,
  query: WebQuery,
): Promise<JsonDataSet[]> {
  const answers: JsonDataSet[] = [], listed = new Listed(services);
  const bySeries = Map.groupBy(await webObjects(services, studyUid), ({ seriesUid }) => seriesUid);
  for (const objects of bySeries.values()) {
    const json = await listed.of(objects[0]!);
    const answer = {
      ...only(json, [...STUDY_TAGS, ...SERIES_TAGS], query),
      "00201209": counted(objects.length),
    };
    if (meets(answer, query)) answers.push(answer);
  }
  return answers.slice(query.offset, query.offset + query.limit);
}

/** Whether an attribute is valid for every image; other attributes may differ within a series. */
const isOfImage = (tag: string): boolean =>
  tag.startsWith("0010") ||
  [STUDY_TAGS, SERIES_TAGS, INSTANCE_TAGS].some((tags) => tags.includes(tag));

/** Instances of a study or of one of its series. @throws {AppError} `entity.not_found`. */
export async function searchInstances(
  services: ServiceContext,
  studyUid: string,
  seriesUid: string | undefined,
  query: WebQuery,
): Promise<JsonDataSet[]> {
  const answers: JsonDataSet[] = [], { offset, limit } = query, listed = new Listed(services);
  for (const object of await webObjects(services, studyUid, seriesUid)) {
    const json = await listed.of(object), isImage = "blob" in object;
    const attributes = isImage
      ? Object.fromEntries(Object.entries(json).filter(([tag]) => isOfImage(tag)))
      : json;
    const answer = only(attributes, [...STUDY_TAGS, ...SERIES_TAGS, ...INSTANCE_TAGS], query);
    if (meets(answer, query)) answers.push(answer);
  }
  return answers.slice(offset, offset + limit);
}

/** Studies that contain the UIDs of a search; `null` when the search contains no UIDs. */
async function studiesOfUids(
  { db }: ServiceContext,
  { filters }: WebQuery,
): Promise<string[] | null> {
  const listed = (tag: string) =>
    filters.has(tag) ? uidsOf(filters.get(tag)!).slice(0, MAX_LIMIT) : null;
  const series = listed("0020000E"), instances = listed("00080018");
  return series || instances
    ? await listStudiesOfUids(db, { series, instances }, MAX_STUDIES)
    : null;
}

/**
 * Searches series or instances of any study by UIDs of images, or by attributes of a few studies.
 * @throws {AppError} `input.invalid` for a search with neither: it would have to read all studies.
 */
export async function searchEverywhere(
  services: ServiceContext,
  level: "series" | "instances",
  query: WebQuery,
): Promise<JsonDataSet[]> {
  const ofStudies = new Map([...query.filters].filter(([tag]) => STUDY_TAGS.includes(tag)));
  let studies = await studiesOfUids(services, query), filters = query.filters;
  if (studies === null) {
    if (!["0020000D", "00100020", "00080050"].some((tag) => ofStudies.has(tag))) {
      throw new AppError(
        "input.invalid",
        "Cannot search: no study, series, instance, patient or accession number is named",
        { field: "StudyInstanceUID" },
      );
    }
    const studyQuery = { ...query, filters: ofStudies, limit: MAX_STUDIES, offset: 0 };
    studies = (await searchStudies(services, studyQuery)).map((one) =>
      String(one["0020000D"]!.Value![0])
    );
    // filters by attributes of the study were applied by the search for studies
    filters = new Map([...filters].filter(([tag]) => !ofStudies.has(tag)));
  }
  const seriesFilter = filters.get("0020000E");
  // a single series is read alone; a list of Series Instance UIDs filters the result
  const series = seriesFilter && uidsOf(seriesFilter).length === 1 ? seriesFilter : undefined;
  const answers: JsonDataSet[][] = [], all = { ...query, filters, limit: MAX_OF_STUDY, offset: 0 };
  for (const study of studies) {
    answers.push(
      level === "series"
        ? await searchSeries(services, study, all)
        : await searchInstances(services, study, series, all),
    );
  }
  return answers.flat().slice(query.offset, query.offset + query.limit);
}
