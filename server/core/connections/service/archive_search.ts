/** Searches an archive: C-FIND for a DICOM system, QIDO-RS for a web service. */
import { AppError } from "@/model/errors.ts";
import type {
  ArchivedStudy,
  ArchiveFound,
  ArchiveSearch,
} from "@/model/schema/connections/pacs.ts";
import type { DicomJson } from "@/server/gate/link/tasks.ts";
import type { Database } from "@/server/core/database/database.ts";
import { type KnownPeer, knownPeers } from "@/server/core/connections/service/known_peers.ts";
import {
  askGate,
  authorization,
  dicomPeer,
  failureOf,
  noteAnswer,
} from "@/server/core/connections/service/peers.ts";
import { visibleText } from "@/model/visible_text.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import { matchesSearch } from "@/model/worklist/search_text.ts";
import { namePatterns } from "@/server/core/connections/service/archive_names.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Maximum number of studies that a search returns. */
const MOST = 100;

const TAG = {
  studyDate: "00080020",
  accessionNumber: "00080050",
  modalities: "00080061",
  description: "00081030",
  patientName: "00100010",
  patientId: "00100020",
  birthDate: "00100030",
  studyUid: "0020000D",
  series: "00201206",
  images: "00201208",
} as const;

/** Lists the archives (PACS) that users may search. */
export const listArchives = async (db: Database): Promise<KnownPeer[]> =>
  (await knownPeers(db)).filter(({ kind, config }) =>
    config.search && (kind === "dicom" || kind === "dicomweb")
  );

/** Archive with an id. @throws {AppError} `entity.not_found`: unknown, or closed to users. */
export async function mustFindArchive(db: Database, id: number): Promise<KnownPeer> {
  const archive = (await listArchives(db)).find((peer) => peer.id === id);
  if (!archive) throw new AppError("entity.not_found", "Cannot search: there is no such PACS");
  return archive;
}

const digits = (date: string) => date.replaceAll("-", "");
/**
 * Search text without backslashes, which separate values in DICOM. `*` and `?` are wild cards
 * (PS3.4 C.2.2.2.4). A text of wild cards alone becomes empty, because it would match everything.
 */
function typedText(typed: string): string {
  const text = typed.replaceAll("\\", " ").trim();
  return /[^*?\s]/.test(text) ? text : "";
}

/** Search keys by tag (PS3.4 C.6.2.1.2). @param name Pattern of the name; absent: no name key. */
function keysOf(search: Required<ArchiveSearch>, name = ""): Record<string, string> {
  const { patient_id, accession_number, date_from, date_to } = search;
  const dates = date_from || date_to ? `${digits(date_from)}-${digits(date_to)}` : "";
  return {
    [TAG.patientId]: typedText(patient_id),
    [TAG.patientName]: name,
    [TAG.accessionNumber]: typedText(accession_number),
    [TAG.studyDate]: dates,
    [TAG.studyUid]: search.study_uid,
  };
}

function valueOf(match: DicomJson, tag: string): unknown[] {
  const { Value = [] } = match[tag] ?? {};
  return Value.filter((value) => value !== null && value !== "");
}
export function textOf(match: DicomJson, tag: string): string {
  const [value] = valueOf(match, tag);
  const text = typeof value === "object" && value !== null
    ? String((value as { Alphabetic?: unknown }).Alphabetic ?? "")
    : String(value ?? "");
  return text.slice(0, 200);
}
/** A text for a page, in which invisible characters are visible. */
export const shownOf = (match: DicomJson, tag: string): string => visibleText(textOf(match, tag));
/** Patient's name of a match with all component groups, in the format of the worklist. */
function nameOf(match: DicomJson): string {
  const [value] = valueOf(match, TAG.patientName);
  if (typeof value !== "object" || value === null) {
    return displayName(shownOf(match, TAG.patientName));
  }
  const { Alphabetic, Ideographic, Phonetic } = value as Record<string, unknown>;
  const groups = [Alphabetic, Ideographic, Phonetic].map((form) => String(form ?? "")).join("=");
  return visibleText(displayName(groups).slice(0, 200));
}
const dayOf = (text: string) => /^(\d{4})(\d{2})(\d{2})$/.exec(text)?.slice(1).join("-") ?? null;
export function countOf(match: DicomJson, tag: string): number | null {
  const text = textOf(match, tag), count = Number(text);
  return text !== "" && Number.isInteger(count) && count >= 0 ? count : null;
}

/** Converts a match of a search to a study; `null` without a valid Study Instance UID. */
function studyOf(match: DicomJson): ArchivedStudy | null {
  const study_uid = textOf(match, TAG.studyUid);
  if (study_uid.length > 64 || !/^[0-9]+(\.[0-9]+)*$/.test(study_uid)) return null;
  return {
    study_uid,
    patient_id: shownOf(match, TAG.patientId),
    patient_name: nameOf(match),
    birth_date: dayOf(textOf(match, TAG.birthDate)),
    study_date: dayOf(textOf(match, TAG.studyDate)),
    description: shownOf(match, TAG.description),
    accession_number: shownOf(match, TAG.accessionNumber),
    modalities: valueOf(match, TAG.modalities).map((one) => String(one).slice(0, 16)),
    series: countOf(match, TAG.series),
    images: countOf(match, TAG.images),
    pid: null,
  };
}

/** An archive's answer to a search. */
export interface Matches {
  matches: DicomJson[];
  failed: { failure: string; text: string } | null;
}

/** A DICOM element of a query; an empty value makes the element a return key. */
export const element = (vr: string, value: string) => ({
  vr,
  ...(value ? { Value: [value] } : {}),
});

async function byDimse(
  services: ServiceContext,
  peer: KnownPeer,
  keys: Record<string, string>,
): Promise<Matches> {
  const name = keys[TAG.patientName]!;
  return await askDimse(services, peer, "STUDY", MOST + 1, {
    [TAG.studyDate]: element("DA", keys[TAG.studyDate]!),
    [TAG.accessionNumber]: element("SH", keys[TAG.accessionNumber]!),
    [TAG.modalities]: element("CS", ""),
    [TAG.description]: element("LO", ""),
    [TAG.patientName]: { vr: "PN", ...(name ? { Value: [{ Alphabetic: name }] } : {}) },
    [TAG.patientId]: element("LO", keys[TAG.patientId]!),
    [TAG.birthDate]: element("DA", ""),
    [TAG.studyUid]: element("UI", keys[TAG.studyUid]!),
    [TAG.series]: element("IS", ""),
    [TAG.images]: element("IS", ""),
  });
}

/** Searches a DICOM system by C-FIND; cancels the search after `most` matches. */
export async function askDimse(
  services: ServiceContext,
  peer: KnownPeer,
  level: "STUDY" | "SERIES",
  most: number,
  keys: DicomJson,
): Promise<Matches> {
  const answer = await askGate(services, {
    kind: "find",
    peer: dicomPeer(peer, services.gate?.aeTitle ?? "SULCUS"),
    model: "study",
    most,
    query: { "00080005": element("CS", "ISO_IR 192"), "00080052": element("CS", level), ...keys },
  });
  // the status "cancelled" is no failure after the limit of matches was reached
  const isOurs = answer.status === 0xfe00 && (answer.matches?.length ?? 0) >= most;
  return { matches: answer.matches ?? [], failed: isOurs ? null : failureOf(answer) };
}

async function byWeb(
  services: ServiceContext,
  peer: KnownPeer,
  keys: Record<string, string>,
): Promise<Matches> {
  const query = new URLSearchParams({ limit: String(MOST + 1) });
  for (const [tag, value] of Object.entries(keys)) if (value) query.set(tag, value);
  for (const tag of [TAG.modalities, TAG.description, TAG.birthDate, TAG.series, TAG.images]) {
    query.append("includefield", tag);
  }
  return await askWeb(services, peer, `studies?${query}`);
}

/** Searches a web service by QIDO-RS. */
export async function askWeb(
  services: ServiceContext,
  peer: KnownPeer,
  search: string,
): Promise<Matches> {
  const answer = await askGate(services, {
    kind: "http",
    method: "GET",
    url: `${peer.config.url}/${search}`,
    headers: { accept: "application/dicom+json", ...authorization(peer) },
  });
  const failed = failureOf(answer);
  // HTTP status 204: the search has no matches
  if (failed || answer.status === 204 || !answer.body) return { matches: [], failed };
  try {
    const matches: unknown = JSON.parse(answer.body);
    if (Array.isArray(matches)) return { matches: matches as DicomJson[], failed: null };
  } catch { /* said below */ }
  return { matches: [], failed: { failure: "protocol", text: "" } };
}

/**
 * Searches for a patient's name as typed, then with looser patterns, until there are matches.
 * @returns `isCut`: the archive has more matches of the last pattern than requested,
 * so that some studies of the patient may be missing.
 */
async function findByName(
  services: ServiceContext,
  peer: KnownPeer,
  search: Required<ArchiveSearch>,
): Promise<Matches & { isCut: boolean }> {
  const find = peer.kind === "dicom" ? byDimse : byWeb, typed = typedText(search.patient_name);
  const [first = "", ...looser] = namePatterns(typed);
  let answer = await find(services, peer, keysOf(search, first));
  let isCut = answer.matches.length > MOST;
  for (const pattern of looser) {
    if (answer.failed || answer.matches.length > 0) break;
    answer = await find(services, peer, keysOf(search, pattern));
    isCut = answer.matches.length > MOST;
    const matches = answer.matches.filter((match) => matchesSearch(typed, [nameOf(match)]));
    answer = { ...answer, matches };
  }
  return { ...answer, isCut };
}

/** Finds studies in an archive by search keys, newest first; stores nothing. */
export async function findStudies(
  services: ServiceContext,
  peer: KnownPeer,
  search: Required<ArchiveSearch>,
): Promise<ArchiveFound> {
  let { matches, failed, isCut } = await findByName(services, peer, search);
  // searches again in capitals: IDs are case-sensitive (PS3.4 C.2.2.2.1) and mostly upper case
  const patient_id = search.patient_id.toUpperCase();
  if (!failed && matches.length === 0 && patient_id !== search.patient_id) {
    ({ matches, failed, isCut } = await findByName(services, peer, { ...search, patient_id }));
  }
  await noteAnswer(services, peer, "search", failed, { matches: matches.length });
  const studies = matches.slice(0, MOST).flatMap((match) => studyOf(match) ?? []);
  const here = studies.length === 0
    ? []
    : await services.db.selectFrom("patients").select(["pid", "study_uid"])
      .where("study_uid", "in", studies.map(({ study_uid }) => study_uid)).execute();
  const pids = new Map(here.map(({ pid, study_uid }) => [study_uid, pid]));
  return {
    studies: studies.map((study) => ({ ...study, pid: pids.get(study.study_uid) ?? null }))
      .sort((a, b) => (b.study_date ?? "").localeCompare(a.study_date ?? "")),
    is_cut: isCut,
    failure: failed,
  };
}

/**
 * Searches an archive for a user.
 * @throws {AppError} `entity.not_found`; `input.invalid` for a search that would match everything.
 */
export async function searchArchive(
  services: ServiceContext,
  id: number,
  search: Required<ArchiveSearch>,
): Promise<ArchiveFound> {
  const peer = await mustFindArchive(services.db, id);
  const [name = ""] = namePatterns(typedText(search.patient_name));
  if (Object.values(keysOf(search, name)).every((value) => value === "")) {
    throw new AppError("input.invalid", "Cannot search: nothing to look for", {
      field: "patient_id",
    });
  }
  return await findStudies(services, peer, search);
}
