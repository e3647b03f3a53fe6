import type { HeadOptions } from "@/server/commands/demo/phantom/head_types.ts";
import { makeHead } from "@/server/commands/demo/phantom/head.ts";
import { axes, PLANES, tilted } from "@/server/commands/demo/phantom/grid.ts";
import {
  FLAIR_SERIES,
  makeSeries,
  type PhantomFile,
  type PhantomPatient,
  type SeriesOptions,
  T1_SERIES,
} from "@/server/commands/demo/phantom/dicom/series.ts";

/** One synthetic patient: identity, head and series. */
interface PhantomCase {
  patient: PhantomPatient;
  head: Partial<HeadOptions>;
  series: Partial<SeriesOptions>[];
}

const AXIAL_T1: Partial<SeriesOptions> = {
  ...T1_SERIES,
  grid: {
    shape: [224, 256, 190],
    centreRasMm: [0, -14, 12],
    directions: tilted(axes(PLANES.axial), [-8, 0, 0]),
    spacingMm: [0.95, 0.95, 1],
  },
  description: "AX T1 BRAVO",
};

/** Coronal series with 1.5 mm slices: anisotropic voxels. */
const CORONAL_T1: Partial<SeriesOptions> = {
  ...T1_SERIES,
  grid: {
    shape: [240, 240, 150],
    centreRasMm: [0, -14, 6],
    directions: axes(PLANES.coronal),
    spacingMm: [1, 1, 1.5],
  },
  sliceThicknessMm: 1.5,
  description: "COR T1 SPGR",
};

/**
 * Synthetic patients for tests and manual uploads: a healthy one (sagittal);
 * one with a small left hippocampus and wide ventricles (axial, oblique),
 * scanned again 1.5 years later; one with white matter lesions and FLAIR;
 * one without birth date and sex (coronal, anisotropic); and one with only a FLAIR series.
 */
export const PHANTOM_CASES: readonly PhantomCase[] = [
  {
    patient: {
      patientId: "CASE-0001",
      name: "Kim^Haneul=金^하늘=김^하늘",
      birthDate: "19580312",
      sex: "F",
      studyDate: "20260105",
      characterSet: "ISO_IR 192",
    },
    head: { seed: 1 },
    series: [T1_SERIES],
  },
  {
    patient: {
      patientId: "CASE-0002",
      name: "Park^Jiho=朴^智浩=박^지호",
      birthDate: "19490822",
      sex: "M",
      studyDate: "20240617",
      characterSet: "ISO 2022 IR 149",
    },
    head: {
      seed: 2,
      ventriclesMm: [0.3, -0.4],
      hippocampiMm: [-0.7, -0.3],
      atrophy: 1.3,
      poseDeg: [-3, -4, 2],
    },
    series: [AXIAL_T1],
  },
  {
    patient: {
      patientId: "CASE-0003",
      name: "Müller^Anna",
      birthDate: "19640505",
      sex: "F",
      studyDate: "20260220",
      characterSet: "ISO_IR 100",
    },
    head: { seed: 3, lesionsMl: [2.1, 1.4, 0.6, 0.9, 0.3, 0.5], scale: 0.93, poseDeg: [6, 3, 1] },
    series: [T1_SERIES, FLAIR_SERIES],
  },
  {
    patient: {
      patientId: "CASE-0002",
      name: "Park^Jiho=朴^智浩=박^지호",
      birthDate: "19490822",
      sex: "M",
      studyDate: "20260618",
      characterSet: "ISO 2022 IR 149",
    },
    head: {
      seed: 2,
      ventriclesMm: [0.8, 0],
      hippocampiMm: [-1.1, -0.6],
      atrophy: 1.45,
      poseDeg: [2, 1, -2],
    },
    series: [AXIAL_T1],
  },
  {
    patient: {
      patientId: "CASE-0004",
      name: "Unknown^Patient",
      birthDate: "",
      sex: "",
      studyDate: "20260301",
      characterSet: "ISO_IR 192",
    },
    head: { seed: 4, scale: 0.97, ventriclesMm: [-1.2, -1.6] },
    series: [CORONAL_T1],
  },
  {
    patient: {
      patientId: "CASE-0005",
      name: "Choi^Minseo=崔^旼書=최^민서",
      birthDate: "19520311",
      sex: "M",
      studyDate: "20260412",
      characterSet: "ISO_IR 192",
    },
    head: { seed: 5, lesionsMl: [3.1, 1.8, 0.9, 0.5], ventriclesMm: [0.4, 0.2] },
    series: [FLAIR_SERIES],
  },
];

/** Generates all files of one patient; takes about 8 s and makes 25 to 50 MB. */
export function makeCase(phantom: PhantomCase): PhantomFile[] {
  const head = makeHead(phantom.head);
  return phantom.series.flatMap((series) =>
    makeSeries(head, { ...series, patient: phantom.patient }).files
  );
}
