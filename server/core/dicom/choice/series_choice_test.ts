// covers: D1-3.2, S-129
import assert from "node:assert/strict";
import { type ClassifyRules, DEFAULT_RULES } from "@/model/dicom/classify.ts";
import { readInstance } from "@/server/core/dicom/read/instance.ts";
import { groupSeries } from "@/server/core/dicom/read/series.ts";
import {
  type Acquisition,
  TIMING,
  writeAcquisition,
} from "@/server/commands/demo/phantom/acquisitions.ts";

/** Result for each series of a study: the series kind, or the reason for refusal. */
function fate(
  acquisitions: readonly Acquisition[],
  rules: ClassifyRules = DEFAULT_RULES,
): string[] {
  const files = acquisitions.flatMap((acquisition, n) => writeAcquisition(acquisition, 1, n + 1));
  const { studies, rejected } = groupSeries(
    files.map(({ fileName, bytes }) => ({ fileName, header: readInstance(bytes, fileName) })),
    rules,
  );
  const fates = new Map(
    rejected.map((verdict) => [Number(verdict.fileName.split("_")[0]), verdict.reason as string]),
  );
  for (const { kind, header } of studies.flatMap((study) => study.series)) {
    fates.set(header.seriesNumber!, kind);
  }
  return acquisitions.map((_, n) => fates.get(n + 1) ?? "lost");
}

const derived = (...parts: string[]) => ({ imageType: ["DERIVED", "SECONDARY", ...parts] });

const ALONE: readonly [Acquisition, string][] = [
  // T1w series of all manufacturers
  [{ name: "t1_mprage_sag_p2_iso", ...TIMING.mprage }, "t1"],
  [{ name: "MPRAGE ADNI", ...TIMING.mprage }, "t1"],
  [{ name: "Ax 3D BRAVO", protocol: "HEAD ROUTINE", ...TIMING.bravo }, "t1"],
  [{ name: "Sag 3D FSPGR IR PREP", ...TIMING.bravo }, "t1"],
  [{ name: "COR SPGR 1.5mm", ...TIMING.spgr }, "t1"],
  [{ name: "sT1W_3D_TFE", ...TIMING.tfe }, "t1"],
  [{ name: "WIP 3D_TFE_SENSE", ...TIMING.tfe }, "t1"],
  [{ name: "3D GEIR RSSG", ...TIMING.bravo }, "t1"],
  [{ name: "t1_vibe_tra_iso", ...TIMING.tfe }, "t1"],
  [{ name: "t1_space_sag_iso", ...TIMING.t1Space }, "t1"],
  [{ name: "T1 SE TRA", ...TIMING.t1SpinEcho }, "t1"],
  [{ name: "mp2rage_UNI_Images", ...derived("M", "ND", "UNI"), ...TIMING.mprage }, "t1"],
  [{ name: "Anatomie 3D", ...TIMING.mprage }, "t1"],
  [{ name: "", ...TIMING.tfe }, "t1"],
  [{ name: "T1 without timing" }, "t1"],
  [{ name: "sub-02_T1w", ...TIMING.mprage }, "t1"],
  // FLAIR series of all manufacturers
  [{ name: "t2_tirm_tra_dark-fluid_4mm", ...TIMING.flair }, "t2"],
  [{ name: "Ax T2 FLAIR", protocol: "T1 AND FLAIR BRAIN", ...TIMING.flair }, "t2"],
  [{ name: "Sag CUBE T2 FLAIR", ...TIMING.flair3d }, "t2"],
  [{ name: "3D_Brain_VIEW_FLAIR", ...TIMING.flair3d }, "t2"],
  [{ name: "t2_space_dark-fluid_sag_p2", ...TIMING.flair3d }, "t2"],
  [{ name: "t2_spc_da-fl_sag", ...TIMING.flair3d }, "t2"],
  [{ name: "T2W_FLAIR_SPAIR" }, "t2"],
  [{ name: "Axial brain", ...TIMING.flair }, "t2"],
  // the protocol name describes the whole examination, not the series
  [{ name: "Ax T2 FLAIR", protocol: "T1 BRAIN", slices: 30 }, "t2"],
  [{ name: "Ax T2 FSE", protocol: "T1 BRAIN", ...TIMING.t2 }, "unclassified"],
  [{ name: "DWI b1000", protocol: "BRAIN T1 FLAIR", ...TIMING.diffusion }, "unclassified"],
  [{ name: "T1 MPRAGE", protocol: "Scout and brain", ...TIMING.mprage }, "t1"],
  [{ name: "T1 block 2", ...TIMING.mprage }, "t1"],
  // T2w series that are not FLAIR
  [{ name: "t2_tse_tra", ...TIMING.t2 }, "unclassified"],
  [{ name: "T2W_TSE part1", ...TIMING.t2 }, "unclassified"],
  [{ name: "t2_space_sag_p2_iso", ...TIMING.t2Space }, "unclassified"],
  [{ name: "CUBE T2", ...TIMING.t2Space }, "unclassified"],
  [{ name: "PD/T2 TSE", ...TIMING.t2 }, "unclassified"],
  [{ name: "", ...TIMING.t2 }, "unclassified"],
  // inversion recovery that suppresses fat, or both fluid and white matter
  [{ name: "COR STIR", ...TIMING.stir }, "unclassified"],
  [{ name: "t2_tirm_cor_p2", ...TIMING.stir }, "unclassified"],
  [{ name: "T2 DIR space", ...TIMING.dir }, "unclassified"],
  [{ name: "Ax T1 FLAIR", ...TIMING.t1Flair }, "unclassified"],
  // scouts
  [{ name: "AAHead_Scout", ...TIMING.scout, slices: 128, stepMm: 1.6 }, "localizer"],
  [{ name: "3-pl T2* FGRE S", ...TIMING.scout }, "localizer"],
  [{ name: "3Plane Loc SSFSE", ...TIMING.t2 }, "localizer"],
  [{ name: "plan_loc", ...TIMING.scout }, "localizer"],
  [{ name: "Lokalisator", ...TIMING.scout }, "localizer"],
  [{ name: "SURVEY_T1", ...TIMING.tfe }, "localizer"],
  [{ name: "T1", imageType: ["ORIGINAL", "PRIMARY", "LOCALIZER"], ...TIMING.scout }, "localizer"],
  // computed images
  [{ name: "T1 MPRAGE MPR cor", ...derived("MPR"), ...TIMING.mprage }, "t1"],
  [{ name: "FLAIR tra reformat", ...derived("REFORMATTED", "AVERAGE"), ...TIMING.flair3d }, "t2"],
  [{ name: "T1 MPRAGE", ...derived("MIP"), ...TIMING.mprage }, "derived"],
  [{ name: "T1 thick", ...derived("PROJECTION IMAGE"), ...TIMING.mprage }, "derived"],
  [{ name: "t1_vibe_MIP_tra", ...derived("OTHER"), ...TIMING.tfe }, "derived"],
  [{ name: "mIP_Images(SW)", ...derived("MNIP"), ...TIMING.susceptibility }, "derived"],
  [{ name: "t1_vibe_SUB", ...derived("SUB"), ...TIMING.tfe }, "derived"],
  [
    { name: "t1_mprage", imageType: ["ORIGINAL", "PRIMARY", "P", "ND"], ...TIMING.mprage },
    "derived",
  ],
  [
    { name: "sT1W", imageType: ["ORIGINAL", "PRIMARY", "PHASE MAP", "P", "FFE"], ...TIMING.tfe },
    "derived",
  ],
  [{ name: "ADC", ...derived("ADC", "ND"), ...TIMING.diffusion }, "derived"],
  [{ name: "dADC FLAIR", ...derived("ADC_MAP"), ...TIMING.epiFlair }, "derived"],
  [{ name: "T1_Images", ...derived("T1 MAP"), ...TIMING.mprage }, "derived"],
  // diffusion, functional MRI, flow and field maps: names without or with misleading words
  [{ name: "ep2d_diff_3scan_trace", ...TIMING.diffusion }, "unclassified"],
  [{ name: "DWI FLAIR", ...TIMING.epiFlair }, "unclassified"],
  [
    { name: "Apparent Diffusion Coefficient (mm2/s)", ...derived("COMBINED"), ...TIMING.diffusion },
    "unclassified",
  ],
  [{ name: "bold_rest", ...TIMING.boldEpi }, "unclassified"],
  [{ name: "TOF_3D_multi-slab", ...TIMING.angiography }, "unclassified"],
  [{ name: "3D GRE TOF", ...TIMING.angiography }, "unclassified"],
  [{ name: "COW 3D", ...TIMING.angiography, isAngiography: true }, "unclassified"],
  [{ name: "t2_swi_tra", ...TIMING.susceptibility }, "unclassified"],
  [{ name: "3D GRE SWAN", ...TIMING.susceptibility }, "unclassified"],
  [{ name: "T2* GRE", ...TIMING.t2Star }, "unclassified"],
  [{ name: "PD 3D", ...TIMING.protonDensity }, "unclassified"],
  [{ name: "CISS 3D", ...TIMING.steadyState }, "unclassified"],
  [{ name: "IAC", ...TIMING.steadyState }, "unclassified"],
  [{ name: "gre_field_mapping", ...TIMING.fieldMap }, "unclassified"],
  [{ name: "tfl_b1map", ...TIMING.transmitMap }, "unclassified"],
  [{ name: "mp2rage_INV1", ...TIMING.inversion1 }, "unclassified"],
  [{ name: "mp2rage_INV2", ...TIMING.inversion2 }, "unclassified"],
  // dynamic series, perfusion and measured quantities that are named T1
  [{ name: "t1_vibe_tra_dyn", ...TIMING.tfe }, "unclassified"],
  [{ name: "T1 DCE", ...TIMING.tfe }, "unclassified"],
  [{ name: "T1 QSM", ...TIMING.susceptibility }, "unclassified"],
  [{ name: "mapa T1", ...TIMING.mprage }, "unclassified"],
  [{ name: "T1 post perfusion", ...TIMING.mprage }, "t1"],
  [{ name: "T1 3D", attributes: [[0x00180024, "SH", "*tgse3d1_242"]] }, "unclassified"],
  [{ name: "T1 3D", ...TIMING.tfe, attributes: [[0x00200105, "IS", "40"]] }, "time_points"],
  [{ name: "T1 3D", ...TIMING.tfe, attributes: [[0x00200105, "IS", "1"]] }, "t1"],
  [{ name: "T1 3D", ...TIMING.tfe, attributes: [[0x00281054, "LO", "ms"]] }, "quantity"],
  [{ name: "T1 3D", ...TIMING.tfe, attributes: [[0x00281054, "LO", "US"]] }, "t1"],
  [{ name: "T1 3D", imageType: ["ORIGINAL", "PRIMARY", "PERFUSION", "NONE"] }, "unclassified"],
  [{ name: "SyMRI T1", ...derived("QMAP", "T1") }, "derived"],
  // images that are computed from maps, and masks
  ...[
    "SyMRI T1W",
    "Synthetic T1W",
    "MAGiC T1 FLAIR",
    "MAGIC: T2 FLAIR",
    "syn_T1w",
    "SynT1",
    "SyT1w",
    "T1w synthetisch",
    "T1 SynthSR",
    "T1 pondérée synthétique",
    "T1w sintética",
    "合成T1",
    "합성 T1 강조",
    "3D QALAS T1",
    "T1 mask",
    "t1_mprage_mask",
    "T1 Maske",
    "máscara T1",
    "T1 masque",
    "T1 마스크",
    "T1マスク",
    "T1 segmentation",
    "T1 MPRAGE Segmentierung",
  ].map((name): [Acquisition, string] => [{ name, ...TIMING.mprage }, "unclassified"]),
  ...[
    "DCE T1 perfusion",
    "T1 perfusion DCE 10 deg",
    "T1_DSC",
    "t1_twist_dyn",
    "T1 dynamique",
    "T1 動的",
    "T1 VIBE DCE 5 FA",
    "Perf T1 VIBE",
  ].map((name): [Acquisition, string] => [{ name, ...TIMING.tfe }, "unclassified"]),
  // words that only resemble these
  [{ name: "T1 synchronized", ...TIMING.mprage }, "t1"],
  [{ name: "syngo T1 MPRAGE", ...TIMING.mprage }, "t1"],
  [{ name: "T1 Massachusetts", ...TIMING.mprage }, "t1"],
  [{ name: "T1", ...derived("T1MAP") }, "derived"],
  // series with suitable contrast, but unsuitable geometry
  [{ name: "T1 SE TRA", ...TIMING.t1SpinEcho, slices: 25, stepMm: 6 }, "too_few_slices"],
  [{ name: "T1 SE TRA", ...TIMING.t1SpinEcho, slices: 42, stepMm: 5 }, "slices_too_thick"],
  [{ name: "FLAIR", ...TIMING.flair, slices: 24, stepMm: 7 }, "slices_too_thick"],
];

Deno.test("groupSeries() takes T1w and FLAIR of every maker for what they are, and nothing else", () => {
  const wrong = ALONE.flatMap(([acquisition, expected]) => {
    const [got] = fate([acquisition]);
    return got === expected ? [] : [`${acquisition.name}: ${got} instead of ${expected}`];
  });
  assert.deepEqual(wrong, []);
});

Deno.test("groupSeries() chooses the best T1w and the best FLAIR of a whole examination", () => {
  assert.deepEqual(
    fate([
      { name: "AAHead_Scout", ...TIMING.scout, slices: 128, stepMm: 1.6 },
      { name: "t1_mprage_sag MPR tra", ...derived("MPR"), ...TIMING.mprage, slices: 60 },
      { name: "t1_mprage_sag +C", ...TIMING.mprage, slices: 60 },
      { name: "t1_mprage_sag", ...TIMING.mprage, slices: 60 },
      { name: "t1_mprage_sag", ...TIMING.mprage, slices: 60, contrastAgent: "Gadovist" },
      { name: "t2_tse_tra", ...TIMING.t2 },
      { name: "t2_tirm_cor_p2", ...TIMING.stir },
      { name: "t2_tirm_tra_dark-fluid", ...TIMING.flair, slices: 40 },
      { name: "t2_space_dark-fluid_sag", ...TIMING.flair3d, slices: 60, stepMm: 1 },
      { name: "TOF_3D", ...TIMING.angiography, slices: 90, stepMm: 0.6 },
      { name: "ep2d_diff_ADC", ...derived("ADC"), ...TIMING.diffusion },
    ]),
    [
      "localizer",
      "other_series_chosen",
      "other_series_chosen",
      "t1",
      "other_series_chosen",
      "unclassified",
      "unclassified",
      "other_series_chosen",
      "t2",
      "unclassified",
      "derived",
    ],
  );
  assert.deepEqual(
    fate([
      { name: "mp2rage_INV1", ...TIMING.inversion1 },
      { name: "mp2rage_T1_Images", ...derived("T1 MAP"), ...TIMING.inversion1 },
      { name: "mp2rage_UNI_Images", ...derived("M", "ND", "UNI"), ...TIMING.inversion1 },
      { name: "mp2rage_INV2", ...TIMING.inversion2 },
    ]),
    ["unclassified", "derived", "t1", "unclassified"],
  );
  // the denoised uniform image is chosen, regardless of series number and order
  const uniform = { ...derived("M", "ND", "UNI"), ...TIMING.inversion1 };
  for (const name of ["mp2rage_UNI-DEN", "mp2rage_UNI_DEN", "t1_mp2rage_sag_p3_iso_UNIDEN"]) {
    const both = [{ name: "mp2rage_UNI_Images", ...uniform }, { name, ...uniform }];
    assert.deepEqual(fate(both), ["other_series_chosen", "t1"], name);
    assert.deepEqual(fate(both.toReversed()), ["t1", "other_series_chosen"], name);
  }
  const native = { ...TIMING.mprage, slices: 60 };
  for (
    const name of [
      "SAG T1 3D INJ",
      "T1 mdc",
      "T1 nKM",
      "t1 con contraste",
      "T1 造影",
      "T1 조영증강",
      "T1 CE",
    ]
  ) {
    assert.deepEqual(fate([{ name, ...native }, { name: "T1", ...native, slices: 50 }]), [
      "other_series_chosen",
      "t1",
    ], name);
  }
  for (const name of ["T1 post processed", "T1 posterior coil", "T1 post op"]) {
    assert.deepEqual(fate([{ name, ...native }, { name: "T1", ...native, slices: 50 }]), [
      "t1",
      "other_series_chosen",
    ], name);
  }
});

Deno.test("groupSeries() follows the tags and includes of the settings", () => {
  const series: Acquisition[] = [
    { name: "Serie A", protocol: "Kopf Anatomie", ...TIMING.protonDensity },
    { name: "T1 MPRAGE", ...TIMING.mprage },
    { name: "Serie B", protocol: "Kopf Wasserunterdrueckung" },
    { name: "T2 FLAIR", ...TIMING.flair },
  ];
  assert.deepEqual(fate(series), ["unclassified", "t1", "unclassified", "t2"]);
  const rules = {
    t1wTag: "(0018,1030)",
    t2wTag: "ProtocolName",
    t1wIncludes: "anatomie, kopf t1",
    t2wIncludes: "WASSERUNTER",
  };
  // series that both words and timing classify are not preferred over those that only words do
  assert.deepEqual(fate(series, rules), ["t1", "other_series_chosen", "t2", "other_series_chosen"]);
  assert.deepEqual(fate(series, { ...rules, t1wTag: "SeriesDescription" }), [
    "unclassified",
    "t1",
    "t2",
    "other_series_chosen",
  ]);
});

Deno.test("groupSeries() lets the user's choice make a series of any contrast the one that is analysed", () => {
  const t2 = { name: "t2_space_sag", ...TIMING.t2Space };
  assert.deepEqual(fate([t2], { ...DEFAULT_RULES, seriesType: "t2" }), ["t2"]);
  assert.deepEqual(
    fate([{ name: "scout", ...TIMING.scout }], { ...DEFAULT_RULES, seriesType: "t1" }),
    [
      "localizer",
    ],
  );
  const both = [{ name: "COR STIR", ...TIMING.stir }, { name: "T2 FLAIR", ...TIMING.flair }];
  assert.deepEqual(fate(both, { ...DEFAULT_RULES, seriesType: "t2" }), [
    "other_series_chosen",
    "t2",
  ]);
});

Deno.test("groupSeries() yields what can be looked at of the series that it refuses: even stacks, the largest of each", () => {
  const acquisitions: Acquisition[] = [
    { name: "AAHead_Scout", ...TIMING.scout },
    { name: "t1_mprage", ...TIMING.mprage },
    { name: "t1_mprage +C", ...TIMING.mprage, contrastAgent: "Gadovist" },
    { name: "t2_tse_tra", ...TIMING.t2, slices: 24, stepMm: 5 },
    { name: "ADC", ...derived("ADC"), ...TIMING.diffusion, slices: 3 },
    { name: "FLAIR", ...TIMING.flair, slices: 10 },
    { name: "FLAIR thick", ...TIMING.flair, slices: 24, stepMm: 7 },
    { name: "two slices", ...TIMING.t2, slices: 2 },
    { name: "a slice is missing", ...TIMING.t2, slices: 9 },
    { name: "b0 and b1000", ...TIMING.diffusion, slices: 9 },
    { name: "two echoes", ...TIMING.t2, slices: 9 },
  ];
  const files = acquisitions.flatMap((one, n) => writeAcquisition(one, 1, n + 1))
    .filter(({ fileName }) => fileName !== "9_4.dcm")
    .map(({ fileName, bytes }) => ({ fileName, header: readInstance(bytes, fileName) }));
  // a second slice at a position is another image, and fewer slices have the second echo
  const again = files.filter(({ fileName }) => /^(10_\d|11_[1-5])\.dcm$/.test(fileName)).map((
    { fileName, header },
  ) => ({
    fileName: `${fileName}.2`,
    header: {
      ...header,
      instanceUid: `${header.instanceUid}.2`,
      ...(fileName.startsWith("11_") ? { echoTimeMs: 200 } : {}),
    },
  }));
  // regardless of the order of the files
  const { studies, viewable } = groupSeries([...files, ...again].toReversed(), DEFAULT_RULES);
  assert.deepEqual(studies[0]!.series.map(({ header }) => header.seriesDescription), ["t1_mprage"]);
  const found = viewable.map((
    { header, shape, files },
  ) => [header.seriesDescription, shape[2], files.length]);
  assert.deepEqual(Object.fromEntries(found.map(([name, ...counts]) => [name, counts])), {
    "t1_mprage +C": [50, 50],
    "t2_tse_tra": [24, 24],
    "ADC": [3, 3],
    "FLAIR": [10, 10],
    "FLAIR thick": [24, 24],
    "two echoes": [9, 9],
  });
  const { header, rasFromIjk, stepMm, files: ordered } = viewable.find(({ shape }) =>
    shape[2] === 10
  )!;
  assert.equal(header, ordered[0]!.header);
  assert.deepEqual([stepMm, rasFromIjk[14]], [3, -70]);
  assert.deepEqual(
    ordered.map(({ fileName }) => fileName),
    Array.from({ length: 10 }, (_, k) => `6_${k + 1}.dcm`),
  );
});
