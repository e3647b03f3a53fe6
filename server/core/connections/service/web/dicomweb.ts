import { AppError } from "@/model/errors.ts";
import type { JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import {
  listedAttributes,
  noteUnreadable,
  storedAttributes,
  storedSyntax,
  type WebInstance,
} from "@/server/core/connections/service/web/attributes.ts";
import { meets, textsOf, uidsOf } from "@/server/core/connections/service/web/matching.ts";
import {
  resultBytes,
  resultFile,
  resultModalities,
  type WebResult,
  webResults,
} from "@/server/core/connections/service/web/results.ts";
import { findPatientByStudy } from "@/server/core/studies/storage/patients.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const EXPLICIT_LE = "1.2.840.10008.1.2.1";
const DEFAULT_LIMIT = 100, MAX_LIMIT = 1000;
/** Series and instances of a study are all told of unless fewer are asked for: viewers take what they get for the whole. */
const MAX_OF_STUDY = 100_000;
/** Studies whose series or instances one search tells of. */
const MAX_STUDIES = 10;

const notFound = () => new AppError("entity.not_found", "Cannot answer: there is no such object");

/** Stored instances of a study, of one of its series, or one of them. @throws {AppError} `entity.not_found`. */
async function webInstances(
  { db }: ServiceContext,
  studyUid: string,
  seriesUid?: string,
  sopUid?: string,
): Promise<WebInstance[]> {
  const study = await findPatientByStudy(db, studyUid);
  if (!study) throw notFound();
  const { pid } = study.row;
  const rows = await db.selectFrom("instances as i").innerJoin("series as s", "s.id", "i.series_id")
    .select(["s.series_uid", "s.description", "i.sop_uid", "i.blob"]).where("i.pid", "=", pid).orderBy("i.id")
    .execute();
  const found = rows.filter((row) =>
    (seriesUid === undefined || row.series_uid === seriesUid) &&
    (sopUid === undefined || row.sop_uid === sopUid)
  );
  if (found.length === 0) throw notFound();
  return found.map(({ series_uid: seriesUid, sop_uid: sopUid, description, blob }) => ({
    pid,
    seriesUid,
    sopUid,
    description,
    blob,
  }));
}

/** A stored instance, or a result. */
export type WebObject = WebInstance | WebResult;

/**
 * What a study has, of one of its series or one of them: images, then results.
 * @throws {AppError} `entity.not_found`.
 */
export async function webObjects(
  services: ServiceContext,
  studyUid: string,
  seriesUid?: string,
  sopUid?: string,
): Promise<WebObject[]> {
  const study = await findPatientByStudy(services.db, studyUid);
  if (!study) throw notFound();
  const stored = await webInstances(services, studyUid, seriesUid, sopUid).catch((error) => {
    if (error instanceof AppError) return [];
    throw error;
  });
  // a series is of images or of results
  if (seriesUid !== undefined && stored.length > 0) return stored;
  const made = await webResults(services, study.row.pid).catch((error) => {
    // results repeat attributes of the images: without those of a damaged file there are none, and the images stay
    if (stored.length === 0 || !(error instanceof AppError)) throw error;
    noteUnreadable(services, `results of study ${study.row.pid}`, error);
    return [];
  });
  const results = made.filter((one) =>
    (seriesUid === undefined || one.seriesUid === seriesUid) &&
    (sopUid === undefined || one.sopUid === sopUid)
  );
  if (stored.length + results.length === 0) throw notFound();
  return [...stored, ...results];
}

/** The whole file of an object, in pieces. */
export async function* webFile({ blobs }: ServiceContext, object: WebObject): AsyncGenerator<Uint8Array> {
  if ("blob" in object) yield* await blobs.stream(object.blob);
  else yield* resultFile(object);
}

/** The whole file of an object. */
export const webBytes = ({ blobs }: ServiceContext, object: WebObject): Promise<Uint8Array<ArrayBuffer>> =>
  "blob" in object ? blobs.read(object.blob) : resultBytes(object);

/** The transfer syntax that an object is kept in. @throws {AppError} as {@link storedSyntax}. */
export const webSyntax = async (services: ServiceContext, object: WebObject): Promise<string> =>
  "blob" in object ? await storedSyntax(services, object) : EXPLICIT_LE;

/** What metadata refer to, of a report (PS3.18 §F.2.6). */
const BULK_TAGS = ["00420011"];

/**
 * Attributes of an object as DICOM JSON.
 * @param isListed It is one of many: when its file cannot be read, the attributes that the database has are the answer.
 * @param root Address of the study's objects, for what is fetched by itself.
 * @throws {AppError} as {@link storedAttributes}, unless it is listed.
 */
export async function webMetadata(
  services: ServiceContext,
  object: WebObject,
  isListed: boolean,
  root = "",
): Promise<JsonDataSet> {
  if (!("blob" in object)) {
    const { json, seriesUid, sopUid } = object,
      uri = `${root}/series/${seriesUid}/instances/${sopUid}/bulkdata`;
    const isDocument = json["00420012"] !== undefined;
    const bulk = isDocument ? BULK_TAGS.map((tag) => [tag, { vr: "OB", BulkDataURI: `${uri}/${tag}` }]) : [];
    return { ...json, ...Object.fromEntries(bulk) as JsonDataSet };
  }
  return await (isListed ? listedAttributes : storedAttributes)(services, object);
}

/** What a search asks for. */
interface WebQuery {
  /** keyword or tag → value, with `*` and `?` */
  filters: ReadonlyMap<string, string>;
  /** names are matched as people type them (PS3.18 §8.3.4.2), in every group of the name */
  isFuzzy: boolean;
  /** further attributes of the answer, by tag; `all`: every one */
  included: readonly string[];
  limit: number;
  /** this server's limit, not the client's */
  isOwnLimit: boolean;
  offset: number;
}

/** Keywords of queries by tag. */
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
const INSTANCE_TAGS = ["00080016", "00080018", "00200013", "00280010", "00280011", "00280100", "00280008"];

/**
 * Reads the parameters of a search (PS3.18 §8.3.4); `level`: what is searched for.
 * @throws {AppError} `input.invalid`.
 */
export function webQuery(parameters: URLSearchParams, level: "studies" | "of_study"): WebQuery {
  const filters = new Map<string, string>(), included: string[] = [];
  const tagOf = (name: string) => KEYWORDS[name] ?? name.toUpperCase();
  const most = level === "studies" ? MAX_LIMIT : MAX_OF_STUDY;
  let limit = level === "studies" ? DEFAULT_LIMIT : most, isOwnLimit = true, offset = 0, isFuzzy = false;
  for (const [name, value] of parameters) {
    // without a value it is as if it were not there
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

/** The attributes of a level, and those that are asked for besides. */
const only = (json: JsonDataSet, tags: readonly string[], { included }: WebQuery): JsonDataSet =>
  included.includes("ALL")
    ? json
    : Object.fromEntries([...tags, ...included].filter((tag) => json[tag]).map((tag) => [tag, json[tag]!]));

const counted = (value: number) => ({ vr: "IS", Value: [value] });

/** Instances whose attributes meet a search, as many as it asks for, by what they are grouped. */
async function* groups(
  services: ServiceContext,
  instances: Iterable<WebObject>,
  keyOf: (one: WebObject) => string,
): AsyncGenerator<{ json: JsonDataSet; all: WebObject[] }> {
  for (const all of Map.groupBy(instances, keyOf).values()) {
    yield { json: await webMetadata(services, all[0]!, true), all };
  }
}

/** Studies that a search finds, newest first. */
export async function searchStudies(services: ServiceContext, query: WebQuery): Promise<JsonDataSet[]> {
  const { db } = services, found: JsonDataSet[] = [];
  let studies = db.selectFrom("patients").select(["pid", "study_uid", "accession_number"]).orderBy(
    "pid",
    "desc",
  );
  const uid = query.filters.get("0020000D"), patient = query.filters.get("00100020");
  if (uid) studies = studies.where("study_uid", "in", uidsOf(uid));
  const accession = query.filters.get("00080050");
  if (accession && !/[*?]/.test(accession)) {
    // what nobody looked up yet is read
    studies = studies.where((e) =>
      e.or([e("accession_number", "=", accession), e("accession_number", "is", null)])
    );
  }
  // what the images say may differ from what was corrected: only whole numbers are looked up
  if (patient && !/[*?]/.test(patient)) {
    studies = studies.where((e) =>
      e.or([
        e("patient_id", "=", patient),
        e("received_identity", "like", `%${JSON.stringify(patient).slice(1, -1)}%`),
      ])
    );
  }
  let passed = 0;
  for (const { pid, study_uid, accession_number } of await studies.execute()) {
    if (found.length >= query.limit) break;
    const instances = await webInstances(services, study_uid).catch(() => []);
    if (instances.length === 0) continue;
    const json = await listedAttributes(services, instances[0]!);
    const whole: JsonDataSet = {
      ...only(json, STUDY_TAGS, query),
      // what the modality worklist had, where the images say nothing
      ...(accession_number && textsOf(json, "00080050").join("") === ""
        ? { "00080050": { vr: "SH", Value: [accession_number] } }
        : {}),
      // the counts are of the images: results are not made for a search of many studies
      "00080061": { vr: "CS", Value: ["MR", ...await resultModalities(services, pid)] },
      "00201206": counted(new Set(instances.map(({ seriesUid }) => seriesUid)).size),
      "00201208": counted(instances.length),
    };
    if (meets(whole, query) && passed++ >= query.offset) found.push(whole);
  }
  return found;
}

/** Series of a study. @throws {AppError} `entity.not_found`. */
export async function searchSeries(
  services: ServiceContext,
  studyUid: string,
  query: WebQuery,
): Promise<JsonDataSet[]> {
  const found: JsonDataSet[] = [];
  const instances = await webObjects(services, studyUid);
  for await (const { json, all } of groups(services, instances, ({ seriesUid }) => seriesUid)) {
    const whole = { ...only(json, [...STUDY_TAGS, ...SERIES_TAGS], query), "00201209": counted(all.length) };
    if (meets(whole, query)) {
      found.push(whole);
    }
  }
  return found.slice(query.offset, query.offset + query.limit);
}

/** Instances of a study or of one of its series. @throws {AppError} `entity.not_found`. */
export async function searchInstances(
  services: ServiceContext,
  studyUid: string,
  seriesUid: string | undefined,
  query: WebQuery,
): Promise<JsonDataSet[]> {
  const found: JsonDataSet[] = [], { filters, offset, limit } = query;
  const all = await webObjects(services, studyUid, seriesUid);
  // nothing to compare: the others need not be read
  const instances = filters.size === 0 ? all.slice(offset, offset + limit) : all;
  for await (const { json } of groups(services, instances, ({ sopUid }) => sopUid)) {
    const whole = only(json, [...STUDY_TAGS, ...SERIES_TAGS, ...INSTANCE_TAGS], query);
    if (meets(whole, query)) {
      found.push(whole);
    }
  }
  return filters.size === 0 ? found : found.slice(offset, offset + limit);
}

/** Studies that have images with UIDs that a search names; `null` when it names none. */
async function studiesOfUids({ db }: ServiceContext, { filters }: WebQuery): Promise<string[] | null> {
  const listed = (tag: string) => filters.has(tag) ? uidsOf(filters.get(tag)!).slice(0, MAX_LIMIT) : null;
  const series = listed("0020000E"), objects = listed("00080018");
  if (!series && !objects) return null;
  let rows = db.selectFrom("instances as i").innerJoin("series as s", "s.id", "i.series_id")
    .innerJoin("patients as p", "p.pid", "i.pid").select("p.study_uid").distinct();
  if (series) rows = rows.where("s.series_uid", "in", series);
  if (objects) rows = rows.where("i.sop_uid", "in", objects);
  return (await rows.limit(MAX_STUDIES).execute()).map(({ study_uid }) => study_uid);
}

/**
 * Series or instances whatever their study: of images by their UIDs, of a few studies by what names them.
 * @throws {AppError} `input.invalid` when neither is named: everything there is would be read.
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
    const asked = { ...query, filters: ofStudies, limit: MAX_STUDIES, offset: 0 };
    studies = (await searchStudies(services, asked)).map((one) => String(one["0020000D"]!.Value![0]));
    // these they have met, with what is known of them beyond their images
    filters = new Map([...filters].filter(([tag]) => !ofStudies.has(tag)));
  }
  const named = filters.get("0020000E");
  // one series is read alone; of a list the search keeps what it names
  const series = named && uidsOf(named).length === 1 ? named : undefined;
  const found: JsonDataSet[][] = [], all = { ...query, filters, limit: MAX_OF_STUDY, offset: 0 };
  for (const study of studies) {
    found.push(
      level === "series"
        ? await searchSeries(services, study, all)
        : await searchInstances(services, study, series, all),
    );
  }
  return found.flat().slice(query.offset, query.offset + query.limit);
}
