// Exports quantities as DICOM Parametric Maps, with the same values as in viewer and tables.
import { type MeasuredStudy, measureStudy } from "@/model/measured/measured_study.ts";
import { mayPaintPercentiles } from "@/model/norms/percentile_rank.ts";
import { normsName } from "@/model/text/settings/norms.ts";
import { NORMS_CITATION } from "@/model/norms/norms_source.ts";
import type { DicomFile } from "@/server/core/dicom/write/dataset_writer.ts";
import { parametricMapFile } from "@/server/core/dicom/write/parametric_map.ts";
import type { SegmentationSubject } from "@/server/core/dicom/write/segmentation.ts";
import type { AnalysisResults } from "@/server/core/analyses/storage/analyses.ts";
import { npyVoxels } from "@/server/core/analyses/service/files/npy.ts";
import type { AnalysedStudy } from "@/server/core/exports/service/analysed_study.ts";
import { t1Structures } from "@/server/core/exports/service/dicom_segments.ts";
import {
  blobOf,
  latestReading,
  onSlices,
  regionSubject,
  toSlices,
} from "@/server/core/exports/service/label_maps.ts";
import { correctionOf } from "@/server/core/reading/service/corrected.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Codes per millimetre of thickness in a stored thickness map; code 0 means no thickness. */
const CODES_PER_MM = 51;
/** Maximum length of a DICOM short text (VR ST). */
const MAX_TEXT = 1024;
const CODES = 256;
const GRID_NOTE = "Each voxel has the value of the analysis at its center.";

/** Joins sentences that state how a map was made, for the attribute Derivation Description. */
const derivationOf = (...sentences: readonly string[]) => sentences.join(" ").slice(0, MAX_TEXT);

/** Cortical thickness at each voxel of the cortex, mm; `null` if thickness was not measured. */
export async function thicknessMap(
  services: ServiceContext,
  study: AnalysedStudy,
): Promise<DicomFile | null> {
  const { t1, patient: { row }, norms: { method } } = study, results = t1?.analysis.results;
  const blob = t1 && await blobOf(services, t1.analysis, "thick_mask_file");
  if (!t1 || !results || blob === null) return null;
  const { analysis, source, maker } = t1;
  const { quality } = measureStudy({ patient: row, t1: results, flair: null, method });
  const values = Float32Array.from({ length: CODES }, (_, code) => code / CODES_PER_MM);
  values[0] = NaN;
  return parametricMapFile({
    source,
    maker: await latestReading(services, study, "thickness", maker),
    kind: "THICKNESS",
    identity: blob,
    codes: await toSlices(npyVoxels(await services.blobs.read(blob)).slice(), analysis, source),
    values,
    derivation: derivationOf(
      `${maker.engine}.`,
      GRID_NOTE,
      "Outside the cortex there is no value.",
      ...correctionOf(results) ? ["Measured before labels were corrected by hand."] : [],
      `Segmentation quality: ${quality?.grade ?? "unknown"}.`,
    ),
  });
}

/**
 * Percentile of each label's volume, as in tables and in the measurement report; NaN without one.
 * None where voxels may not show percentiles, see {@link mayPaintPercentiles}.
 */
export function percentileValues(
  subject: SegmentationSubject,
  results: AnalysisResults,
  figures: MeasuredStudy,
): Float32Array {
  const values = new Float32Array(CODES).fill(NaN);
  if (!mayPaintPercentiles(figures.subject.method)) return values;
  for (const { segment, measurements } of t1Structures(subject, results, figures)) {
    const label = segment && subject.segments[segment.number - 1]?.label;
    const volume = measurements.find(({ kind }) => kind === "volume");
    if (label) values[label] = volume?.percentile?.percentile ?? NaN;
  }
  return values;
}

/** Norms of a map in a sentence, and in a series description of at most 64 characters. */
function populationOf({ norms: { name } }: AnalysedStudy): { cited: string; described: string } {
  const people = "Compared with healthy people of the same age, sex and head size";
  const correction = name === null
    ? "The norms are not corrected for this site or scanner."
    : name.source === "table"
    ? "The norms are imported, and not corrected for this site or scanner."
    : "The norms are corrected for this site or scanner.";
  return {
    cited: `${people}: ${normsName(name, "en")}. ${correction}`,
    described: name === null
      ? "Sulcus: volume percentiles, NOMIS, no site correction"
      : name.source === "table"
      ? "Sulcus: volume percentiles, imported norms and NOMIS"
      : "Sulcus: volume percentiles, NOMIS, corrected for the site",
  };
}

/** Percentile of each region's volume at the region's voxels; `null` without percentiles. */
export async function percentileMap(
  services: ServiceContext,
  study: AnalysedStudy,
): Promise<DicomFile | null> {
  const { t1, flair, patient: { row }, norms: { method } } = study;
  const mapped = await regionSubject(services, study), results = t1?.analysis.results;
  if (!t1 || !results || !mapped) return null;
  const flairResults = flair?.analysis.flair ?? null;
  const figures = measureStudy({ patient: row, t1: results, flair: flairResults, method });
  const values = percentileValues(mapped.subject, results, figures);
  if (values.every(Number.isNaN)) return null;
  const { cited, described } = populationOf(study);
  // regions without a percentile (NaN) become null in the JSON text of the identity
  const identity = `${mapped.map.identity} ${JSON.stringify([...values])}`;
  return parametricMapFile({
    source: t1.source,
    maker: await latestReading(services, study, "percentiles", t1.maker),
    kind: "PERCENTILES",
    identity,
    codes: await onSlices(services, mapped, t1),
    values,
    contentDescription: described,
    derivation: derivationOf(
      `${t1.maker.engine}.`,
      cited,
      correctionOf(results)
        ? "Labels were corrected by hand."
        : "Labels were not corrected by hand.",
      "One percentile for all voxels of a region, without the interval of its error.",
      "Regions whose percentile is not determined have no value.",
      GRID_NOTE,
      `${NORMS_CITATION}.`,
    ),
  });
}
