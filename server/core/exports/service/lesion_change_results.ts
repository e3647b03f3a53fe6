import type { Shape } from "@/model/geometry.ts";
import type { LesionChange } from "@/model/schema/reading/lesion_changes.ts";
import {
  ABNORMAL_STRUCTURE,
  code,
  WHITE_MATTER_HYPERINTENSITY,
} from "@/server/core/dicom/write/codes.ts";
import type { Maker } from "@/server/core/dicom/write/derived_object.ts";
import type { MeasuredStructure } from "@/server/core/dicom/write/measurement_report.ts";
import {
  segmentationReference,
  type SegmentationSubject,
  trackingUid,
} from "@/server/core/dicom/write/segmentation.ts";
import { asUnreliable } from "@/server/core/exports/service/dicom_segments.ts";
import { lesionSite } from "@/server/core/exports/service/lesion_structures.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { resampleLabels } from "@/server/core/engine/engine.ts";
import { currentFlairChange } from "@/server/core/analyses/service/flair_change.ts";
import { gunzipPieces } from "@/server/core/analyses/service/files/gzip.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { lesionChangesOf } from "@/server/core/reading/service/lesion_changes.ts";

/** Changed lesions for export: a list, and their voxels on the slices of the FLAIR series. */
interface ChangedLesions {
  subject: SegmentationSubject;
  lesions: readonly LesionChange[];
  labels: Uint8Array;
  /** whether this study's lesion volumes are of grade C */
  isUnreliable: boolean;
}

/** Segmentation method of PS3.16 CID 7162: the difference between two studies. */
const SUBTRACTION = code("DCM", "113062", "Subtraction");

const COLOURS = {
  new: [230, 60, 60],
  enlarging: [240, 150, 40],
  shrinking: [70, 160, 230],
  gone: [120, 120, 220],
} as const;

/** Kinds of change in words, for people who read a DICOM object. */
const KIND_WORDS = {
  new: "new",
  enlarging: "enlarging",
  shrinking: "shrinking",
  gone: "resolved",
} as const;

const verdictOf = ({ is_confirmed }: LesionChange): string =>
  is_confirmed ? "confirmed by a reader" : "not reviewed by a reader";

const nameOf = ({ lesion, kind, is_sure }: LesionChange): string =>
  `White matter lesion ${lesion + 1}: ${KIND_WORDS[kind]}${is_sure ? "" : " (uncertain)"}`;

/** Name of a segment, which contains only the changed part of a lesion. */
const segmentNameOf = (lesion: LesionChange): string =>
  `Changed part of ${nameOf(lesion).replace(/^W/, "w")}`;

/**
 * Lesions that changed since the previous study, without those rejected by a reader.
 * @returns `null` without changed lesions or without a comparison.
 */
export async function changedLesions(
  { db, blobs }: ServiceContext,
  { pid, patientId }: { pid: number; patientId: string },
  { source, maker }: { source: SourceSeries; maker: Maker },
  { isLabelMap, isMasked }: { isLabelMap: boolean; isMasked: boolean },
): Promise<ChangedLesions | null> {
  const change = await currentFlairChange(db, pid, patientId);
  if (!change) return null;
  const { pair: { current, prior }, results } = change;
  const list = await lesionChangesOf(db, pid, patientId), { lesions: all } = list;
  const lesions = all.filter(({ is_confirmed }) => is_confirmed !== false);
  if (lesions.length === 0) return null;
  const { shape, rasFromIjk, voxels: { length } } = decodeNifti(
    await gunzipPieces(await blobs.read(current.volumeBlob)),
  );
  const voxels = new Uint8Array(length);
  for (const { lesion } of lesions) {
    const runs = results.runs[lesion] ?? [];
    for (let at = 0; at + 1 < runs.length; at += 2) {
      voxels.fill(lesion + 1, runs[at]!, runs[at]! + runs[at + 1]!);
    }
  }
  const to = { shape: source.shape as Shape, rasFromIjk: source.rasFromIjk };
  const labels = await resampleLabels({ voxels, shape, rasFromIjk }, to) as Uint8Array;
  // a de-identified object must not contain the date of another study
  const since = isMasked ? "the previous study" : prior.studyDate;
  const tracking = `changes ${prior.analysisId} ${current.analysisId}`;
  const subject: SegmentationSubject = {
    source,
    maker,
    kind: "CHANGES",
    description: `Sulcus: lesions that changed since ${since}`,
    seriesNumber: 9106,
    family: SUBTRACTION,
    segments: lesions.map((lesion) => ({
      label: lesion.lesion + 1,
      name: segmentNameOf(lesion),
      description: `Since ${since}; ${
        verdictOf(lesion)
      }. The voxels that changed, not the whole lesion.`,
      category: ABNORMAL_STRUCTURE,
      type: WHITE_MATTER_HYPERINTENSITY,
      modifier: null,
      within: null,
      rgb: COLOURS[lesion.kind],
    })),
    // another verdict of a reader gives a new object, although its lesions are the same
    mapIdentity: `${tracking} ${
      lesions.map(({ lesion, is_confirmed }) => `${lesion}${is_confirmed}`).join(" ")
    }`,
    tracking,
    isLabelMap,
  };
  return { subject, lesions, labels, isUnreliable: list.is_current_unreliable === true };
}

/** Volume of each changed lesion at this study; 0 for a lesion that has resolved. */
export function changeStructures(
  { subject, lesions, isUnreliable }: ChangedLesions,
): MeasuredStructure[] {
  const { sopClassUid, sopInstanceUid, segmentNumbers } = segmentationReference(subject);
  return lesions.map((lesion): MeasuredStructure => ({
    name: `${nameOf(lesion)}; ${verdictOf(lesion)}`,
    trackingUid: trackingUid(subject, lesion.lesion + 1),
    finding: WHITE_MATTER_HYPERINTENSITY,
    ...lesionSite(lesion.place),
    corrected: null,
    segment: {
      sopClassUid,
      sopInstanceUid,
      number: segmentNumbers.get(lesion.lesion + 1)!,
      seriesUid: subject.source.seriesUid,
    },
    engine: subject.maker.engine,
    measurements: [{ kind: "lesion_volume", value: Math.round(lesion.after_ml * 100) / 100 }],
  })).map((structure) => isUnreliable ? asUnreliable(structure) : structure);
}
