import { type Affine, type Shape, spacingMm } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { type Engine, type EngineOutcome, version } from "@/wasm/pkg/engine/bind_engine.js";
import type { AnalysisParameters } from "@/core/engine/worker/messages.ts";
import { MODEL } from "@/core/engine/second_opinion.ts";
import { ghosting } from "@/core/engine/ghosting.ts";
import { assess, countOutliers } from "@/core/engine/quality.ts";
import type {
  DeepStructures,
  EngineQuality,
  EngineResult,
  SecondOpinion,
  Surface,
  Thickness,
} from "@/core/engine/result.ts";
import type { StageRunner } from "@/core/engine/worker/stage_runner.ts";

/** Hands the voxels to the engine in their own type. */
export function conform(engine: Engine, { voxels, shape, rasFromIjk }: Volume): void {
  const size = new Uint32Array(shape);
  if (voxels instanceof Uint8Array) engine.conform_u8(voxels, size, rasFromIjk);
  else if (voxels instanceof Int8Array) engine.conform_i8(voxels, size, rasFromIjk);
  else if (voxels instanceof Uint16Array) engine.conform_u16(voxels, size, rasFromIjk);
  else if (voxels instanceof Int16Array) engine.conform_i16(voxels, size, rasFromIjk);
  else if (voxels instanceof Int32Array) engine.conform_i32(voxels, size, rasFromIjk);
  else engine.conform_f32(voxels, size, rasFromIjk);
}

/** What the networks said, where they were asked. */
interface Opinions {
  secondOpinion: SecondOpinion | null;
  deepStructures: DeepStructures | null;
}

/** The stages up to the labels. */
export function segmentT1(
  engine: Engine,
  volume: Volume,
  { biasCorrection, modelWeights, deepWeights }: AnalysisParameters,
  stages: StageRunner,
): Opinions {
  stages.run(3, "conform", () => conform(engine, volume));
  stages.run(6, "register", () => engine.register());
  stages.run(12, "deform", () => engine.deform());
  stages.run(40, "prior", () => engine.place_prior());
  stages.run(50, "segment", () => engine.segment(biasCorrection));
  const deepStructures = deepWeights && stages.run(56, "deep", () => fuse(engine, deepWeights));
  stages.run(60, "label", () => engine.label());
  if (!modelWeights) return { secondOpinion: null, deepStructures };
  const { cortex_dice, used, reason } = stages.run(64, "opinion", () => engine.consult(modelWeights));
  const model = `${MODEL.name} (${MODEL.publisher})`;
  return { secondOpinion: { model, agreement: cortex_dice, isUsed: used, reason }, deepStructures };
}

function fuse(engine: Engine, weights: Uint8Array): DeepStructures {
  const { version, used, reason, figures } = engine.fuse(weights);
  const [coverage = 0, entropy = 0, agreement = 0] = figures;
  return { model: version, isUsed: used, reason, coverage, entropy, agreement };
}

/** The engine's version with those of the networks that had a part in the result. */
function versionOf({ secondOpinion, deepStructures }: Opinions): string {
  const networks = [
    ...(deepStructures?.isUsed ? [`deep structures ${deepStructures.model}`] : []),
    ...(secondOpinion?.isUsed ? [MODEL.name] : []),
  ];
  return `sulcus-engine ${version()}${networks.length > 0 ? ` with ${networks.join(", ")}` : ""}`;
}

/** The stages after the labels are final. @returns The result, and the engine's own with its grid. */
export function measureT1(
  engine: Engine,
  rasFromSource: Affine<"Ras", "Ijk">,
  opinions: Opinions,
  stages: StageRunner,
): { result: EngineResult; outcome: EngineOutcome } {
  stages.run(80, "thickness", () => engine.measure_thickness());
  const surface = stages.run(88, "surface", () => surfaceOf(engine));
  const outcome = stages.run(96, "output", () => engine.finish());
  const volumesMm3 = [...outcome.volumes_mm3()];
  const quality = qualityOf(engine, volumesMm3, Math.max(...spacingMm(rasFromSource)));
  addCutWarning(engine, quality);
  const { secondOpinion, deepStructures } = opinions;
  if (secondOpinion && !secondOpinion.isUsed) quality.warnings.push("second_opinion_refused");
  if (deepStructures && !deepStructures.isUsed) {
    quality.warnings.push("deep_structures_refused");
    // a head that the network does not know is worth a look
    if (quality.grade === "A") quality.grade = "B";
  }
  const result: EngineResult = {
    version: versionOf(opinions),
    shape: [...outcome.shape()] as Shape,
    rasFromIjk: outcome.ras_from_ijk() as Affine<"Ras", "Ijk">,
    intensities: outcome.take_intensities(),
    labels: outcome.take_labels(),
    volumesMm3,
    icvMm3: engine.icv_mm3(),
    intracranial: outcome.take_intracranial(),
    thickness: thicknessOf(engine, outcome),
    surface,
    secondOpinion,
    deepStructures,
    stages: stages.stages,
    quality,
  };
  return { result, outcome };
}

function thicknessOf(engine: Engine, outcome: EngineOutcome): Thickness | null {
  const sides = engine.thickness_by_side(), [leftMm = 0, rightMm = 0] = sides;
  if (sides.length === 0) return null;
  return { map: outcome.take_thickness(), meanMm: [...engine.thickness_by_label()], leftMm, rightMm };
}

function surfaceOf(engine: Engine): Surface {
  const found = engine.build_surface();
  return {
    vertices: found.take_vertices(),
    faces: found.take_faces(),
    normals: found.take_normals(),
    values: found.take_values(),
    trianglesBefore: found.triangles_before(),
    eulerNumber: found.euler(),
  };
}

/** Least (white - grey) / 0.08 of the class means for percentiles: below, the borders of regions move with the noise. */
const MIN_CONTRAST = 2.0;

/**
 * Says that the field of view cuts the head, or that the contrast is too poor to rely on.
 * @param quality  Its warnings and grade are changed.
 */
function addCutWarning(engine: Engine, quality: EngineQuality): void {
  if (engine.cut_fraction() !== undefined) {
    quality.warnings.push("field_of_view_cut");
    if (quality.grade === "A") quality.grade = "B";
  }
  const [, grey = 0, , white = 0] = quality.classMeans;
  if ((white - grey) / 0.08 >= MIN_CONTRAST) return;
  if (!quality.warnings.includes("contrast_low")) quality.warnings.push("contrast_low");
  quality.grade = "C";
}

function qualityOf(engine: Engine, volumesMm3: number[], voxelMm: number): EngineQuality {
  const [ncc = 0, coarse = 0, fine = 0] = engine.similarity();
  const [least = 0, low = 0, high = 0, foldedFraction = 1] = engine.jacobian();
  const classMeans = [...engine.class_means()], winningPosterior = engine.winning_posterior();
  const hasConverged = engine.converged(), snr = engine.snr(), whiteSd = engine.white_sd();
  const cnr = whiteSd > 0 ? (classMeans[3]! - classMeans[1]!) / whiteSd : 0;
  const sharpness = [...engine.sharpness()] as [number, number, number];
  const ghosts = ghosting(engine.conformed());
  const flat = engine.centres(), affineParameters = [...engine.affine_parameters()];
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
    ghosting: ghosts,
  };
  return {
    ...assess({ ...figures, isRetried: engine.retried(), icvMm3: engine.icv_mm3(), volumesMm3, centresMm }),
    ncc,
    lncc: [coarse, fine],
    jacobian: [least, low, high],
    classMeans,
    cnr,
    snr: snr > 0 ? snr : null,
    winningPosterior,
    sharpness,
    ghosting: ghosts,
    hasConverged,
    centroidOutliers: countOutliers(centresMm),
    subjectFromAtlas: engine.subject_from_atlas() as Affine<"Ras", "Ras">,
  };
}
