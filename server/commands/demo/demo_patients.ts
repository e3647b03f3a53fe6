import { makeHead } from "@/server/commands/demo/phantom/head.ts";
import type { HeadOptions } from "@/server/commands/demo/phantom/head_types.ts";
import {
  FLAIR_SERIES,
  KOREAN_PATIENT,
  makeSeries,
  type PhantomPatient,
  T1_GRID,
} from "@/server/commands/demo/phantom/dicom/series.ts";
import { axes, PLANES, tilted } from "@/server/commands/demo/phantom/grid.ts";

/** A file in the form of the upload API. */
interface DemoFile {
  fileName: string;
  bytes: Uint8Array<ArrayBuffer>;
}

interface DemoPatient extends PhantomPatient {
  /** description of the patient, printed on the terminal */
  note: string;
  head: Partial<HeadOptions>;
  /** rotation of the slices about x, y and z, degrees */
  tiltDeg?: [number, number, number];
  /** kind of series, `t1w` or `flair`; default `t1w` */
  series?: "t1w" | "both" | "flair";
}

/** Five synthetic people; no value comes from a real patient. The first takes the least time. */
export const DEMO_PATIENTS: readonly DemoPatient[] = [
  {
    ...KOREAN_PATIENT,
    note: "67-year-old woman, T1w and FLAIR with lesions",
    head: { seed: 1, lesionsMl: [2.4, 1.1, 0.6] },
    series: "both",
  },
  {
    ...KOREAN_PATIENT,
    patientId: "SP-0002",
    name: "Novak^Peter",
    birthDate: "19510720",
    sex: "M",
    note: "74-year-old man, wide ventricles, small hippocampi, oblique slices",
    head: {
      seed: 2,
      ventriclesMm: [1.4, 0.6],
      hippocampiMm: [-1, -0.7],
      atrophy: 1.5,
      scale: 0.98,
    },
    tiltDeg: [12, 0, 6],
  },
  {
    ...KOREAN_PATIENT,
    patientId: "SP-0003",
    name: "Lee^Jiwoo=李^智優=이^지우",
    birthDate: "19870203",
    sex: "F",
    note: "38-year-old woman",
    head: { seed: 3, scale: 0.93 },
  },
  {
    ...KOREAN_PATIENT,
    patientId: "SP-0004",
    name: "Rossi^Elena",
    birthDate: "20160914",
    sex: "F",
    note: "9-year-old girl: percentiles are given only from 18 to 100 years of age",
    head: { seed: 4, scale: 0.9 },
  },
  {
    ...KOREAN_PATIENT,
    patientId: "SP-0005",
    name: "Choi^Minseo=崔^旼書=최^민서",
    birthDate: "19520311",
    sex: "M",
    note: "74-year-old man, FLAIR only, with lesions",
    head: { seed: 5, lesionsMl: [3.1, 1.8, 0.9, 0.5], ventriclesMm: [0.4, 0.2] },
    series: "flair",
  },
];

/** Makes all DICOM files of a patient. */
export function makeDemoFiles(patient: DemoPatient): DemoFile[] {
  const head = makeHead(patient.head);
  const upright = axes(PLANES.sagittal);
  const directions = patient.tiltDeg ? tilted(upright, patient.tiltDeg) : upright;
  const wanted = patient.series ?? "t1w";
  const series = [
    ...(wanted === "flair"
      ? []
      : [makeSeries(head, { patient, grid: { ...T1_GRID, directions } })]),
    ...(wanted === "t1w" ? [] : [makeSeries(head, { ...FLAIR_SERIES, patient })]),
  ];
  return series.flatMap(({ files }, n) =>
    files.map(({ fileName, bytes }) => ({
      fileName: `${n + 1}_${fileName}`,
      bytes: new Uint8Array(bytes),
    }))
  );
}
