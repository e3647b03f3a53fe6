import { type Affine, compose, invert, type Vec3 } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import {
  type CharacterSet,
  type Element,
  Items,
  type PixelEncoding,
  writeInstance,
} from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";
import { axes, type Grid, PLANES, rasFromGrid } from "@/server/commands/demo/phantom/grid.ts";
import type { Head } from "@/server/commands/demo/phantom/head_types.ts";
import { normalTable, Random } from "@/server/commands/demo/phantom/random.ts";

export type Contrast = "t1" | "flair";

export interface PhantomPatient {
  patientId: string;
  /** patient name, in the form of a DICOM person name */
  name: string;
  /** date of birth, YYYYMMDD; "" if unknown */
  birthDate: string;
  sex: "M" | "F" | "";
  /** date of the study, YYYYMMDD */
  studyDate: string;
  characterSet: CharacterSet;
}

/** Defects with which a series can be written, for tests of the import. */
export type Defect =
  | "missing_slice"
  | "truncated"
  | "no_pixel_data"
  | "mixed_slices"
  | "duplicate_instance"
  | "no_geometry"
  | "other_modality";

export interface SeriesOptions {
  contrast: Contrast;
  grid: Grid;
  /** slice thickness of the signal, mm; smaller than the spacing leaves a gap */
  sliceThicknessMm: number;
  /** standard deviation of Rician noise, white matter = 1 */
  noise: number;
  /** maximum gain of the receive field over the head; 0.2 = ±20 % */
  biasField: number;
  encoding: PixelEncoding;
  /** whether to write one enhanced MR file with a frame per slice; explicit encoding only */
  isEnhanced: boolean;
  patient: PhantomPatient;
  /**
   * number that distinguishes the UIDs of series; the study's UID depends on patient and study date
   */
  seriesNumber: number;
  description: string;
  defects: Defect[];
}

export const KOREAN_PATIENT: PhantomPatient = {
  patientId: "SP-0001",
  name: "Kim^Haneul=金^하늘=김^하늘",
  birthDate: "19580312",
  sex: "F",
  studyDate: "20260105",
  characterSet: "ISO_IR 192",
};

/** 1 mm sagittal T1w of the whole head: 176 slices of 256 × 256. */
export const T1_GRID: Grid = {
  shape: [256, 256, 176],
  centreRasMm: [0, -14, 6],
  directions: axes(PLANES.sagittal),
  spacingMm: [1, 1, 1],
};

/** Axial FLAIR with thick slices: 56 slices of 3 mm, 0.9 mm in plane. */
export const FLAIR_GRID: Grid = {
  shape: [256, 256, 56],
  centreRasMm: [0, -14, 14],
  directions: axes(PLANES.axial),
  spacingMm: [0.9, 0.9, 3],
};

/** Fast axial T1w for geometry tests: 56 slices of 64 × 72 at 3.2 mm; use with a head at 2 mm. */
export const COARSE_GRID: Grid = {
  shape: [64, 72, 56],
  centreRasMm: [0, -14, -30],
  directions: axes(PLANES.axial),
  spacingMm: [3.2, 3.2, 3.2],
};

export const T1_SERIES: SeriesOptions = {
  contrast: "t1",
  grid: T1_GRID,
  sliceThicknessMm: 1,
  noise: 0.025,
  biasField: 0.18,
  encoding: "explicit",
  isEnhanced: false,
  patient: KOREAN_PATIENT,
  seriesNumber: 3,
  description: "T1 MPRAGE",
  defects: [],
};

export const FLAIR_SERIES: SeriesOptions = {
  ...T1_SERIES,
  contrast: "flair",
  grid: FLAIR_GRID,
  sliceThicknessMm: 3,
  noise: 0.03,
  seriesNumber: 5,
  description: "T2 FLAIR",
};

export interface PhantomFile {
  fileName: string;
  bytes: Uint8Array;
}

export interface PhantomSeries {
  files: PhantomFile[];
  /** stored pixel values by [column, row, slice] */
  voxels: Int16Array;
  grid: Grid;
  rasFromIjk: Affine<"Ras", "Ijk">;
}

/** Stored pixel value of white matter. */
const STORED_WHITE = 600;

/**
 * Scans a head and writes the series. Slice k of the grid is instance k + 1. A third letter of the
 * orientation opposite to row × column gives a stack that is acquired in reverse order.
 */
export function makeSeries(head: Head, wanted: Partial<SeriesOptions> = {}): PhantomSeries {
  const options = { ...T1_SERIES, ...wanted };
  const rasFromIjk = rasFromGrid(options.grid);
  const voxels = scan(head, options, rasFromIjk);
  const write = options.isEnhanced ? writeEnhanced : writeSlices;
  const files = write(voxels, options, rasFromIjk, head.options.seed);
  return { files, voxels, grid: options.grid, rasFromIjk };
}

/** Scans a head without writing files: the same volume as {@link makeSeries}. */
export function scanVolume(head: Head, wanted: Partial<SeriesOptions> = {}): Volume {
  const options = { ...T1_SERIES, ...wanted }, rasFromIjk = rasFromGrid(options.grid);
  return { voxels: scan(head, options, rasFromIjk), shape: options.grid.shape, rasFromIjk };
}

function scan(head: Head, options: SeriesOptions, rasFromIjk: Affine<"Ras", "Ijk">): Int16Array {
  const { grid, contrast } = options, [nx, ny, nz] = grid.shape, [hx, hy, hz] = head.shape;
  const image = contrast === "t1" ? head.t1 : head.flair;
  const m = compose(invert(head.rasFromIjk), rasFromIjk) as unknown as Float64Array;
  const layers = Math.max(
    1,
    Math.ceil(options.sliceThicknessMm / Math.max(1, head.resolutionMm) - 0.2),
  );
  const offsets = Array.from(
    { length: layers },
    (_, n) => ((n + 0.5) / layers - 0.5) * options.sliceThicknessMm / grid.spacingMm[2],
  );
  const normal = normalTable(head.options.seed * 23 + options.seriesNumber);
  const random = new Random(head.options.seed * 29 + options.seriesNumber);
  const gain = receiveField(options, rasFromIjk);
  const voxels = new Int16Array(nx * ny * nz), sy = hx, sz = hx * hy, unit = STORED_WHITE / 1000;
  for (let k = 0, v = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, v++) {
        let sum = 0;
        for (let n = 0; n < layers; n++) {
          const kk = k + offsets[n]!;
          const fx = m[0]! * i + m[4]! * j + m[8]! * kk + m[12]!;
          const fy = m[1]! * i + m[5]! * j + m[9]! * kk + m[13]!;
          const fz = m[2]! * i + m[6]! * j + m[10]! * kk + m[14]!;
          if (!(fx >= 0 && fy >= 0 && fz >= 0 && fx < hx - 1 && fy < hy - 1 && fz < hz - 1)) {
            continue;
          }
          const x = fx | 0,
            y = fy | 0,
            z = fz | 0,
            tx = fx - x,
            ty = fy - y,
            tz = fz - z,
            u = x + sy * y + sz * z;
          const a = (image[u]! * (1 - tx) + image[u + 1]! * tx) * (1 - ty) +
            (image[u + sy]! * (1 - tx) + image[u + sy + 1]! * tx) * ty;
          const w = u + sz;
          const b = (image[w]! * (1 - tx) + image[w + 1]! * tx) * (1 - ty) +
            (image[w + sy]! * (1 - tx) + image[w + sy + 1]! * tx) * ty;
          sum += a * (1 - tz) + b * tz;
        }
        const bits = random.bits(), noise = options.noise * 1000;
        const real = sum / layers * gain(i, j, k) + noise * normal[bits & 0xffff]!;
        const imaginary = noise * normal[bits >>> 16]!;
        voxels[v] = Math.min(4095, Math.sqrt(real * real + imaginary * imaginary) * unit + 0.5);
      }
    }
  }
  return voxels;
}

/** A smooth receive field: quadratic in patient mm, 1 at the centre of the head. */
function receiveField(options: SeriesOptions, rasFromIjk: Affine<"Ras", "Ijk">) {
  const m = rasFromIjk as unknown as Float64Array, b = options.biasField;
  return (i: number, j: number, k: number): number => {
    const x = (m[0]! * i + m[4]! * j + m[8]! * k + m[12]!) / 90;
    const y = (m[1]! * i + m[5]! * j + m[9]! * k + m[13]!) / 90;
    const z = (m[2]! * i + m[6]! * j + m[10]! * k + m[14]!) / 90;
    return 1 +
      b * Math.max(-2, Math.min(2, 0.55 * y + 0.4 * z - 0.25 * x + 0.45 * (x * x + y * y) - 0.35));
  };
}

/** A UID derived from numbers (form of PS3.5 B.2); deterministic. */
function uid(...parts: (string | number)[]): string {
  let hash = 0xcbf29ce484222325n; // FNV-1a, 64 bits
  for (const c of parts.join("|")) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(c.codePointAt(0)!)) * 0x100000001b3n);
  }
  return `2.25.${hash}`;
}

const lps = (v: Readonly<Vec3>) => [-v[0], -v[1], v[2]].map(decimal);

const decimal = (x: number): string => String(Number(x.toFixed(9))).slice(0, 16);

function writeSlices(
  voxels: Int16Array,
  options: SeriesOptions,
  rasFromIjk: Affine<"Ras", "Ijk">,
  seed: number,
): PhantomFile[] {
  const { grid, patient, defects, encoding } = options, [nx, ny, nz] = grid.shape;
  const common = seriesElements(options, seed);
  const m = rasFromIjk as unknown as Float64Array;
  const middle = Math.floor(nz / 2), files: PhantomFile[] = [];
  for (let k = 0; k < nz; k++) {
    if (defects.includes("missing_slice") && k === middle) continue;
    const isMixed = defects.includes("mixed_slices") && k === middle;
    const rows = isMixed ? ny - 8 : ny;
    const position = [0, 1, 2].map((r) => m[8 + r]! * k + m[12 + r]!) as Vec3;
    const elements: Element[] = [...common, [
      0x00080018,
      "UI",
      uid(seed, common[0]![2] as string, k),
    ], [
      0x00200013,
      "IS",
      String(k + 1),
    ]];
    if (!defects.includes("no_geometry")) {
      elements.push(
        [0x00200032, "DS", lps(position)],
        [0x00200037, "DS", [...lps(grid.directions[0]), ...lps(grid.directions[1])]],
      );
    }
    const image = defects.includes("no_pixel_data") && k === middle ? undefined : {
      columns: nx,
      rows,
      pixels: voxels.subarray(nx * ny * k, nx * ny * k + nx * rows),
    };
    let bytes = writeInstance(elements, image, encoding, patient.characterSet);
    if (defects.includes("truncated") && k === middle) {
      bytes = bytes.subarray(0, bytes.length - 1000);
    }
    const fileName = `${options.contrast}_${String(k + 1).padStart(4, "0")}.dcm`;
    files.push({ fileName, bytes });
    if (defects.includes("duplicate_instance") && k === middle) {
      files.push({ fileName: fileName.replace(".dcm", "_copy.dcm"), bytes });
    }
  }
  return files;
}

/** Tags that an enhanced file stores in functional groups instead of at the top level. */
const IN_GROUPS = new Set([0x00180050, 0x00180080, 0x00180081, 0x00180082, 0x00181314, 0x00280030]);

/** Enhanced MR Image Storage (PS3.3 A.36): geometry and timing in functional groups. */
function writeEnhanced(
  voxels: Int16Array,
  options: SeriesOptions,
  rasFromIjk: Affine<"Ras", "Ijk">,
  seed: number,
): PhantomFile[] {
  const { grid, patient, encoding } = options, [nx, ny, nz] = grid.shape;
  const m = rasFromIjk as unknown as Float64Array;
  const common = seriesElements(options, seed), series = common[0]![2] as string;
  const classUid = "1.2.840.10008.5.1.4.1.1.4.1";
  const value = (tag: number) => common.find((e) => e[0] === tag)![2];
  const group = (
    tag: number,
    ...elements: Element[]
  ): Element => [tag, "SQ", new Items([elements])];
  const shared = [
    group(0x00189112, [0x00180080, "DS", value(0x00180080)], [0x00181314, "DS", value(0x00181314)]),
    group(0x00189114, [0x00189082, "FD", Number(value(0x00180081))]),
    group(0x00189115, [0x00189079, "FD", Number(value(0x00180082))]),
    group(0x00209116, [0x00200037, "DS", [...lps(grid.directions[0]), ...lps(grid.directions[1])]]),
    group(0x00289110, [0x00180050, "DS", value(0x00180050)], [0x00280030, "DS", value(0x00280030)]),
    group(0x00289145, [0x00281052, "DS", "0"], [0x00281053, "DS", "1"], [0x00281054, "LO", "US"]),
  ];
  const frames = Array.from({ length: nz }, (_, k) => [
    group(0x00209111, [0x00209056, "SH", "1"], [0x00209057, "UL", k + 1], [0x00209157, "UL", [
      1,
      k + 1,
    ]]),
    group(0x00209113, [
      0x00200032,
      "DS",
      lps([0, 1, 2].map((r) => m[8 + r]! * k + m[12 + r]!) as Vec3),
    ]),
  ]);
  const elements: Element[] = [
    ...common.filter((e) => !IN_GROUPS.has(e[0]) && e[0] !== 0x00080016),
    [0x00080016, "UI", classUid],
    [0x00080018, "UI", uid(seed, series, "enhanced")],
    [0x00200013, "IS", "1"],
    [0x00280008, "IS", String(nz)],
    [0x52009229, "SQ", new Items([shared])],
    [0x52009230, "SQ", new Items(frames)],
  ];
  const bytes = writeInstance(
    elements,
    { columns: nx, rows: ny, pixels: voxels },
    encoding,
    patient.characterSet,
  );
  return [{ fileName: `${options.contrast}_enhanced.dcm`, bytes }];
}

/** DICOM elements that all slices of a series share; the first element is the series UID. */
function seriesElements(options: SeriesOptions, seed: number): Element[] {
  const { patient, grid, contrast } = options;
  const study = uid("study", patient.patientId, patient.studyDate, seed);
  const modality = options.defects.includes("other_modality") ? "CT" : "MR";
  const timing: Element[] = contrast === "t1"
    ? [
      [0x00180020, "CS", ["GR", "IR"]],
      [0x00180023, "CS", "3D"],
      [0x00180024, "SH", "*tfl3d1_16ns"],
      [0x00180080, "DS", "2300"],
      [0x00180081, "DS", "2.98"],
      [0x00180082, "DS", "900"],
      [0x00181314, "DS", "9"],
    ]
    : [
      [0x00180020, "CS", ["SE", "IR"]],
      [0x00180023, "CS", "2D"],
      [0x00180024, "SH", "*tir2d1_16"],
      [0x00180080, "DS", "9000"],
      [0x00180081, "DS", "94"],
      [0x00180082, "DS", "2500"],
      [0x00181314, "DS", "150"],
    ];
  return [
    [
      0x0020000e,
      "UI",
      uid("series", study, options.seriesNumber, options.description, grid.shape.join()),
    ],
    [0x0020000d, "UI", study],
    [0x00080008, "CS", ["ORIGINAL", "PRIMARY", "M", "ND", "NORM"]],
    [0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.4"],
    [0x00080020, "DA", patient.studyDate],
    [0x00080021, "DA", patient.studyDate],
    [0x00080030, "TM", "101500"],
    [0x00080031, "TM", `10${String(15 + options.seriesNumber).padStart(2, "0")}00`],
    [0x00080060, "CS", modality],
    [0x00080070, "LO", "Sulcus phantom"],
    [0x00081030, "LO", "Brain"],
    [0x0008103e, "LO", options.description],
    [0x00081090, "LO", "Synthetic head"],
    [0x00100010, "PN", patient.name],
    [0x00100020, "LO", patient.patientId],
    [0x00100030, "DA", patient.birthDate],
    [0x00100040, "CS", patient.sex],
    [0x00180050, "DS", decimal(options.sliceThicknessMm)],
    [0x00180087, "DS", "3"],
    [0x00180088, "DS", decimal(grid.spacingMm[2])],
    [0x00181030, "LO", options.description],
    [0x00185100, "CS", "HFS"],
    ...timing,
    [0x00200010, "SH", "1"],
    [0x00200011, "IS", String(options.seriesNumber)],
    [0x00200012, "IS", "1"],
    [0x00200052, "UI", uid("frame", study)],
    [0x00280030, "DS", [decimal(grid.spacingMm[1]), decimal(grid.spacingMm[0])]],
  ];
}
