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
