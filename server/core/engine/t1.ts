import { type Affine, type Shape, spacingMm } from "@/model/geometry.ts";
import { commissuresIn } from "@/model/linear/head_axes.ts";
import { measureLinear } from "@/model/linear/linear_measures.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import {
  type Engine,
  type EngineFusion,
  type EngineT1,
  version,
} from "@/wasm/pkg/engine/bind_engine.js";
import { MODEL } from "@/server/core/engine/second_opinion.ts";
import { regionAgreementOf } from "@/server/core/engine/agreement/region_agreement.ts";
import { assess, countOutliers } from "@/server/core/engine/quality.ts";
import type {
  DeepStructures,
  EngineQuality,
  EngineResult,
  SecondOpinion,
  StageRecord,
  Surface,
  Thickness,
} from "@/server/core/engine/result.ts";

/** Passes a T1w series' voxels to the engine in the number type in which they are stored. */
export function conform(engine: Engine, { voxels, shape, rasFromIjk }: Volume): void {
  const size = new Uint32Array(shape);
  if (voxels instanceof Uint8Array) engine.conform_u8(voxels, size, rasFromIjk);
  else if (voxels instanceof Int8Array) engine.conform_i8(voxels, size, rasFromIjk);
  else if (voxels instanceof Uint16Array) engine.conform_u16(voxels, size, rasFromIjk);
  else if (voxels instanceof Int16Array) engine.conform_i16(voxels, size, rasFromIjk);
  else if (voxels instanceof Int32Array) engine.conform_i32(voxels, size, rasFromIjk);
  else engine.conform_f32(voxels, size, rasFromIjk);
}

/** Results of the segmentation networks that ran. */
interface Opinions {
  secondOpinion: SecondOpinion | null;
  deepStructures: DeepStructures | null;
}

function opinionsOf(found: EngineT1): Opinions {
  const agreement = found.agreement();
  return {
    secondOpinion: agreement
      ? {
        model: `${MODEL.name} (${MODEL.publisher})`,
        agreement: agreement.cortex_dice,
        isUsed: agreement.used,
        reason: agreement.reason,
      }
      : null,
    deepStructures: deepStructuresOf(found.fusion()),
  };
}

/** Result of the product's network; `null` when the network did not run. */
export function deepStructuresOf(fusion: EngineFusion | undefined): DeepStructures | null {
  if (!fusion) return null;
  const { version: model, used: isUsed, reason, coverage, entropy, agreement } = fusion;
  return { model, isUsed, reason, coverage, entropy, agreement };
}

/** Version of the engine, followed by versions of the networks that contributed to the result. */
export function versionOf({ secondOpinion, deepStructures }: Opinions): string {
  const networks = [
    ...(deepStructures?.isUsed ? [`deep structures ${deepStructures.model}`] : []),
    ...(secondOpinion?.isUsed ? [MODEL.name] : []),
  ];
  return `sulcus-engine ${version()}${networks.length > 0 ? ` with ${networks.join(", ")}` : ""}`;
}

/**
 * Converts a T1w result of the engine to the stored form.
 * @param found  The engine's result; its arrays are used without copying.
 */
export function t1ResultOf(
  found: EngineT1,
  rasFromSource: Affine<"Ras", "Ijk">,
  stages: StageRecord[],
): EngineResult {
  const volumesMm3 = [...found.volumes_mm3()], opinions = opinionsOf(found);
  const quality = qualityOf(found, volumesMm3, Math.max(...spacingMm(rasFromSource)));
  addCutWarning(found, quality);
  const { secondOpinion, deepStructures } = opinions;
  const intensities = found.take_intensities(), intracranial = found.take_intracranial();
  if (secondOpinion?.reason === "extracted brain" || isBrainAlone(intensities, intracranial)) {
    quality.warnings.push("brain_extracted");
  } else if (secondOpinion && !secondOpinion.isUsed) {
    quality.warnings.push("second_opinion_refused");
  }
  if (deepStructures && !deepStructures.isUsed) {
    quality.warnings.push("deep_structures_refused");
    // users should check a head that the product's network cannot segment
    if (quality.grade === "A") quality.grade = "B";
  }
  const grid = {
    shape: [...found.shape()] as Shape,
    rasFromIjk: found.ras_from_ijk() as Affine<"Ras", "Ijk">,
  };
  const labels = found.take_labels();
  return {
    version: versionOf(opinions),
    ...grid,
    intensities,
    labels,
    linear: measureLinear(
      { ...grid, voxels: labels },
      { ...grid, voxels: intracranial },
      commissuresIn(quality.subjectFromAtlas),
      intensities,
    ),
    volumesMm3,
    icvMm3: found.icv_mm3(),
    intracranial,
    thickness: thicknessOf(found),
    surface: surfaceOf(found),
    secondOpinion,
    deepStructures,
    regionAgreement: regionAgreementOf(found.region_overlaps()),
    stages,
    quality,
  };
}

/** Minimum intensity (0..255) of a voxel outside the dura that is not air. */
const TISSUE_VALUE = 25;
/**
 * Minimum volume of tissue outside the dura, relative to the volume inside.
 * An image with less tissue outside counts as brain-extracted.
 */
const MIN_OUTSIDE = 0.05;

/**
 * Whether the images are brain-extracted: hardly any tissue outside the dura.
 * @param intensities  0..255. @param intracranial 1 inside the dura; both on the same grid.
 */
export function isBrainAlone(intensities: Uint8Array, intracranial: Uint8Array): boolean {
  let inside = 0, outside = 0;
  for (let i = 0; i < intensities.length; i++) {
    if (intracranial[i] === 1) inside++;
    else if (intensities[i]! >= TISSUE_VALUE) outside++;
  }
  return inside > 0 && outside < MIN_OUTSIDE * inside;
}

function thicknessOf(found: EngineT1): Thickness | null {
  const sides = found.thickness_by_side(), [leftMm = 0, rightMm = 0] = sides;
  if (sides.length === 0) return null;
  return {
    map: found.take_thickness(),
    meanMm: [...found.thickness_by_label()],
    leftMm,
    rightMm,
    offsetMm: found.thickness_offset_mm(),
  };
}

function surfaceOf(found: EngineT1): Surface {
  const surface = found.take_surface();
  return {
    vertices: surface.take_vertices(),
    faces: surface.take_faces(),
    normals: surface.take_normals(),
    values: surface.take_values(),
    trianglesBefore: surface.triangles_before(),
    eulerNumber: surface.euler(),
  };
}

/**
 * Minimum contrast with which percentiles are shown: (mean white − mean grey) / 0.08.
 * At a lower contrast, noise shifts the borders of regions.
 */
const MIN_CONTRAST = 2.0;

/**
 * Adds warnings for a field of view that cuts the patient's head, and for insufficient contrast.
 * @param quality  Receives the warnings, and a grade that may become worse.
 */
function addCutWarning(found: EngineT1, quality: EngineQuality): void {
  if (found.cut_fraction() !== undefined) {
    quality.warnings.push("field_of_view_cut");
    if (quality.grade === "A") quality.grade = "B";
  }
  const [, grey = 0, , white = 0] = quality.classMeans;
  if ((white - grey) / 0.08 >= MIN_CONTRAST) return;
  if (!quality.warnings.includes("contrast_low")) quality.warnings.push("contrast_low");
  quality.grade = "C";
}

function qualityOf(found: EngineT1, volumesMm3: number[], voxelMm: number): EngineQuality {
  const [ncc = 0, coarse = 0, fine = 0] = found.similarity();
  const [least = 0, low = 0, high = 0, foldedFraction = 1] = found.jacobian();
  const classMeans = [...found.class_means()], winningPosterior = found.winning_posterior();
  const hasConverged = found.converged(), snr = found.snr(), whiteSd = found.white_sd();
  const cnr = whiteSd > 0 ? (classMeans[3]! - classMeans[1]!) / whiteSd : 0;
  const sharpness = [...found.sharpness()] as [number, number, number];
  const flat = found.centres(), affineParameters = [...found.affine_parameters()];
  const centresMm = Array.from({ length: flat.length / 3 }, (_, label) => {
    const mm = [...flat.subarray(3 * label, 3 * label + 3)] as [number, number, number];
    return Number.isNaN(mm[0]) ? null : mm;
  });
  const figures = {
    ncc,
    lncc: fine,
    foldedFraction,
    affineParameters,
    cnr,
    greyOverWhite: classMeans[1]! / classMeans[3]!,
    winningPosterior,
    hasConverged,
    voxelMm,
    sharpness: Math.min(...sharpness),
    ghosting: found.ghosting(),
  };
  return {
    ...assess({
      ...figures,
      isRetried: found.retried(),
      icvMm3: found.icv_mm3(),
      volumesMm3,
      centresMm,
    }),
    ncc,
    lncc: [coarse, fine],
    jacobian: [least, low, high],
    classMeans,
    cnr,
    snr: snr > 0 ? snr : null,
    winningPosterior,
    sharpness,
    ghosting: figures.ghosting,
    hasConverged,
    centroidOutliers: countOutliers(centresMm),
    subjectFromAtlas: found.subject_from_atlas() as Affine<"Ras", "Ras">,
  };
}
