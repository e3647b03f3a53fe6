import type { LesionChangeKind } from "@/model/schema/reading/lesion_changes.ts";

/** One lesion that changed. */
export interface ChangedLesion {
  kind: LesionChangeKind;
  /** brighter than normal white matter beyond doubt */
  isSure: boolean;
  /** of the voxels that changed */
  changedMm3: number;
  /** of the whole lesion in each series */
  beforeMm3: number;
  afterMm3: number;
  /** how far the difference stands out, standard deviations */
  z: number;
  /** scanner mm of the first and of the second series */
  centreRasMm: [first: [number, number, number], second: [number, number, number]];
}
