import type { ViewerPatient } from "@/model/viewer/viewer_patient.ts";

/** Overlays of the images (D2 §2), one per tab. */
export const VIEWER_TYPES = ["parcellation", "corticalThickness", "wmh"] as const;
export type ViewerType = (typeof VIEWER_TYPES)[number];

/** Reasons why a tab of the viewer is disabled. */
type TabRefusal =
  | "noT1"
  | "t1NotAnalyzed"
  | "noThickness"
  | "voxelsTooLarge"
  | "noFlair"
  | "flairNotAnalyzed"
  | "otherGrid";

/** Fields of a study that determine which viewer tabs are enabled. */
export type TabFacts = Pick<
  ViewerPatient,
  | "is_t1_uploaded"
  | "is_t2_uploaded"
  | "t1_analysis_status"
  | "t2_analysis_status"
  | "t1w_file"
  | "t1w_mask_file"
  | "thick_mask_file"
  | "thickness_reason"
  | "t2w_file"
  | "t2w_mask_file"
  | "wmh_detail"
  | "blinded"
>;

/**
 * Reason why a tab is disabled; `null` if enabled. Only completed series open in the viewer (D2
 * §4).
 */
export function tabRefusal(facts: TabFacts, type: ViewerType): TabRefusal | null {
  if (facts.blinded === "images") {
    if (type === "corticalThickness") return "noThickness";
    return type === "wmh"
      ? facts.t2w_file === null ? "noFlair" : null
      : facts.t1w_file === null
      ? "noT1"
      : null;
  }
  const hasT1 = facts.t1_analysis_status === "completed" && facts.t1w_file !== null &&
    facts.t1w_mask_file !== null;
  if (type === "wmh") {
    if (!facts.is_t2_uploaded) return "noFlair";
    const hasLesions = facts.t2w_file !== null && facts.t2w_mask_file !== null;
    if (facts.t2_analysis_status !== "completed" || !hasLesions) return "flairNotAnalyzed";
    // The lesions are on the FLAIR's own grid, from before the T1w series was analysed, but the
    // panes use the T1w grid.
    return hasT1 && facts.wmh_detail?.tissue === "flair" ? "otherGrid" : null;
  }
  if (!facts.is_t1_uploaded) return "noT1";
  if (!hasT1) return "t1NotAnalyzed";
  if (type !== "corticalThickness" || facts.thick_mask_file !== null) return null;
  return facts.thickness_reason === null ? "noThickness" : "voxelsTooLarge";
}

/** The tab with which a study opens; `null` if no tab is enabled. */
export const firstTab = (facts: TabFacts): ViewerType | null =>
  VIEWER_TYPES.find((type) => tabRefusal(facts, type) === null) ?? null;
