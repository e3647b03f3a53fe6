import type { SeriesType } from "@/model/schema/studies/study.ts";

export type PageCode = 1 | 2 | 8 | 16 | 32 | 64 | 128 | 512 | 1024;
export type ReportType = SeriesType;

interface ReportPage {
  code: PageCode;
  name: string;
  /** report types for which a user can choose the page */
  types: readonly ReportType[];
  exclusiveWith: readonly PageCode[];
}

const t1 = ["t1", "t1t2"] as const, all = ["t1", "t2", "t1t2"] as const;

/** Optional pages of a report; the Main Page (4) is always included (D1 §9, D2 §9). */
export const REPORT_PAGES: readonly ReportPage[] = [
  { code: 1, name: "Cover", types: all, exclusiveWith: [] },
  { code: 2, name: "Atrophy Score", types: t1, exclusiveWith: [] },
  { code: 8, name: "Check-up", types: t1, exclusiveWith: [16] },
  { code: 16, name: "Hospital-MTA", types: t1, exclusiveWith: [8] },
  { code: 32, name: "ICV", types: t1, exclusiveWith: [] },
  { code: 64, name: "Longitudinal", types: all, exclusiveWith: [] },
  { code: 128, name: "WMH", types: all, exclusiveWith: [] },
  { code: 512, name: "Volume by Brain Regions", types: t1, exclusiveWith: [] },
  { code: 1024, name: "Reading Materials", types: all, exclusiveWith: [] },
];
/** Code of the Main Page, which every report has. */
export const MAIN_PAGE = 4;
/** Codes of the other pages, for layouts and references. */
export const COVER_PAGE = 1 satisfies PageCode, SCORE_PAGE = 2 satisfies PageCode;
export const CHECKUP_PAGE = 8 satisfies PageCode, MTA_PAGE = 16 satisfies PageCode;
export const ICV_PAGE = 32 satisfies PageCode, LONGITUDINAL_PAGE = 64 satisfies PageCode;
export const WMH_PAGE = 128 satisfies PageCode, REGIONS_PAGE = 512 satisfies PageCode;
export const READING_PAGE = 1024 satisfies PageCode;

/** Data of a study that determine which pages are available. */
interface PageMeans {
  type: ReportType;
  hasFlair: boolean;
  hasComparison: boolean;
}

/** Whether the report of a study can include a page. */
export function isPageAvailable(
  code: number,
  { type, hasFlair, hasComparison }: PageMeans,
): boolean {
  const page = REPORT_PAGES.find((page) => page.code === code);
  if (!page || !page.types.includes(type)) return false;
  if (code === 128) return hasFlair;
  return code !== 64 || hasComparison;
}

/**
 * Chosen pages that this study can have, ascending.
 * Of two mutually exclusive pages, the page chosen first.
 */
export function pagesOf(chosen: readonly number[], means: PageMeans): PageCode[] {
  const pages: PageCode[] = [];
  for (const code of chosen) {
    const page = REPORT_PAGES.find((page) => page.code === code);
    if (!page || pages.includes(page.code) || !isPageAvailable(code, means)) continue;
    if (!page.exclusiveWith.some((other) => pages.includes(other))) pages.push(page.code);
  }
  return pages.toSorted((a, b) => a - b);
}
