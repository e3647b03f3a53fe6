import assert from "node:assert/strict";
import type { Vec3 } from "@/model/geometry.ts";
import { applyAffine } from "@/model/geometry.ts";
import { reasonIn, type UploadReason, uploadReasonText } from "@/model/text/worklist/upload.ts";
import { DEFAULT_RULES } from "@/model/dicom/classify.ts";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { mixedPatientsIn } from "@/server/core/dicom/choice/patients.ts";
import { groupSeries, type InstanceFile } from "@/server/core/dicom/read/series.ts";

type Change = (header: InstanceHeader, slice: number) => Partial<InstanceHeader>;

/** Headers of an axial stack with slices 1 mm apart, last slice first. */
function stack(
  slices: number,
  name = "a",
  change: Change = () => ({}),
  stepMm = 1,
): InstanceFile[] {
  return Array.from({ length: slices }, (_, n) => {
    const k = slices - 1 - n;
    const base = {
      studyUid: "1.1",
      seriesUid: `1.2.${name}`,
      instanceUid: `1.3.${name}.${k}`,
      patientId: "P-1",
      patientName: "",
      modality: "MR",
      seriesDescription: "T1 MPRAGE",
      protocolName: "",
      seriesNumber: 3,
      imageType: ["ORIGINAL", "PRIMARY", "M", "ND"],
      acquisitionType: "3D",
      scanningSequence: [],
      hasContrastAgent: false,
      rows: 200,
      columns: 180,
      frameCount: 1,
      bitsAllocated: 16,
      isSigned: false,
      planes: [{
        orientationLps: [[1, 0, 0], [0, 1, 0]] as [Vec3, Vec3],
        positionLpsMm: [-90, -100, -60 + stepMm * k] as Vec3,
        pixelSpacingMm: [1, 1.2] as [number, number],
      }],
      texts: { SeriesDescription: "T1 MPRAGE" },
    } as unknown as InstanceHeader;
    return { fileName: `${name}${k}`, header: { ...base, ...change(base, k) } };
  });
}

const moved = (h: InstanceHeader, by: Vec3) => ({
  planes: h.planes.map((p) => ({
    ...p,
    positionLpsMm: p.positionLpsMm.map((x, i) => x + by[i]!) as Vec3,
  })),
});
const described = (text: string): Partial<InstanceHeader> => ({
  seriesDescription: text,
  texts: { SeriesDescription: text },
});

function verdictsOf(files: InstanceFile[], rules = DEFAULT_RULES) {
  const { studies, rejected } = groupSeries(files, rules);
  const accepted = studies.flatMap((s) => s.series.flatMap((x) => x.files.map((f) => f.fileName)));
  const all = [...accepted, ...rejected.map((r) => r.fileName)];
  assert.deepEqual(all.toSorted(), files.map((f) => f.fileName).toSorted(), "one outcome per file");
  for (const r of rejected) {
    const text = uploadReasonText[r.reason].en;
    for (const [, key] of text.matchAll(/\{(\w+)\}/g)) {
      assert.ok(key! in r.details, `${r.reason} lacks ${key}`);
    }
  }
  const counts: Record<string, number> = {};
  for (const r of rejected) counts[r.reason] = (counts[r.reason] ?? 0) + 1;
  return { studies, accepted: accepted.length, counts, rejected };
}

Deno.test("groupSeries() sorts a complete stack by position and places it in RAS", () => {
  const { studies } = verdictsOf(stack(60));
  const series = studies[0]!.series[0]!;
  assert.deepEqual(
    series.files.map((f) => f.fileName),
    Array.from({ length: 60 }, (_, k) => `a${k}`),
  );
  assert.deepEqual(series.shape, [180, 200, 60]);
  // LPS (-90, -100, -60) is right, anterior, inferior; columns are 1.2 mm, rows 1 mm apart
  assert.deepEqual(applyAffine(series.rasFromIjk, [0, 0, 0]), [90, 100, -60]);
  assert.deepEqual(applyAffine(series.rasFromIjk, [10, 10, 10]), [78, 90, -50]);
});

Deno.test("groupSeries() rejects incomplete, uneven, thick and mixed stacks, each with its reason", () => {
  const cases: [string, InstanceFile[], number][] = [
    ["missing_slice", stack(60).filter((f) => f.fileName !== "a30"), 59],
    ["slice_gap", stack(60, "a", (h, k) => k > 30 ? moved(h, [0, 0, 0.3]) : {}), 60],
    ["too_few_slices", stack(39), 39],
    ["slices_too_thick", stack(45, "a", undefined, 4), 45],
    ["mixed_slices", stack(60, "a", (_, k) => k === 9 ? { rows: 100 } : {}), 60],
    ["mixed_slices", stack(60, "a", (h, k) => moved(h, [0.5 * k, 0, 0])), 60],
    ["mixed_slices", [...stack(50), ...stack(50, "b", () => ({ seriesUid: "1.2.a" }))], 100],
    ["unclassified", stack(60, "a", () => described("DWI")), 60],
    ["localizer", stack(60, "a", () => ({ imageType: ["ORIGINAL", "PRIMARY", "LOCALIZER"] })), 60],
    ["derived", stack(60, "a", () => ({ imageType: ["ORIGINAL", "PRIMARY", "P", "ND"] })), 60],
  ];
  for (const [reason, files, count] of cases) {
    assert.deepEqual(verdictsOf(files).counts, { [reason]: count }, reason);
  }
});

Deno.test("groupSeries() allows 5 % of unevenness and thick FLAIR slices", () => {
  const jitter = stack(60, "a", (h, k) => moved(h, [0, 0, k % 2 ? 0.02 : 0]));
  assert.equal(verdictsOf(jitter).accepted, 60);
  const flair = stack(30, "f", () => described("T2 FLAIR"), 5);
  assert.equal(verdictsOf(flair).studies[0]!.series[0]!.kind, "t2");
});

Deno.test("groupSeries() takes the first of two copies of an image", () => {
  const again = { seriesUid: "1.2.a", instanceUid: "1.3.a.7" };
  const copy = stack(1, "copy", (h) => ({ ...again, ...moved(h, [0, 0, 7]) }));
  assert.deepEqual(verdictsOf([...stack(60), ...copy]).counts, { duplicate_instance: 1 });
  const other = stack(1, "other", () => again);
  assert.deepEqual(verdictsOf([...stack(60), ...other]).counts, {
    same_identifier: 2,
    missing_slice: 59,
  });
  const all = stack(60, "a", () => ({ instanceUid: "anonymized" }));
  assert.deepEqual(verdictsOf(all).counts, { same_identifier: 60 });
});

Deno.test("groupSeries() names a slice that is there twice with different images", () => {
  const numbered: Change = (_, k) => ({ instanceNumber: k + 1 });
  const again = (slices: number) =>
    stack(slices, "again", (h, k) => ({ seriesUid: "1.2.a", ...numbered(h, k) }));
  const { counts, rejected } = verdictsOf([...stack(60, "a", numbered), ...again(2)]);
  assert.deepEqual(counts, { repeated_slice: 62 });
  assert.equal(rejected[0]!.details.slices, "1, -60.0\u00a0mm; 2, -59.0\u00a0mm");
  assert.match(
    reasonIn("en", "repeated_slice", rejected[0]!.details),
    /^2 slices .* are there twice/,
  );
  assert.deepEqual(verdictsOf([...stack(60, "a", numbered), ...again(20)]).counts, {
    mixed_slices: 80,
  });
});

Deno.test("groupSeries() uses the first of two whole acquisitions of a series, and says so", () => {
  const taken = (acquisitionNumber: number) =>
    stack(60, `n${acquisitionNumber}`, () => ({ seriesUid: "1.2.a", acquisitionNumber }));
  const { studies, rejected } = verdictsOf([...taken(2), ...taken(1)]);
  assert.equal(studies[0]!.series[0]!.header.acquisitionNumber, 1);
  const said = rejected.map(({ reason, details }) => `${reason}: ${details.what}`);
  assert.deepEqual(new Set(said), new Set(["other_images: acquisition number"]));
  // numbers that do not separate whole images
  const mixed = [
    ...stack(60),
    ...stack(60, "b", (_, k) => ({ seriesUid: "1.2.a", acquisitionNumber: k % 2 })),
  ];
  assert.deepEqual(verdictsOf(mixed).counts, { mixed_slices: 120 });
});

Deno.test("groupSeries() joins parts of one acquisition, and nothing that was taken twice", () => {
  const half = { sliceThicknessMm: 1, frameOfReferenceUid: "1.4" };
  const shapes = (files: InstanceFile[]) => {
    const { studies } = verdictsOf(files);
    return studies.flatMap(({ series }) => series.map(({ shape, stepMm }) => [shape[2], stepMm]));
  };
  const series = (name: string, change: Change = () => ({}), stepMm = 1, slices = 60) =>
    stack(slices, name, (h, k) => ({ ...half, ...change(h, k) }), stepMm);
  const above: Change = (h) => moved(h, [0, 0, 60]), between: Change = (h) => moved(h, [0, 0, 1]);
  assert.deepEqual(shapes([...series("a"), ...series("b", above)]), [[120, 1]], "continued");
  assert.deepEqual(shapes([...series("a", undefined, 2), ...series("b", between, 2)]), [[120, 1]]);
  assert.deepEqual(
    shapes(
      Array.from(
        { length: 60 },
        (_, k) => stack(1, `s${k}`, (h) => ({ ...half, ...moved(h, [0, 0, k]) }))[0]!,
      ),
    ),
    [[60, 1]],
    "a series for each slice",
  );
  const isLater = (_: InstanceHeader, k: number) =>
    k % 2 ? { echoTimeMs: 2.951 } : { echoTimeMs: 2.949 };
  assert.deepEqual(shapes(series("a", isLater)), [[60, 1]], "an echo time in two roundings");
  const uneven = Array.from(
    { length: 60 },
    (_, k) =>
      stack(1, `s${k}`, (h) => ({ ...half, ...moved(h, [0, 0, k + (k === 30 ? 0.4 : 0)]) }))[0]!,
  );
  assert.deepEqual(verdictsOf(uneven).counts, { series_per_slice: 60 });
  // two complete acquisitions, the second shifted by half the slice spacing
  const halfStep: Change = (h) => moved(h, [0, 0, 0.5]);
  assert.deepEqual(shapes([...series("a"), ...series("b", halfStep)]), [[60, 1]]);
  const differing: [string, Partial<InstanceHeader>][] = [
    ["a contrast agent", { hasContrastAgent: true }],
    ["another repetition time", { repetitionTimeMs: 500 }],
    ["another image type", { imageType: ["DERIVED", "SECONDARY", "M", "ND"] }],
    ["another name", described("T1 MPRAGE +C")],
    ["another study", { studyUid: "1.9" }],
  ];
  for (const [what, change] of differing) {
    const [first] = shapes([
      ...series("a"),
      ...series("b", (h) => ({ ...above(h, 0), ...change })),
    ]);
    assert.deepEqual(first, [60, 1], what);
  }
  // an image that was acquired twice, each time divided into two series
  const twice = [1, 2].flatMap((seriesNumber) => [
    ...series(`a${seriesNumber}`, () => ({ seriesNumber })),
    ...series(`b${seriesNumber}`, (h) => ({ ...above(h, 0), seriesNumber })),
  ]);
  assert.deepEqual(shapes(twice), [[120, 1]]);
});

Deno.test("groupSeries() splits one series number on image type and echo before judging", () => {
  const normed = stack(
    60,
    "n",
    () => ({ seriesUid: "1.2.a", imageType: ["ORIGINAL", "PRIMARY", "M", "NORM"] }),
  );
  const { studies, counts } = verdictsOf([...stack(60), ...normed]);
  assert.deepEqual(counts, { other_images: 60 });
  assert.deepEqual(studies[0]!.series[0]!.header.imageType.at(-1), "NORM");
});

Deno.test("groupSeries() takes the first echo of a series, and does not ask for the others as a series", () => {
  const echo = (number: number, change: Partial<InstanceHeader> = {}) =>
    stack(60, `e${number}`, () => ({ seriesUid: "1.2.a", echoTimeMs: 1.7 * number, ...change }));
  const long = echo(9, { scanningSequence: ["GR"] });
  for (
    const files of [[...echo(1), ...echo(2), ...echo(3), ...long], [
      ...long,
      ...echo(2),
      ...echo(1),
    ]]
  ) {
    const { studies, rejected } = groupSeries(files, DEFAULT_RULES);
    assert.equal(studies[0]!.series[0]!.header.echoTimeMs, 1.7);
    assert.equal(rejected.length, files.length - 60);
    for (const { reason, details } of rejected) {
      assert.deepEqual([reason, details.what], ["other_images", "echo time"]);
    }
  }
  // two echoes of a series that is not the chosen series
  const other = [...stack(60), ...echo(1, { seriesUid: "1.2.b", hasContrastAgent: true })];
  assert.deepEqual(verdictsOf(other).counts, { other_series_chosen: 60 });
});

Deno.test("groupSeries() refuses dynamic series and maps that are named T1", () => {
  const changes: [string, Partial<InstanceHeader>][] = [
    ["time_points", { timePoints: 3 }],
    ["time_points", { timePoints: 60 }],
    ...["ms", "s", "1/s", "Hz", "ppb", "10^-3 mm2/s", "ml/100g/min", "%"].map((unit) =>
      ["quantity", { units: [unit] }] satisfies [string, Partial<InstanceHeader>]
    ),
  ];
  for (const [reason, change] of changes) {
    assert.deepEqual(verdictsOf(stack(60, "a", () => change)).counts, { [reason]: 60 }, reason);
  }
  for (
    const change of [
      { timePoints: 1 },
      { timePoints: 2 },
      ...["US", "normalized", "1", "no units", "MGML"].map((unit) => ({ units: [unit] })),
      { units: ["", "US"] },
    ]
  ) {
    assert.equal(verdictsOf(stack(60, "a", () => change)).accepted, 60, JSON.stringify(change));
  }
  const dynamics = [1, 2, 3].flatMap((n) => stack(60, `d${n}`, () => ({ seriesUid: "1.2.a" })));
  assert.deepEqual(verdictsOf(dynamics).counts, { repeated_positions: 180 });
});

Deno.test("groupSeries() refuses a T1w with images in a unit of a quantity, and says that it was one", () => {
  const changes: [UploadReason, Change][] = [
    ["mixed_slices", (_, k) => ({ units: [k === 30 ? "ms" : ""] })],
    ["mixed_slices", (_, k) => k === 30 ? { units: ["US", "ms"] } : { units: ["US"] }],
    ["quantity", (_, k) => ({ units: [k < 20 ? "ms" : "Hz"] })],
  ];
  for (const [reason, change] of changes) {
    const files = stack(60, "a", change), { counts, rejected } = verdictsOf(files);
    assert.deepEqual(counts, { [reason]: 60 }, String(change));
    assert.equal(groupSeries(files, DEFAULT_RULES).viewable.length, 1, "it can be viewed");
    const { what, kind } = rejected[0]!.details;
    assert.deepEqual([what, kind], reason === "quantity" ? [undefined, undefined] : ["unit", "t1"]);
  }
  const late = stack(60, "a", (_, k) => k === 30 ? { timePoints: 40 } : { timePoints: 1 });
  assert.deepEqual(verdictsOf(late).counts, { time_points: 60 });
});

Deno.test("groupSeries() takes a T1w of which some images state an arbitrary unit", () => {
  const units = ["", "US", "1", "no units", "normalized", "arbitrary", "{ratio}", "a.u.", "counts"];
  for (const unit of units) {
    const files = stack(
      60,
      "a",
      (_, k) => ({ units: [k === 30 ? unit : units[k % units.length]!] }),
    );
    assert.equal(verdictsOf(files).accepted, 60, unit);
  }
});

Deno.test("groupSeries() advises no choice of the series type where none helps", () => {
  const changes: [UploadReason, UploadReason, Partial<InstanceHeader>][] = [
    ["time_points", "time_points", { timePoints: 40 }],
    ["quantity", "quantity", { units: ["ms"] }],
    ["quantity", "mixed_slices", { units: ["US", "ms"] }],
  ];
  for (const [byTags, chosen, change] of changes) {
    const files = stack(60, "a", () => ({ ...change, ...described("series 7") }));
    for (const seriesType of ["t1t2", "t1", "t2"] as const) {
      const reason = seriesType === "t1t2" ? byTags : chosen;
      const { counts } = verdictsOf(files, { ...DEFAULT_RULES, seriesType });
      assert.deepEqual(counts, { [reason]: 60 }, `${reason} as ${seriesType}`);
      assert.doesNotMatch(uploadReasonText[reason].en, /choose the series type/i);
    }
  }
});

Deno.test("groupSeries() keeps one T1w and one FLAIR per study, the better of two T1w", () => {
  const files = [
    ...stack(60, "thick", () => ({ acquisitionType: "2D", seriesNumber: 1 }), 3),
    ...stack(60, "contrast", () => ({ hasContrastAgent: true, seriesNumber: 2 })),
    ...stack(60, "good", () => ({ seriesNumber: 9 })),
    ...stack(60, "flair", () => described("FLAIR")),
    ...stack(60, "other", () => ({ studyUid: "1.9" })),
  ];
  const { studies, counts } = verdictsOf(files);
  assert.deepEqual(studies.map((s) => s.series.map((x) => `${x.kind} ${x.seriesUid}`)), [
    ["t1 1.2.good", "t2 1.2.flair"],
    ["t1 1.2.other"],
  ]);
  assert.deepEqual(counts, { other_series_chosen: 120 });
});

Deno.test("groupSeries() with a chosen type prefers the series that its tags call so", () => {
  const files = [...stack(60, "x", () => described("DWI")), ...stack(60, "t1")];
  const { studies } = verdictsOf(files, { ...DEFAULT_RULES, seriesType: "t1" });
  assert.deepEqual(studies[0]!.series.map((s) => s.seriesUid), ["1.2.t1"]);
});

Deno.test("groupSeries() refuses a study whose files name different patients, and only that one", () => {
  const of = (patientId: string, birthDate?: string, more: Partial<InstanceHeader> = {}) => () => ({
    patientId,
    patientName: "A^B",
    birthDate,
    ...more,
  });
  const other = stack(60, "c", of("P-3", undefined, { studyUid: "2.2" }));
  const cases: [InstanceFile[], InstanceFile[]][] = [
    [stack(60, "a", of("P-1")), stack(60, "b", of("P-2"))],
    // a stack with one slice of another patient
    [stack(60, "a", (_, k) => of(k === 7 ? "P-2" : "P-1")()), []],
    [
      stack(
        60,
        "a",
        (_, k) => of("P-1", k === 7 ? "1950-01-02" : k > 7 ? undefined : "1950-01-01")(),
      ),
      [],
    ],
    [stack(60, "a", of("P-1")), stack(60, "b", of(""))],
    [stack(60, "a", of("")), stack(60, "b", of("", undefined, { patientName: "C^D" }))],
  ];
  for (const [first, second] of cases) {
    const { studies, rejected } = groupSeries([...first, ...second, ...other], DEFAULT_RULES);
    assert.deepEqual(studies.map((study) => study.studyUid), ["2.2"]);
    assert.equal(rejected.length, first.length + second.length);
    assert.ok(rejected.every((verdict) => verdict.reason === "mixed_patients"));
  }
  const one = [...stack(60, "a", of("P-1", "1950-01-01")), ...stack(20, "b", of("P-1"))];
  assert.equal(groupSeries(one, DEFAULT_RULES).studies.length, 1);
});

Deno.test("groupSeries() makes no volume of slices with different sexes or ages", () => {
  type Stated = { sex?: "male" | "female"; ageYears?: number };
  const pairs: [one: Stated, other: Stated, isSame: boolean][] = [
    [{ sex: "male" }, { sex: "female" }, false],
    [{ ageYears: 35 }, { ageYears: 85 }, false],
    [{ ageYears: 35 }, { ageYears: 37 }, false],
    [{ sex: "male", ageYears: 35 }, { sex: "male", ageYears: 36 }, true],
    [{ sex: "male", ageYears: 35 }, {}, true],
  ];
  for (const [one, other, isSame] of pairs) {
    const files = stack(64, "a", (_, k) => ({
      patientId: "P-1",
      patientName: "Doe^Jane",
      birthDate: undefined,
      sex: undefined,
      ageYears: undefined,
      ...k < 32 ? one : other,
    }));
    const { studies, rejected } = groupSeries(files, DEFAULT_RULES), name = JSON.stringify(other);
    assert.equal(studies.length, isSame ? 1 : 0, name);
    if (isSame) continue;
    assert.ok(rejected.length === 64 && rejected.every((one) => one.reason === "mixed_patients"));
    assert.deepEqual(
      mixedPatientsIn(files).map(({ sex, ageYears, slices }) => [sex, ageYears, slices]),
      [[other.sex, other.ageYears, 32], [one.sex, one.ageYears, 32]],
      name,
    );
  }
});

Deno.test("groupSeries() makes no volume of slices with different names under one patient ID", () => {
  const named = (name: (slice: number) => string, seriesUid: (slice: number) => string) =>
    stack(64, "a", (_, k) => ({
      patientId: "P-1",
      birthDate: "1980-01-01",
      patientName: name(k),
      seriesUid: seriesUid(k),
    }));
  const inTwo = (k: number) => k < 32 ? "1.2.a" : "1.2.b", inOne = () => "1.2.a";
  const pairs: [one: string, other: string, isSame: boolean][] = [
    ["Doe^Jane", "Other^Person", false],
    ["Doe^Jane", "Doe^Janet", false],
    ["Doe^Jane=金^하늘", "Doe^Jane=李^하늘", false],
    ["Νίκου^Άννα", "Παππά^Άννα", false],
    ["Doe^Jane", "DOE^JANE", true],
    ["Doe^Jane", "Doe Jane", true],
    ["Doe^Jane", "Doe, Jane", true],
    ["Doe^Jane", "Doe^Jane^^Dr^MD", true],
    ["Müller^Anna", "Muller^Anna", true],
    ["Kim^Haneul=金^하늘", "Kim^Haneul", true],
    ["=山田^太郎", "=山田 太郎", true],
    ["Νίκου^Άννα", "ΝΙΚΟΥ^ΑΝΝΑ", true],
    ["Doe^Jane", "", true],
  ];
  for (const [one, other, isSame] of pairs) {
    for (const seriesUid of [inTwo, inOne]) {
      const files = named((k) => k < 32 ? one : other, seriesUid);
      const { studies, rejected } = groupSeries(files, DEFAULT_RULES);
      assert.equal(studies.length, isSame ? 1 : 0, `${one} and ${other}`);
      if (isSame) assert.equal(studies[0]!.series[0]!.files.length, 64);
      else {
        assert.equal(rejected.length, 64);
        assert.ok(rejected.every(({ reason }) => reason === "mixed_patients"));
        assert.deepEqual(
          mixedPatientsIn(files).map(({ patientName, slices }) => [patientName, slices]),
          [[other, 32], [one, 32]],
        );
      }
    }
  }
  // a name corrected between two series of a study
  const corrected = [
    ...named(() => "Doe^Jan", inOne),
    ...stack(20, "b", () => ({
      patientId: "P-1",
      birthDate: "1980-01-01",
      patientName: "Doe^Jane",
    })),
  ];
  assert.equal(groupSeries(corrected, DEFAULT_RULES).studies.length, 1);
});

/** Slices of another acquisition with the Series Instance UID of a series. */
const stray = (slices: number, name: string, change: Change, stepMm = 1) =>
  stack(slices, name, (h, k) => ({ seriesUid: "1.2.a", ...change(h, k) }), stepMm);
const oriented = (orientationLps: [Vec3, Vec3]): Change => (h) => ({
  planes: h.planes.map((p) => ({ ...p, orientationLps })),
});

Deno.test("groupSeries() leaves out slices of another acquisition under the series' UID, and says which property differs", () => {
  const sagittal: [Vec3, Vec3] = [[0, 1, 0], [0, 0, -1]];
  const localizers: [string, string, InstanceFile[]][] = [
    [
      "axial, larger pixels",
      "pixel spacing",
      stray(5, "l", (h) => ({
        planes: h.planes.map((p) => ({ ...p, pixelSpacingMm: [2, 2] as [number, number] })),
      }), 13.7),
    ],
    ["axial, another matrix", "matrix size", stray(9, "l", () => ({ rows: 512 }), 13.7)],
    ["axial, thick", "slice thickness", stray(9, "l", () => ({ sliceThicknessMm: 8 }), 13.7)],
    ["axial, fast", "timing", stray(3, "l", () => ({ repetitionTimeMs: 9 }), 13.7)],
    ["at a slice's place", "timing", stray(3, "l", () => ({ flipAngleDeg: 40 }), 20)],
    ["sagittal", "orientation", stray(3, "l", oriented(sagittal), 20)],
    ["another echo", "echo time", stray(3, "l", () => ({ echoTimeMs: 90 }), 20)],
  ];
  for (const [name, what, extra] of localizers) {
    for (const files of [[...stack(60), ...extra], [...extra, ...stack(60)]]) {
      const { studies, rejected } = groupSeries(files, DEFAULT_RULES);
      assert.deepEqual([...studies[0]!.series[0]!.shape], [180, 200, 60], name);
      assert.deepEqual(
        rejected.map(({ reason, details }) => [reason, details.what]),
        extra.map(() => ["other_acquisition", what]),
        name,
      );
    }
  }
  // of two complete reconstructions with different slice spacing, the finer is used
  const thick = stray(20, "thick", () => ({ sliceThicknessMm: 3 }), 3);
  const both = groupSeries([...stack(60), ...thick], DEFAULT_RULES);
  assert.deepEqual([...both.studies[0]!.series[0]!.shape], [180, 200, 60]);
  assert.deepEqual(both.rejected.map(({ reason }) => reason), Array(20).fill("other_acquisition"));
});

Deno.test("groupSeries() takes no part of a head for the series because its other slices differ", () => {
  const part = (slices: number, name: string, from: number, change: Partial<InstanceHeader>) =>
    stray(slices, name, (h) => ({ ...moved(h, [0, 0, from]), ...change }));
  const cases: [string, InstanceFile[], string, string | undefined][] = [
    [
      "halves with a slice missing between them",
      [...part(40, "a", 0, {}), ...part(40, "b", 41, { repetitionTimeMs: 9 })],
      "missing_slice",
      undefined,
    ],
    [
      "halves with half a slice between them",
      [...part(45, "a", 0, {}), ...part(45, "b", 45.5, { repetitionTimeMs: 9 })],
      "mixed_slices",
      "timing",
    ],
    [
      "a slice in the middle with another matrix",
      stray(60, "a", (_, k) => k === 30 ? { rows: 100 } : {}),
      "mixed_slices",
      "matrix size",
    ],
    [
      "odd slices thick and shifted",
      stray(
        60,
        "a",
        (h, k) => k % 2 ? { ...moved(h, [0, 0, k === 31 ? 0.6 : 0.4]), sliceThicknessMm: 2 } : {},
      ),
      "mixed_slices",
      "slice thickness",
    ],
  ];
  for (const [name, files, reason, what] of cases) {
    const { studies, rejected } = groupSeries(files, DEFAULT_RULES);
    assert.deepEqual([studies.length, rejected.length], [0, files.length], name);
    for (const verdict of rejected) {
      assert.deepEqual([verdict.reason, verdict.details.what], [reason, what], name);
    }
  }
});
