import { type Element, writeInstance } from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";

/** Header attributes of a series that determine whether it counts as T1w, FLAIR or neither. */
export interface Acquisition {
  /** Series Description in the header */
  name: string;
  /** Protocol Name; equals the description when absent */
  protocol?: string;
  imageType?: string[];
  sequence?: string[];
  variant?: string[];
  /** acquisition type: 2D or 3D */
  type?: string;
  /** timing in ms; absent: not in the header */
  tr?: number;
  te?: number;
  ti?: number;
  flipDeg?: number;
  isAngiography?: boolean;
  contrastAgent?: string;
  /** pixel pattern of the images; derived from the series number when absent */
  picture?: number;
  slices?: number;
  stepMm?: number;
  /** Window Center and Width in the header; absent: not in the header */
  window?: { level: number; width: number };
  /** position of a bright pixel: column, row, slice */
  mark?: [number, number, number];
  /** DICOM elements that are added, or that replace elements with the same tag */
  attributes?: readonly Element[];
}

export const ORIGINAL = ["ORIGINAL", "PRIMARY", "M", "ND", "NORM"];

const gradientEcho = (
  tr: number,
  te: number,
  flipDeg: number,
  ti?: number,
): Partial<Acquisition> => ({
  sequence: ti === undefined ? ["GR"] : ["GR", "IR"],
  variant: ["SK", "SP", ...(ti === undefined ? [] : ["MP"])],
  type: "3D",
  tr,
  te,
  flipDeg,
  ...(ti === undefined ? {} : { ti }),
});
const spinEcho = (tr: number, te: number, ti?: number, type = "2D"): Partial<Acquisition> => ({
  sequence: ti === undefined ? ["SE"] : ["SE", "IR"],
  variant: ["SK", "SP", "OSP"],
  type,
  tr,
  te,
  flipDeg: 150,
  ...(ti === undefined ? {} : { ti }),
});
const echoPlanar = (tr: number, te: number, ti?: number): Partial<Acquisition> => ({
  ...spinEcho(tr, te, ti),
  sequence: ti === undefined ? ["EP"] : ["EP", "IR"],
});

/** Timing of typical sequences of a head examination. */
export const TIMING = {
  mprage: gradientEcho(2300, 2.98, 9, 900),
  bravo: gradientEcho(8.2, 3.2, 12, 450),
  tfe: gradientEcho(7, 3.2, 8),
  spgr: gradientEcho(24, 5, 45),
  t1Space: spinEcho(700, 11, undefined, "3D"),
  t1SpinEcho: spinEcho(550, 12),
  t1Flair: spinEcho(2000, 10, 850),
  flair: spinEcho(9000, 94, 2500),
  flair3d: spinEcho(5000, 388, 1800, "3D"),
  t2: spinEcho(4000, 100),
  t2Space: spinEcho(3200, 408, undefined, "3D"),
  stir: spinEcho(5000, 56, 160),
  dir: spinEcho(7500, 320, 3000, "3D"),
  t2Star: gradientEcho(600, 20, 20),
  susceptibility: gradientEcho(28, 20, 15),
  angiography: gradientEcho(21, 3.6, 18),
  protonDensity: gradientEcho(20, 4, 4),
  steadyState: { ...gradientEcho(8, 3.7, 70), variant: ["SS", "SK"] },
  diffusion: echoPlanar(6000, 90),
  epiFlair: echoPlanar(10000, 90, 2500),
  boldEpi: { ...echoPlanar(2000, 30), sequence: ["EP", "GR"] },
  fieldMap: gradientEcho(488, 4.92, 60),
  transmitMap: gradientEcho(14000, 2.1, 8),
  scout: gradientEcho(3.2, 1.4, 8),
  inversion1: gradientEcho(5000, 2.98, 4, 700),
  inversion2: gradientEcho(5000, 2.98, 5, 2500),
} as const satisfies Record<string, Partial<Acquisition>>;

const COLUMNS = 18, ROWS = 24;

/** Makes a UID from numbers (form of PS3.5 B.2). */
const uid = (...parts: number[]) =>
  `2.25.${parts.map((n) => String(n).padStart(6, "0")).join("")}`.slice(0, 64);

/**
 * Writes axial slices of a series with tiny images that no analysis can use.
 *
 * @param study  number of the study, and of its patient
 * @param series number of the series within the study
 */
export function writeAcquisition(
  acquisition: Acquisition,
  study: number,
  series: number,
): { fileName: string; bytes: Uint8Array<ArrayBuffer> }[] {
  const { name, picture = series, slices = 50, stepMm = 3, tr, te, ti, flipDeg } = acquisition;
  const commonElements: (Element | null)[] = [
    [0x00080008, "CS", acquisition.imageType ?? ORIGINAL],
    [0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.4"],
    [0x00080020, "DA", "20260105"],
    [0x00080060, "CS", "MR"],
    [0x0008103e, "LO", name],
    [0x00100010, "PN", `Phantom^${study}`],
    [0x00100020, "LO", `SERIES-${study}`],
    acquisition.contrastAgent ? [0x00180010, "LO", acquisition.contrastAgent] : null,
    [0x00180020, "CS", acquisition.sequence ?? []],
    [0x00180021, "CS", acquisition.variant ?? []],
    [0x00180023, "CS", acquisition.type ?? ""],
    [0x00180025, "CS", acquisition.isAngiography ? "Y" : "N"],
    [0x00180050, "DS", String(stepMm)],
    tr === undefined ? null : [0x00180080, "DS", String(tr)],
    te === undefined ? null : [0x00180081, "DS", String(te)],
    ti === undefined ? null : [0x00180082, "DS", String(ti)],
    flipDeg === undefined ? null : [0x00181314, "DS", String(flipDeg)],
    [0x00181030, "LO", acquisition.protocol ?? name],
    [0x0020000d, "UI", uid(study)],
    [0x0020000e, "UI", uid(study, series)],
    [0x00200011, "IS", String(series)],
    [0x00200037, "DS", ["1", "0", "0", "0", "1", "0"]],
    [0x00280030, "DS", ["9", "9"]],
    acquisition.window ? [0x00281050, "DS", String(acquisition.window.level)] : null,
    acquisition.window ? [0x00281051, "DS", String(acquisition.window.width)] : null,
  ];
  const { attributes = [] } = acquisition, replaced = new Set(attributes.map(([tag]) => tag));
  const elements = [
    ...commonElements.filter((element) => element !== null && !replaced.has(element[0])),
    ...attributes,
  ]
    .filter((element) => element !== null);
  return Array.from({ length: slices }, (_, k) => {
    const pixels = Uint16Array.from(
      { length: COLUMNS * ROWS },
      (_, i) => 50 + (i * 7 + k * 13 + picture) % 900,
    );
    const [column, row, slice] = acquisition.mark ?? [];
    if (slice === k) pixels[column! + COLUMNS * row!] = 2000;
    const sliceElements: Element[] = [
      [0x00080018, "UI", uid(study, series, k + 1)],
      [0x00200013, "IS", String(k + 1)],
      [0x00200032, "DS", ["-80", "-110", String(-70 + stepMm * k)]],
    ];
    const image = { columns: COLUMNS, rows: ROWS, pixels };
    return {
      fileName: `${series}_${k + 1}.dcm`,
      bytes: new Uint8Array(
        writeInstance([...elements, ...sliceElements], image, "explicit", "ISO_IR 192"),
      ),
    };
  });
}
