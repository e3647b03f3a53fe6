import assert from "node:assert/strict";
import {
  classify,
  type ClassifyRules,
  type ContrastHeader,
  DEFAULT_RULES,
} from "@/model/dicom/classify.ts";

const header = (description: string, rest: Partial<ContrastHeader> = {}) =>
  ({
    scanningSequence: [],
    texts: { SeriesDescription: description },
    ...rest,
  }) as unknown as ContrastHeader;
const kindOf = (h: ContrastHeader, rules: Partial<ClassifyRules> = {}) => {
  const found = classify(h, { ...DEFAULT_RULES, ...rules });
  return found ? `${found.kind} by ${found.by}` : "neither";
};

const MPRAGE = {
  scanningSequence: ["GR", "IR"],
  repetitionTimeMs: 2300,
  echoTimeMs: 3,
  inversionTimeMs: 900,
};
const FLAIR = {
  scanningSequence: ["SE", "IR"],
  repetitionTimeMs: 9000,
  echoTimeMs: 94,
  inversionTimeMs: 2500,
};
const T2 = { scanningSequence: ["SE"], repetitionTimeMs: 4000, echoTimeMs: 100 };
const T1_FLAIR = {
  scanningSequence: ["SE", "IR"],
  repetitionTimeMs: 2000,
  echoTimeMs: 10,
  inversionTimeMs: 850,
};

Deno.test("classify() knows the usual descriptions", () => {
  for (
    const d of [
      "T1 MPRAGE",
      "SAG MPRAGE 220 FOV",
      "anat-T1w",
      "Ax 3D BRAVO",
      "sT1W_3D_TFE",
      "FSPGR 3D",
    ]
  ) {
    assert.equal(kindOf(header(d)), "t1 by includes", d);
  }
  for (const d of ["T2 FLAIR", "Sag CUBE FLAIR", "t2_tirm_tra_dark-fluid", "3D_Brain_VIEW_FLAIR"]) {
    assert.equal(kindOf(header(d)), "t2 by includes", d);
  }
});

Deno.test("classify() lets the timing decide where the words do not", () => {
  assert.equal(kindOf(header("", MPRAGE)), "t1 by physics");
  assert.equal(kindOf(header("brain", FLAIR)), "t2 by physics");
  assert.equal(kindOf(header("brain", T2)), "neither");
  assert.equal(kindOf(header("T1 FLAIR", FLAIR)), "t2 by physics");
  assert.equal(kindOf(header("Ax T1 FLAIR", T1_FLAIR)), "neither");
  assert.equal(kindOf(header("")), "neither");
});

Deno.test("classify() follows the group settings' tags and includes", () => {
  const h = header("series 7", {
    texts: { SeriesDescription: "series 7", ProtocolName: "Kopf sag Anatomie" },
  });
  assert.equal(kindOf(h, { t1wTag: "(0018,1030)", t1wIncludes: "ANATOMIE" }), "t1 by includes");
  assert.equal(
    kindOf(h, { t1wTag: "SeriesDescription, Protocol Name", t1wIncludes: "anatomie" }),
    "t1 by includes",
  );
  assert.equal(kindOf(h, { t1wTag: "0008103E", t1wIncludes: "anatomie" }), "neither");
  assert.equal(kindOf(header("T1"), { t1wIncludes: "" }), "neither");
});

Deno.test("classify() lets the user's choice of one type win, not the choice of both", () => {
  assert.equal(kindOf(header("T2 FLAIR", FLAIR), { seriesType: "t1" }), "t1 by choice");
  assert.equal(kindOf(header("brain", T2), { seriesType: "t2" }), "t2 by choice");
  assert.equal(kindOf(header("T2 FLAIR", FLAIR), { seriesType: "t1t2" }), "t2 by includes");
});

/** Descriptions of T1w series as hospitals write them, at the timing of an MPRAGE. */
const USUAL_T1 = [
  ...["t1_mprage_sag_p2_iso", "T1 MPRAGE SAG ND", "MPRAGE GRAPPA2", "MPRAGE_MoCo_RMS"],
  ...["Sag T1 MP-RAGE", "ADNI3_t1_mprag_sag_p2_iso", "Accelerated Sagittal MPRAGE", "MEMPRAGE"],
  ...["t1_mp2rage_sag_p3_iso_UNI-DEN", "mp2rage_UNI_Images", "T1_MP2RAGE_UNI_DEN", "T1w_MPR"],
  ...["Ax 3D BRAVO", "Sag BRAVO +C", "3D T1 BRAVO PROMO", "FSPGR BRAVO", "COR 3D SPGR"],
  ...["SAG FSPGR 3D IR PREP", "Ax T1 FSPGR FS POST", "sT1W_3D_TFE", "WIP T1W_3D_TFE SENSE"],
  ...["T1W_3D_FFE", "T1 3D TFE TRA CE", "MPRAGE_ISO_SENSE2", "t1_vibe_fs_tra", "t1_starvibe_tra"],
  ...[
    "t1_tfl3d_sag",
    "T1 SPACE SAG",
    "t1_space_dark_blood",
    "T1 CUBE",
    "T1 VISTA SAG",
    "T1 SE TRA",
  ],
  ...["T1 TSE COR", "3D T1 INJ", "T1 3D GADO", "T1 nach KM", "T1 post contrast", "T1 +C MPR TRA"],
  ...["t1_fl3d_tra", "T1 FLASH 3D", "T1 FFE 3D", "T1 3D DIXON W", "T1 NeuroQuant", "T1 VOLUMETRIC"],
  ...["T1 3D quant", "T1 navigation", "T1 stealth", "T1 DBS planning", "T1 post op", "T1w run-2"],
  ...["T1 MPRAGE R2", "T1 MPRAGE rep2", "sub-01_ses-2_T1w", "anat-T1w_acq-mprage", "T1 조영증강"],
  ...[
    "뇌 T1 3D",
    "頭部 T1 3D",
    "3D-T1 造影",
    "T1 3D SAG после контраста",
    "T1 sagittal volumétrique",
  ],
  ...[
    "T1 post perfusion",
    "T1 MPRAGE post DSC perf",
    "t1 nach Perfusion",
    "T1 pre-DCE",
    "T1 avant perf",
  ],
];
const USUAL_FLAIR = [
  ...["t2_tirm_tra_dark-fluid_4mm", "Ax T2 FLAIR FS", "Sag CUBE T2 FLAIR", "3D_Brain_VIEW_FLAIR"],
  ...["t2_space_dark-fluid_sag_p2_iso", "t2_spc_da-fl_sag", "FLAIR 3D SAG", "T2W_FLAIR_SPAIR"],
  ...[
    "FLAIR LongTR",
    "OAx FLAIR PROPELLER",
    "FLAIR post contrast",
    "FLAIR BLADE",
    "FLAIR post perf",
  ],
];

Deno.test("classify() keeps the usual descriptions of T1w and FLAIR series", () => {
  assert.ok(USUAL_T1.length + USUAL_FLAIR.length >= 60);
  const lost = [
    ...USUAL_T1.filter((name) => !kindOf(header(name, MPRAGE)).startsWith("t1")),
    ...USUAL_FLAIR.filter((name) => !kindOf(header(name, FLAIR)).startsWith("t2")),
  ];
  assert.deepEqual(lost, []);
});

Deno.test("classify() takes no dynamic series, perfusion or map for a T1w, in any language", () => {
  const others = [
    ...[
      "T1 DCE",
      "t1_vibe_dyn_tra",
      "T1W dynamic",
      "T1 TWIST",
      "t1_grasp_tra",
      "T1 perfusion",
      "T1 perf",
    ],
    ...[
      "T1 dynamisch",
      "T1 dynamique",
      "T1 dinámico",
      "T1 dinamico",
      "T1 динамика",
      "T1 역동적 조영",
    ],
    ...["T1 動態", "T1 ダイナミック", "T1 관류", "T1 perfusión", "T1 perfuzja", "3D T1 灌流"],
    ...["pCASL T1", "T1 ASL", "3D ASL T1 ref", "T1 arterial spin labeling", "T1 CBF", "T1 Ktrans"],
    ...[
      "QSM T1",
      "T1 chi map",
      "T1 R2*",
      "T1 susceptibility",
      "T1 map",
      "T1_map",
      "T1-Map",
      "T1MAP",
    ],
    ...[
      "T1-Karte",
      "mapa T1",
      "mapa de T1",
      "carte T1",
      "mappa T1",
      "T1 mapping",
      "T1 맵",
      "T1 マップ",
    ],
    ...[
      "R1 map T1",
      "T1 relaxometry",
      "MOLLI T1",
      "T1rho",
      "qT1",
      "T1 label map",
      "T1 brain mask",
      "T1 aseg",
    ],
    ...["T1 multi-phase", "T1 multiphase pituitary", "T1 wash-in", "T1 time-resolved"],
  ];
  assert.deepEqual(
    others.filter((name) => kindOf(header(name, MPRAGE)) !== "neither"),
    [],
  );
});

Deno.test("classify() goes by image type, contrast and sequence before the description", () => {
  const texts: Record<string, string>[] = [
    { ImageType: "ORIGINAL\\PRIMARY\\PERFUSION\\NONE" },
    { ImageType: "ORIGINAL\\PRIMARY\\ASL\\NONE\\ND" },
    { ImageType: "ORIGINAL\\PRIMARY\\DYNAMIC\\NONE" },
    { AcquisitionContrast: "PERFUSION" },
    { AcquisitionContrast: "DIFFUSION" },
    { SequenceName: "*tgse3d1_3360" },
    { PulseSequenceName: "pcasl3d" },
  ];
  for (const text of texts) {
    const h = header("T1 3D", { ...MPRAGE, texts: { SeriesDescription: "T1 3D", ...text } });
    assert.equal(kindOf(h), "neither", JSON.stringify(text));
  }
  const usual: Record<string, string>[] = [
    { ImageType: "ORIGINAL\\PRIMARY\\T1\\NONE", AcquisitionContrast: "T1" },
    { ImageType: "ORIGINAL\\PRIMARY\\M_FFE\\M\\FFE", SequenceName: "*tfl3d1_16ns" },
    { AcquisitionContrast: "UNKNOWN", PulseSequenceName: "efgre3d" },
    { AcquisitionContrast: "PROTON_DENSITY" },
  ];
  for (const text of usual) {
    const h = header("T1 3D", { ...MPRAGE, texts: { SeriesDescription: "T1 3D", ...text } });
    assert.equal(kindOf(h), "t1 by includes", JSON.stringify(text));
  }
  // a site may name such series
  const named = { t1wTag: "SeriesDescription", t1wIncludes: "perfusion" };
  assert.equal(kindOf(header("T1 perfusion"), named), "t1 by includes");
});
