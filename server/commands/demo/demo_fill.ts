// Inserts many synthetic studies directly into the database: rows and values without images.
import { gzipSync } from "node:zlib";
import { THICKNESS_OFFSET_MM } from "@/model/norms/method_error.ts";
import { normOf } from "@/model/norms/norms.ts";
import type { Sex } from "@/model/norms/norms.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";
import { labelKey } from "@/model/schema/worklist/labels.ts";
import type { AnalysisResults, FlairResults } from "@/server/core/analyses/storage/analyses.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { chunksOf, DiskBlobs } from "@/server/core/blobs/blobs.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isPostgres } from "@/server/core/database/postgres.ts";
import { alignSequences, lastId } from "@/server/core/database/sequences.ts";
import type { AnalysisRow, PatientTable, SeriesRow } from "@/server/core/database/tables.ts";
import type { Insertable } from "kysely";
import { sql } from "kysely";
import { Random } from "@/server/commands/demo/phantom/random.ts";

const PREFIX = "FILL-";
const AT_ONCE = 1000;
const FAMILIES = [
  "Kim",
  "Lee",
  "Park",
  "Choi",
  "Jung",
  "Novak",
  "Rossi",
  "Müller",
  "Silva",
  "Tanaka",
  "Okafor",
];
const GIVEN = [
  "Haneul",
  "Jiwoo",
  "Minjun",
  "Seo-yeon",
  "Elena",
  "Peter",
  "Ana",
  "Jonas",
  "Yuki",
  "Chidi",
  "Zoë",
];
const KOREAN = ["김하늘", "이지우", "박민준", "최서연", "정도윤", "강하은", "조은우", "윤서아"];
const LABELS = [
  "Follow-up",
  "Trial A",
  "Trial B",
  "Dementia",
  "Stroke",
  "MS",
  "Control",
  "추적 관찰",
  "재검",
  "Urgent",
];

const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random.uniform() * list.length)]!;
const wholeNumber = (random: Random, low: number, high: number) =>
  Math.floor(random.between(low, high + 1));
const two = (n: number) => String(n).padStart(2, "0");

/** Random values near the norms of a sex and age, in stored form. */
function makeResults(random: Random, sex: Sex, age: number): AnalysisResults {
  const icvMm3 = (sex === "male" ? 1596 : 1409) * 1000 * random.between(0.9, 1.1);
  const subject = { sex, age, icvMl: icvMm3 / 1000 };
  const near = (label: number, measure: "volume" | "thickness", otherwise: number) => {
    const norm = normOf(label, measure, subject);
    if (!norm) return otherwise;
    const value = norm.mean + norm.sd * 1.2 * random.normal();
    return Math.max(0, norm.isLog10 ? 10 ** value : value);
  };
  const values = Array.from({ length: LABEL_COUNT }, (_, label) => label);
  return {
    volumesMm3: values.map((label) => label === 0 ? 0 : Math.round(near(label, "volume", 900))),
    icvMm3: Math.round(icvMm3),
    shape: [176, 208, 176],
    rasFromIjkRows: [1, 0, 0, -88, 0, 1, 0, -104, 0, 0, 1, -88, 0, 0, 0, 1],
    quality: { grade: pick(random, ["A", "A", "A", "B", "C"]), warnings: [] },
    thicknessMm: values.map((label) =>
      label < 37 ? 0 : Math.round(100 * near(label, "thickness", 2.5)) / 100
    ),
    thicknessOffsetMm: THICKNESS_OFFSET_MM,
  };
}

function makeFlairResults(random: Random): FlairResults {
  return {
    shape: [176, 208, 176],
    rasFromIjkRows: [1, 0, 0, -88, 0, 1, 0, -104, 0, 0, 1, -88, 0, 0, 0, 1],
    periMm3: Math.round(random.between(0, 15_000)),
    deepMm3: Math.round(random.between(0, 8_000)),
    whiteMatterMm3: Math.round(random.between(380_000, 520_000)),
    lesionCount: wholeNumber(random, 0, 40),
    isLowConfidence: random.uniform() < 0.1,
    tissue: "flair",
    registration: null,
    t1FromFlairRows: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
    icvMm3: null,
    grade: "A",
  };
}

/** Cache of result JSON by sex and decade of age, which persons of the same group share. */
function resultTexts(random: Random) {
  const t1 = new Map<string, string[]>();
  const t2 = Array.from({ length: 32 }, () => JSON.stringify(makeFlairResults(random)));
  for (const sex of ["male", "female"] as const) {
    for (let decade = 2; decade <= 9; decade++) {
      const texts = Array.from(
        { length: 8 },
        () => JSON.stringify(makeResults(random, sex, 10 * decade + 5)),
      );
      t1.set(`${sex}${decade}`, texts);
    }
  }
  return (kind: "t1" | "t2", sex: Sex, age: number) =>
    pick(
      random,
      kind === "t2" ? t2 : t1.get(`${sex}${Math.min(9, Math.max(2, Math.floor(age / 10)))}`)!,
    );
}

interface Rows {
  patients: Insertable<PatientTable>[];
  series: Insertable<SeriesRow>[];
  analyses: Insertable<AnalysisRow>[];
  labels: { pid: number; label_id: number }[];
}

/** Reads the next free ids of the tables. */
interface Numbers {
  pid: number;
  series: number;
  analysis: number;
}

/** Adds the rows of one person: usually one study, for every fifth person several. */
function addPerson(
  rows: Rows,
  random: Random,
  numbers: Numbers,
  person: { id: string; studies: number; blob: string; labelIds: readonly number[] },
  resultsOf: ReturnType<typeof resultTexts>,
): void {
  const sex = pick(random, ["male", "female"] as const);
  const name = random.uniform() < 0.4
    ? pick(random, KOREAN)
    : `${pick(random, FAMILIES)} ${pick(random, GIVEN)}`;
  const birthYear = wholeNumber(random, 1930, 2005),
    birthDay = `-${two(wholeNumber(random, 1, 12))}-${two(wholeNumber(random, 1, 28))}`;
  const firstYear = wholeNumber(random, 2018, 2025);
  for (let n = 0; n < person.studies; n++) {
    const pid = ++numbers.pid, year = firstYear + n;
    const day = `-${two(wholeNumber(random, 1, 12))}-${two(wholeNumber(random, 1, 28))}`;
    const age = year - birthYear - (day < birthDay ? 1 : 0),
      analysedAt = `${year}${day}T${two(wholeNumber(random, 0, 23))}:00:00Z`;
    const ids: Record<"t1" | "t2", { series: number | null; analysis: number | null }> = {
      t1: { series: null, analysis: null },
      t2: { series: null, analysis: null },
    };
    const isLast = n === person.studies - 1, isFirst = n === 0;
    for (const kind of ["t1", "t2"] as const) {
      // with several studies, only the first has a FLAIR and only the last a T1w result: without
      // images they cannot be compared
      if (
        kind === "t1" ? isFirst && !isLast : !isFirst || random.uniform() < 0.4 * Number(isLast)
      ) continue;
      ids[kind].series = ++numbers.series;
      rows.series.push({
        id: numbers.series,
        pid,
        series_uid: `2.25.${pid}.${kind === "t1" ? 1 : 2}`,
        kind,
        description: kind === "t1" ? "T1w MPRAGE" : "T2w FLAIR",
        volume_blob: person.blob,
        created_at: analysedAt,
      });
      const fate = random.uniform();
      if (fate > 0.96 || !(isFirst || isLast)) continue;
      ids[kind].analysis = ++numbers.analysis;
      const isFailed = fate > 0.93;
      rows.analyses.push({
        id: numbers.analysis,
        pid,
        series_id: numbers.series,
        kind,
        status: isFailed ? "failed" : "completed",
        percent: isFailed ? 40 : 100,
        stage: null,
        engine_version: "made up",
        parameters: "{}",
        input_hashes: "[]",
        results: isFailed ? null : resultsOf(kind, sex, age),
        stages: "[]",
        error_code: isFailed ? "engine.unsupported_input" : null,
        error_details: isFailed ? '{"reason":"nifti"}' : null,
        requested_at: analysedAt,
        requested_by: null,
        started_at: analysedAt,
        finished_at: analysedAt,
      });
    }
    rows.patients.push({
      pid,
      study_uid: `2.25.${pid}`,
      patient_id: person.id,
      patient_name: name,
      patient_birthdate: `${birthYear}${birthDay}`,
      patient_sex: sex,
      patient_age: age,
      study_date: `${year}${day}`,
      created_at: analysedAt,
      created_by: null,
      t1_series_id: ids.t1.series,
      t2_series_id: ids.t2.series,
      t1_analysis_id: ids.t1.analysis,
      t2_analysis_id: ids.t2.analysis,
      received_identity: null,
    });
    if (random.uniform() < 0.3) rows.labels.push({ pid, label_id: pick(random, person.labelIds) });
  }
}

/** Label of studies without images: neither viewer nor report can open them. */
export const NO_IMAGES = "No images · 영상 없음";

/**
 * Note with the same meaning, appended to each patient name. Stored names are not translated, so
 * both languages are in them.
 */
const IN_NAMES = ` (${NO_IMAGES.replace("N", "n")})`;

async function noteIdOf(db: Database): Promise<number> {
  await db.insertInto("labels").values({ label_name: NO_IMAGES, name_key: labelKey(NO_IMAGES) })
    .onConflict((conflict) => conflict.doNothing()).execute();
  const { id } = await db.selectFrom("labels").select("id").where("label_name", "=", NO_IMAGES)
    .executeTakeFirstOrThrow();
  return id;
}

async function labelIdsOf(db: Database): Promise<number[]> {
  await db.insertInto("labels").values(
    LABELS.map((name) => ({ label_name: name, name_key: labelKey(name) })),
  )
    .onConflict((conflict) => conflict.doNothing()).execute();
  const rows = await db.selectFrom("labels").select("id").where("label_name", "in", LABELS)
    .execute();
  return rows.map((row) => row.id);
}

/** Creates the volume file that all studies share; it contains a note instead of images. */
async function placeholder(db: Database, dataDir: string): Promise<string> {
  const blobs = new DiskBlobs(`${dataDir}/blobs`);
  // packed like a volume, so that readers of its header find it too short, not damaged
  const bytes = new Uint8Array(gzipSync("Synthetic study: measurements only, no images\n"));
  const staged = await blobs.stage(chunksOf(bytes), Infinity).staging;
  const hold = await blobs.keep([staged]);
  await insertBlobs(db, [staged], new Date().toISOString());
  hold.release();
  return staged.hash;
}

const numbersOf = async (db: Database): Promise<Numbers> => ({
  pid: await lastId(db, "patients"),
  series: await lastId(db, "series"),
  analysis: await lastId(db, "analyses"),
});

/**
 * Fills a data folder up to a number of synthetic studies, including those of earlier calls.
 * The site must not be running.
 *
 * @param isNoted Gives each study the label {@link NO_IMAGES}.
 * @returns number of added studies.
 */
export async function fillPatients(
  db: Database,
  dataDir: string,
  count: number,
  isNoted = false,
): Promise<number> {
  const { n } = await db.selectFrom("patients").select((e) => e.fn.countAll<number>().as("n"))
    .where("patient_id", ">=", PREFIX).where("patient_id", "<", `${PREFIX}~`)
    .executeTakeFirstOrThrow();
  const present = Number(n), wanted = Math.max(0, count - present);
  if (wanted === 0) return 0;
  const random = new Random(20261121 + present), resultsOf = resultTexts(random);
  const blob = await placeholder(db, dataDir),
    labelIds = await labelIdsOf(db),
    numbers = await numbersOf(db);
  const noteId = isNoted ? await noteIdOf(db) : null;
  for (let madeStudies = 0; madeStudies < wanted;) {
    const rows: Rows = { patients: [], series: [], analyses: [], labels: [] };
    while (rows.patients.length < AT_ONCE && madeStudies < wanted) {
      const studies = Math.min(
        wanted - madeStudies,
        random.uniform() < 0.2 ? wholeNumber(random, 2, 4) : 1,
      );
      const id = `${PREFIX}${String(numbers.pid + 1).padStart(7, "0")}`;
      addPerson(rows, random, numbers, { id, studies, blob, labelIds }, resultsOf);
      madeStudies += studies;
    }
    if (noteId !== null) {
      rows.labels.push(...rows.patients.map(({ pid }) => ({ pid: pid!, label_id: noteId })));
      // appended to the name too, because narrow lists hide the labels
      for (const patient of rows.patients) patient.patient_name += IN_NAMES;
    }
    await db.transaction().execute(async (tx) => {
      // inserted in two steps, because patients refer to series and analyses, and these to patients
      await (isPostgres(tx)
        ? sql`SET CONSTRAINTS ALL DEFERRED`
        : sql`PRAGMA defer_foreign_keys = ON`)
        .execute(tx);
      await tx.insertInto("patients").values(rows.patients).execute();
      await tx.insertInto("series").values(rows.series).execute();
      for (let at = 0; at < rows.analyses.length; at += AT_ONCE) {
        await tx.insertInto("analyses").values(rows.analyses.slice(at, at + AT_ONCE)).execute();
      }
      if (rows.labels.length > 0) {
        await tx.insertInto("patient_labels").values(rows.labels).execute();
      }
      await alignSequences(tx);
    });
  }
  await sql`ANALYZE`.execute(db);
  return wanted;
}
