import * as z from "zod/mini";

z.config({ jitless: true });

/** A calendar date, YYYY-MM-DD. */
export const isoDate = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/));
/** Whether `YYYY-MM-DD` names a day that exists. */
export function isCalendarDate(text: string): boolean {
  const [year, month, day] = text.split("-").map(Number) as [number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** ISO-8601 UTC instant ending in Z */
export const isoInstant = z.string().check(
  z.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/),
);
export const sex = z.enum(["male", "female"]);
export const analysisStatus = z.enum([
  "ready",
  "waiting",
  "processing",
  "completed",
  "no_response",
  "failed",
  "pending",
]);
export type AnalysisStatus = z.infer<typeof analysisStatus>;

export const seriesType = z.enum(["t1", "t2", "t1t2"]);
export type SeriesType = z.infer<typeof seriesType>;
/** Series kind as named by the engine and in events. */
export const seriesKind = z.enum(["t1", "t2"]);
export type SeriesKind = z.infer<typeof seriesKind>;

export const sortKey = z.enum([
  "pid",
  "patient_id",
  "patient_name",
  "patient_sex",
  "patient_birthdate",
  "study_date",
  "analysis_date",
  "label_list",
  "patient_age",
  "quality_grade",
  /** sort order: largest deviation from the norms first */
  "finding",
  /**
   * order: studies that need action first (failed, grade C, not analysed)
   * newest first in each group
   */
  "attention",
]);
export type SortKey = z.infer<typeof sortKey>;
export const sortDirection = z.enum(["asc", "desc"]);
export type SortDirection = z.infer<typeof sortDirection>;

export const certType = z.enum(["KR", "TR", "MD", "CE", "GB", "CH", "BR", "FDA", "ID", "DEMO"]);
export type CertType = z.infer<typeof certType>;

/** Waiting, processing or pending: the row shows a spinner and cannot be selected (D1 §4). */
export const isAnalyzing = (status: AnalysisStatus | null): boolean =>
  status === "waiting" || status === "processing" || status === "pending";
/** Failed or no_response (D1 §4). */
export const isFailed = (status: AnalysisStatus | null): boolean =>
  status === "failed" || status === "no_response";

/** Local norms that adjust a result's percentiles, for citation. */
export const localNormName = z.object({
  /** scanner name; `null`: all scanners of the site */
  scanner: z.nullable(z.string()),
  /** number of controls or routine studies used */
  controls: z.number(),
  accepted_at: isoInstant,
  /** number of sites that the routine studies are from; absent: made from this site's controls */
  source: z.optional(z.enum(["routine", "table"])),
  sites: z.optional(z.number()),
  /** norms imported by an administrator; other measures and ages are compared with NOMIS */
  table: z.optional(z.object({
    title: z.string(),
    source: z.string(),
    measures: z.number(),
    age_from: z.number(),
    age_to: z.number(),
    by_icv: z.boolean(),
  })),
});
export type LocalNormName = z.infer<typeof localNormName>;
