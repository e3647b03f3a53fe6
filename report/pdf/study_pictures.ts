import { type Affine, applyAffine, compose, type Vec3 } from "@/model/geometry.ts";
import type { HeadLine, LinearMeasures } from "@/model/linear/linear_measures.ts";
import { isReadOnFlair } from "@/model/norms/any_contrast_error.ts";
import { DEEP as DEEP_WHITE, PERIVENTRICULAR } from "@/model/regions/lesions.ts";
import { CHANGE_VISITS, type ImageKey, type PlaneKey } from "@/model/schema/report/report.ts";
import {
  AXIS,
  DEEP_PAINT,
  fullestCutOf,
  INTRACRANIAL_PAINT,
  type LabelledVolume,
  lesionFrameOf,
  PERI_PAINT,
  type SliceFrame,
  sliceFrameOf,
  slicePng,
} from "@/report/pdf/slice_image.ts";

/** Lines on which the ventricles' widths and angle were measured, and the head's orientation. */
export interface MeasuredLines {
  /** rigid transform to the head's axes, see `model/linear/head_axes.ts` */
  headFromRas: Affine<"Ras", "Ras">;
  measures: LinearMeasures;
}

/** Volumes from which a report's pictures are drawn; at least one of T1w and FLAIR. */
export interface StudyVolumes {
  t1: LabelledVolume & { linear?: MeasuredLines | undefined } | null;
  flair: FlairVolume | null;
  /** changed lesions, for a study with FLAIR */
  changes?: ChangedPlaces | null;
}

/** Lesions that changed between the previous and this study, with positions to be drawn. */
interface ChangedPlaces {
  /** FLAIR volume of the previous study; its affine registers it to this study */
  prior: LabelledVolume;
  /** centres of the changed lesions, RAS mm of this study, at most `MOST_CHANGE_PICTURES` */
  placesRasMm: readonly Vec3[];
}

/** A FLAIR volume; its labels are 0 or a kind of lesion. */
interface FlairVolume extends LabelledVolume {
  /** labels of deep structures on the same grid, for a study without T1w */
  regions?: Uint8Array<ArrayBuffer>;
}

/** Buffers of all voxels, to be transferred to the worker without copying. */
export const voxelBuffersOf = ({ t1, flair, changes }: StudyVolumes): ArrayBuffer[] =>
  [t1, flair, changes?.prior ?? null].flatMap((volume) => {
    if (!volume) return [];
    const { intensities, labels, around, regions }: Partial<FlairVolume> & LabelledVolume = volume;
    return [intensities, labels, around, regions].flatMap((voxels) =>
      voxels ? [voxels.buffer] : []
    );
  });

/** PNG of each picture, and each slice's position on the axis across its plane, RAS mm. */
export interface StudyPictures {
  pictures: Partial<Record<ImageKey, Uint8Array<ArrayBuffer>>>;
  positionMm: Map<ImageKey, number>;
}

const PLANES = ["axial", "coronal", "sagittal"] as const satisfies readonly PlaneKey[];
/** Labels that supply one colour for all tissue and one for all ventricles in a picture. */
const TISSUE = 9, FLUID = 15;
const STRIP = 4, STRIP_PIXELS = 288, MASK_PIXELS = 400;
/** Side length of a hippocampus picture, mm; the hippocampi are in its centre. */
const HIPPOCAMPI_MM = 100;

const isFluid = (label: number) => (label >= 15 && label <= 18) || (label >= 25 && label <= 27);
const paintedAs = (of: (label: number) => number) =>
  new Uint8Array(256).map((_, label) => label === 0 ? 0 : of(label));
/** Label value painted for the intracranial space outside all labelled regions. */
const AROUND = 255;
const MEASURED = paintedAs((label) =>
    label === AROUND ? INTRACRANIAL_PAINT : isFluid(label) ? FLUID : TISSUE
  ),
  LESIONS = paintedAs((kind) => kind === PERIVENTRICULAR ? PERI_PAINT : DEEP_PAINT),
  UNPAINTED = paintedAs(() => 0),
  // values up to DEEP_WHITE are lesions, since deep structures have atlas labels from 7 on
  REGIONS_AND_LESIONS = paintedAs((label) =>
    label <= DEEP_WHITE ? LESIONS[label]! : isReadOnFlair(label) ? label : 0
  );

/** A picture that is still to be drawn. */
interface PlannedPicture {
  key: ImageKey;
  volume: () => LabelledVolume;
  plane: PlaneKey;
  frame: SliceFrame;
  /** side length of the picture, pixels */
  pixels?: number;
  /** measured lines drawn over the picture */
  lines?: readonly HeadLine[];
}

/**
 * Draws all pictures of a report. T1w: three planes, measured regions, and both hippocampi.
 * FLAIR: a strip of slices, and changed lesions in the previous and this study.
 * A study without T1w also has three planes of the FLAIR volume.
 *
 * @param onPlaced Receives all slice positions before rendering begins.
 * Rendering takes three quarters of the time, for which the report's text need not wait.
 */
export function drawStudy(
  { t1, flair, changes }: StudyVolumes,
  onPlaced: (positionMm: StudyPictures["positionMm"]) => void = () => {},
): StudyPictures {
  const planned = [
    ...t1 ? planT1(t1) : [],
    ...flair ? planFlair({ ...flair, painted: LESIONS }, t1 === null) : [],
    ...flair && changes ? planChanges(flair, changes) : [],
  ];
  const positionMm = new Map(
    planned.map(({ key, plane, frame }) => [key, frame.cutRasMm[AXIS[plane]]]),
  );
  onPlaced(positionMm);
  const pictures: StudyPictures["pictures"] = {};
  for (const { key, volume, plane, frame, pixels, lines } of planned) {
    pictures[key] = slicePng(volume(), plane, frame, pixels, lines);
  }
  return { pictures, positionMm };
}

function planT1(volume: NonNullable<StudyVolumes["t1"]>): PlannedPicture[] {
  const { outlined = [], linear, ...plain } = volume;
  const frame = sliceFrameOf(volume), middle = frame.hippocampiRasMm;
  const main = { ...frame, cutRasMm: fullestCutOf(volume, outlined) ?? frame.cutRasMm };
  let measured: LabelledVolume | null = null;
  const pictures = PLANES.flatMap((plane): PlannedPicture[] => [
    { key: plane, volume: () => volume, plane, frame: main },
    {
      key: `mask_${plane}`,
      volume: () => measured ??= measuredOf(plain),
      plane,
      frame,
      pixels: MASK_PIXELS,
    },
  ]);
  if (middle) {
    const frame = { centreRasMm: middle, sideMm: HIPPOCAMPI_MM, cutRasMm: middle };
    pictures.push(
      { key: "hippocampi_plain", volume: () => unpainted(plain), plane: "coronal", frame },
      { key: "hippocampi", volume: () => plain, plane: "coronal", frame },
    );
  }
  return [...pictures, ...linear ? planLines(plain, linear) : []];
}

/** Side lengths of pictures with measured lines, mm: whole slice, and ventricles only. */
const WIDTH_MM = 200, VENTRICLES_MM = 90;
/** Paints only the lateral and third ventricles, on which the lines are measured. */
const VENTRICLES_ALONE = paintedAs((label) =>
  label === 15 || label === 16 || label === 25 ? label : 0
);

/** Plans slices along the head's axes, each with the lines of a measure. */
function planLines(
  volume: LabelledVolume,
  { headFromRas, measures }: MeasuredLines,
): PlannedPicture[] {
  // for these pictures, mm along the head's axes are used in place of RAS mm
  const turned: LabelledVolume = {
    ...volume,
    rasFromIjk: compose(headFromRas, volume.rasFromIjk),
    painted: VENTRICLES_ALONE,
  };
  const { evans, frontal_horns: horns, third_ventricle: third, callosal_angle: angle } = measures;
  const picture = (
    key: ImageKey,
    plane: PlaneKey,
    lines: readonly HeadLine[] | undefined,
    centre: Vec3,
    sideMm: number,
  ): PlannedPicture[] => {
    const first = lines?.[0];
    if (!first) return [];
    const cutRasMm = first[0];
    return [{
      key,
      volume: () => turned,
      plane,
      frame: { centreRasMm: centre, sideMm, cutRasMm },
      pixels: MASK_PIXELS,
      lines: lines!,
    }];
  };
  return [
    ...picture("width_horns", "axial", (evans ?? horns)?.lines, [0, -18, 0], WIDTH_MM),
    ...picture("width_third", "axial", third?.lines, [0, -10, 0], VENTRICLES_MM),
    ...picture("width_callosal", "coronal", angle?.lines, [0, 0, 25], VENTRICLES_MM),
  ];
}

/** The volume without painted labels: a physician reads a visual grade from the plain image. */
const unpainted = (volume: LabelledVolume): LabelledVolume => ({ ...volume, painted: UNPAINTED });

/** The volume with tissue, ventricles and intracranial space in one colour each. */
function measuredOf(volume: LabelledVolume): LabelledVolume {
  const { labels, around } = volume;
  return {
    ...volume,
    painted: MEASURED,
    labels: around
      ? labels.map((label, at) => label === 0 && around[at]! > 0 ? AROUND : label)
      : labels,
  };
}

/** The FLAIR volume with deep structures, and lesions painted over them. */
function regionsAndLesions({ regions, ...volume }: FlairVolume): LabelledVolume {
  const labels = regions!.map((region, at) => volume.labels[at] || region);
  return { ...volume, labels, painted: REGIONS_AND_LESIONS };
}

function planFlair(volume: FlairVolume, isAlone: boolean): PlannedPicture[] {
  const frame = lesionFrameOf(volume);
  const shownVolume = isAlone && volume.regions ? regionsAndLesions(volume) : volume;
  // slices pass through the deep structures, if any, because the strip already shows the lesions
  const { cutRasMm } = shownVolume === volume ? frame : sliceFrameOf(shownVolume),
    planes = { ...frame, cutRasMm };
  return [
    ...(isAlone ? PLANES : []).map((plane) => ({
      key: plane,
      volume: () => shownVolume,
      plane,
      frame: planes,
    })),
    ...stripOf(volume).flatMap((mm, n): PlannedPicture[] => {
      const cutRasMm: Vec3 = [...frame.cutRasMm];
      cutRasMm[2] = mm;
      const cut = { plane: "axial", frame: { ...frame, cutRasMm }, pixels: STRIP_PIXELS } as const;
      return [
        { ...cut, key: `flair_${n + 1 as 1}_plain`, volume: () => unpainted(volume) },
        { ...cut, key: `flair_${n + 1 as 1}`, volume: () => volume },
      ];
    }),
  ];
}

/** Side length of a picture of a changed lesion, in mm and in pixels. */
const CHANGE_MM = 60, CHANGE_PIXELS = 400;
/** Paints lesions as outlines: a filled lesion would hide its intensity in the image. */
const UNFILLED = paintedAs(() => 1), OUTLINED = [PERIVENTRICULAR, DEEP_WHITE];

/** Plans pictures of each changed lesion on an axial slice, in the previous and this study. */
function planChanges(flair: FlairVolume, { prior, placesRasMm }: ChangedPlaces): PlannedPicture[] {
  return placesRasMm.flatMap((place, n) =>
    CHANGE_VISITS.map((visit): PlannedPicture => ({
      key: `change_${n + 1 as 1}_${visit}`,
      volume: () => ({
        ...visit === "before" ? prior : flair,
        painted: UNFILLED,
        outlined: OUTLINED,
      }),
      plane: "axial",
      frame: { centreRasMm: place, cutRasMm: place, sideMm: CHANGE_MM },
      pixels: CHANGE_PIXELS,
    }))
  );
}

/** Minimum distance between two slices of the strip of lesion slices, mm. */
const STRIP_GAP_MM = 8;

/**
 * Positions of the FLAIR strip, RAS mm, ascending: the slices with the most lesion voxels.
 * Slices are at least 8 mm apart; at most four, and none if there are no lesions.
 */
export function stripOf({ labels, shape: [nx, ny], rasFromIjk }: LabelledVolume): number[] {
  const voxels = new Map<number, number>();
  for (let at = 0; at < labels.length; at++) {
    if (labels[at] === 0) continue;
    const z =
      applyAffine(rasFromIjk, [at % nx, Math.floor(at / nx) % ny, Math.floor(at / nx / ny)])[2];
    voxels.set(Math.round(z), (voxels.get(Math.round(z)) ?? 0) + 1);
  }
  const chosen: number[] = [];
  for (const [mm] of [...voxels].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
    if (chosen.length === STRIP) break;
    if (chosen.every((other) => Math.abs(other - mm) >= STRIP_GAP_MM)) chosen.push(mm);
  }
  return chosen.sort((a, b) => a - b);
}
