// Resamples maps of an analysis to the slices of its series, and makes segmentations from them.
import { affineFromRowMajor, compose, type Shape } from "@/model/geometry.ts";
import { isOutdatedBy } from "@/model/report/corrected_results.ts";
import type { ResultKind } from "@/model/schema/connections/connections.ts";
import { code } from "@/server/core/dicom/write/codes.ts";
import type { Maker } from "@/server/core/dicom/write/derived_object.ts";
import type { SegmentationSubject } from "@/server/core/dicom/write/segmentation.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { resampleLabels } from "@/server/core/engine/engine.ts";
import { npyVoxels } from "@/server/core/analyses/service/files/npy.ts";
import { listFiles, type StoredAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { changeInstants, instantFor } from "@/server/core/connections/storage/result_changes.ts";
import type { Analysed, AnalysedStudy } from "@/server/core/exports/service/analysed_study.ts";
import { lesionSegments, regionSegments } from "@/server/core/exports/service/dicom_segments.ts";
import { correctionKey, withStrokes } from "@/server/core/reading/service/stroke_map.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Segmentation methods of PS3.16 CID 7162: regions from an atlas, lesions by intensity. */
const BY_ATLAS = code("DCM", "123111", "Deformable Models");
const BY_INTENSITY = code("DCM", "123108", "Multispectral Processing");

/** A stored label map and the readers' corrections of it. */
interface LabelMap {
  /** name of the stored file with the map before corrections */
  blob: string;
  /** constant text that identifies map and corrections; DICOM UIDs are derived from it */
  identity: string;
}

/** Name of a stored file of an analysis; `null` if the analysis has no such file. */
export const blobOf = async (
  { db }: ServiceContext,
  { id }: StoredAnalysis,
  field: "t1w_mask_file" | "t2w_mask_file" | "thick_mask_file",
): Promise<string | null> =>
  (await listFiles(db, id)).find((file) => file.field === field)?.blob ?? null;

/** Label map of an analysis; `null` if the analysis has none. */
async function labelMapOf(
  services: ServiceContext,
  analysis: StoredAnalysis,
  field: "t1w_mask_file" | "t2w_mask_file",
): Promise<LabelMap | null> {
  const blob = await blobOf(services, analysis, field);
  if (blob === null) return null;
  const corrections = await correctionKey(services.db, analysis.id);
  return { blob, identity: corrections ? `${blob} ${corrections}` : blob };
}

/** Description of a DICOM segmentation, with the label map that contains its voxels. */
export interface MappedSubject {
  subject: SegmentationSubject;
  map: LabelMap;
}

/** Description of the segmentation of brain regions; `null` without a label map. */
export async function regionSubject(
  services: ServiceContext,
  study: AnalysedStudy,
): Promise<MappedSubject | null> {
  const { t1, isLabelMap } = study;
  const map = t1 && await labelMapOf(services, t1.analysis, "t1w_mask_file");
  if (!t1?.analysis.results || !map) return null;
  const subject: SegmentationSubject = {
    source: t1.source,
    maker: await latestReading(services, study, "regions", t1.maker),
    kind: "REGIONS",
    description: "Sulcus: brain regions",
    seriesNumber: 9101,
    family: BY_ATLAS,
    segments: regionSegments(t1.analysis.results),
    mapIdentity: map.identity,
    isLabelMap,
  };
  return { subject, map };
}

/** Description of the segmentation of lesions; `null` without lesions. */
export async function lesionSubject(
  services: ServiceContext,
  study: AnalysedStudy,
): Promise<MappedSubject | null> {
  const { flair, isLabelMap } = study;
  const map = flair && await labelMapOf(services, flair.analysis, "t2w_mask_file");
  const segments = flair?.analysis.flair ? lesionSegments(flair.analysis.flair) : [];
  if (!flair || !map || segments.length === 0) return null;
  const subject: SegmentationSubject = {
    source: flair.source,
    maker: await latestReading(services, study, "lesions", flair.maker),
    kind: "LESIONS",
    description: "Sulcus: white matter hyperintensities",
    seriesNumber: 9102,
    family: BY_INTENSITY,
    segments,
    mapIdentity: map.identity,
    isLabelMap,
  };
  return { subject, map };
}

/** Resamples a label map with corrections from the results' grid to the slices of the series. */
export async function onSlices(
  { db, blobs }: ServiceContext,
  { subject: { source }, map }: MappedSubject,
  { analysis }: Analysed,
): Promise<Uint8Array> {
  const voxels = await withStrokes(db, analysis.id, npyVoxels(await blobs.read(map.blob)));
  return await toSlices(voxels.slice(), analysis, source);
}

/**
 * Resamples a map from the results' grid to the slices of the analysed series.
 * Each voxel gets the map's value at the voxel's centre, and 0 outside the map.
 */
export async function toSlices(
  voxels: Uint8Array,
  { results, flair }: StoredAnalysis,
  source: SourceSeries,
): Promise<Uint8Array> {
  const { shape, rasFromIjkRows } = (results ?? flair)!;
  const map = {
    voxels,
    shape: shape as Shape,
    rasFromIjk: affineFromRowMajor<"Ras", "Ijk">(rasFromIjkRows),
  };
  // lesions are on the T1w grid, which the registration maps to the FLAIR slices
  const rasFromIjk = flair
    ? compose(affineFromRowMajor<"Ras", "Ras">(flair.t1FromFlairRows), source.rasFromIjk)
    : source.rasFromIjk;
  return await resampleLabels(map, { shape: source.shape, rasFromIjk }) as Uint8Array;
}

/** Software and time of the later analysis, for objects with results of both series. */
function latest({ t1, flair }: AnalysedStudy): Maker {
  const makers = [t1, flair].flatMap((analysed) => analysed ? [analysed.maker] : []);
  return makers.reduce((a, b) => b.finishedAt > a.finishedAt ? b : a);
}

/**
 * Software and time with which a kind of object is made: time of the last change of its contents.
 * A change of results, norms, signed text, verdicts or patient gives a new object.
 */
export async function latestReading(
  { db }: ServiceContext,
  study: AnalysedStudy,
  kind: ResultKind,
  maker: Maker = latest(study),
): Promise<Maker> {
  // times of the site are left out, so that de-identified objects do not contain dates of visits
  if (study.isMasked) return maker;
  const changedAt = instantFor(await changeInstants(db, study.patient.row.pid), kind);
  const normedAt = isOutdatedBy("norms", kind) ? study.norms.changedAt : null;
  const finishedAt = [maker.finishedAt, normedAt ?? "", changedAt ?? ""].sort().at(-1)!;
  return { ...maker, finishedAt };
}
