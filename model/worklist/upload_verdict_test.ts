// covers: S-10, D1-3.2
import assert from "node:assert/strict";
import { type ContrastHeader, DEFAULT_RULES } from "@/model/dicom/classify.ts";
import type { StoredSeries, UploadFailure } from "@/model/schema/studies/upload.ts";
import type { FoundSeries, FoundStudy } from "@/model/worklist/upload_study.ts";
import {
  foresee,
  isForeseenUnused,
  isPartly,
  otherKinds,
  seriesOutcomes,
} from "@/model/worklist/upload_verdict.ts";

const MR = "1.2.840.10008.5.1.4.1.1.4", ENHANCED_MR = "1.2.840.10008.5.1.4.1.1.4.1";

function series(
  description: string,
  slices: number,
  change: Partial<FoundSeries["first"]> = {},
): FoundSeries {
  const contrast = {
    scanningSequence: [],
    texts: { SeriesDescription: description },
  } as unknown as ContrastHeader;
  return {
    seriesUid: `1.2.${description}`,
    description,
    modality: "MR",
    folderName: "",
    slices,
    first: {
      patientId: "P",
      patientName: "",
      studyUid: "1",
      seriesUid: `1.2.${description}`,
      instanceUid: "1.1",
      seriesDescription: description,
      studyDate: "",
      modality: "MR",
      imageType: ["ORIGINAL", "PRIMARY"],
      sopClassUid: MR,
      contrast,
      ...change,
    },
  };
}

const study = (...all: FoundSeries[]): FoundStudy => (
  {
    studyUid: "1",
    patientId: "P",
    patientName: "",
    studyDate: "",
    series: all,
    files: [],
    sizeBytes: 0,
  }
);
const reasonOf = (one: FoundSeries, of = study(one), rules = DEFAULT_RULES) =>
  foresee(one, of, rules).reason;

Deno.test("foresee() names the refusals that a series' tags make certain", () => {
  assert.deepEqual(foresee(series("t1_mprage", 39), study(), DEFAULT_RULES).kind, "t1");
  const short = series("t1_mprage", 39);
  assert.deepEqual(foresee(short, study(short), DEFAULT_RULES), {
    kind: "t1",
    reason: "too_few_slices",
    details: { slices: 39, minimum: 40 },
  });
  assert.equal(reasonOf(series("t1_mprage", 40)), null);
  assert.equal(reasonOf(series("T2 FLAIR", 20)), null);
  assert.equal(reasonOf(series("T2 FLAIR", 19)), "too_few_slices");
  assert.equal(reasonOf(series("localizer", 3)), "localizer");
  assert.equal(reasonOf(series("t1_mprage MIP", 60)), "derived");
  assert.equal(reasonOf(series("ep2d_diff", 60)), "unclassified");
});

Deno.test("foresee() says nothing where the tags do not tell", () => {
  assert.equal(
    reasonOf(series("t1_mprage", 1, { sopClassUid: ENHANCED_MR })),
    null,
    "several frames a file",
  );
  assert.equal(
    reasonOf(series("ep2d_diff", 1, { sopClassUid: ENHANCED_MR })),
    null,
    "timing inside of frames",
  );
  const parts = [series("t1_mprage", 32), { ...series("t1_mprage", 32), seriesUid: "2" }];
  assert.equal(reasonOf(parts[0]!, study(...parts)), null, "two parts of one volume");
  const rules = { ...DEFAULT_RULES, t1wTag: "ImageComments" };
  assert.equal(
    reasonOf(series("ep2d_diff", 60), undefined, rules),
    null,
    "an attribute that is not read",
  );
  const { first: _, ...bare } = series("ep2d_diff", 60);
  assert.equal(reasonOf(bare), null);
});

Deno.test("foresee() goes by the type that the user has chosen", () => {
  assert.equal(
    reasonOf(series("ep2d_diff", 60), undefined, { ...DEFAULT_RULES, seriesType: "t1" }),
    null,
  );
  assert.equal(reasonOf(series("t1", 30), undefined, { ...DEFAULT_RULES, seriesType: "t2" }), null);
});

Deno.test("isForeseenUnused() is true of a study none of whose series can be used", () => {
  const one = series("t1_mprage", 1), scout = series("scout", 3), flair = series("T2 FLAIR", 30);
  assert.equal(isForeseenUnused(study(one), DEFAULT_RULES), true);
  assert.equal(isForeseenUnused(study(one, scout), DEFAULT_RULES), true);
  assert.equal(isForeseenUnused(study(one, flair), DEFAULT_RULES), false);
});

const failure = (
  of: FoundSeries,
  reason: string,
  details: UploadFailure["details"] = {},
): UploadFailure => ({
  file_name: "1.dcm",
  code: "upload.format_not_supported",
  reason,
  details,
  series: {
    description: of.description,
    slices: of.slices,
    patient: "P",
    series_uid: of.seriesUid,
  },
});
const sent = (all: FoundSeries[], failures: UploadFailure[], taken: StoredSeries[]) => ({
  study: study(...all),
  stage: "stored" as const,
  sentBytes: 0,
  code: null,
  pids: ["1"],
  failures,
  taken,
});

Deno.test("a stored study whose T1w was refused is stored in part, and one that lacks nothing is not", () => {
  const t1 = series("t1_mprage", 39), flair = series("T2 FLAIR", 40), scout = series("scout", 3);
  const other = series("ep2d_diff", 60);
  const tooFew = failure(t1, "too_few_slices", { slices: 39, minimum: 40, kind: "t1" });
  const isFlair = { series_uid: flair.seriesUid, kind: "t2" as const };
  const partly = sent([scout, t1, flair], [tooFew, failure(scout, "localizer")], [isFlair]);
  assert.equal(isPartly(partly), true);
  const outcomes = seriesOutcomes(partly);
  assert.deepEqual(outcomes.map(({ series }) => series.description), [
    "T2 FLAIR",
    "t1_mprage",
    "scout",
  ]);
  assert.deepEqual(outcomes.map(({ takenAs }) => takenAs), ["t2", null, null]);
  assert.deepEqual(outcomes.map(({ isMinor }) => isMinor), [false, false, true]);
  assert.deepEqual(otherKinds(outcomes[1]!, partly.taken), [], "the FLAIR would be replaced");

  const isT1 = { series_uid: "t1", kind: "t1" as const };
  assert.equal(isPartly(sent([scout, flair], [failure(scout, "localizer")], [isFlair])), false);
  const unclassified = failure(other, "unclassified");
  assert.equal(
    isPartly(sent([other, flair], [unclassified], [isFlair])),
    true,
    "it may be the T1w",
  );
  assert.equal(isPartly(sent([other], [unclassified], [isT1])), false);
  assert.equal(isPartly(sent([t1], [tooFew], [isT1])), false, "another T1w was taken");
});

Deno.test("a dynamic series is a minor matter beside a T1w, and the reason of a refused study", () => {
  const dynamic = series("t1_vibe", 300), scout = series("scout", 3);
  const failures = [failure(dynamic, "time_points", { count: 5 }), failure(scout, "localizer")];
  const minors = (progress: Parameters<typeof seriesOutcomes>[0]) =>
    seriesOutcomes(progress).map(({ isMinor }) => isMinor);
  const isT1 = { series_uid: "t1", kind: "t1" as const };
  assert.deepEqual(minors(sent([dynamic, scout], failures, [isT1])), [true, true]);
  const refused = { ...sent([scout, dynamic], failures, []), stage: "refused" as const };
  assert.deepEqual(minors(refused), [false, true]);
  assert.equal(isPartly(refused), false);
});

Deno.test("a T1w of several units is missed without another T1w, and a minor matter beside one", () => {
  const mixed = series("t1_map", 60, { sopClassUid: ENHANCED_MR });
  const refused = failure(mixed, "mixed_slices", { what: "unit", kind: "t1" });
  const flair = series("T2 FLAIR", 60), t1 = series("t1_mprage", 60);
  const isT1 = { series_uid: t1.seriesUid, kind: "t1" as const };
  const isFlair = { series_uid: flair.seriesUid, kind: "t2" as const };
  assert.equal(isPartly(sent([mixed, t1], [refused], [isT1])), false);
  assert.equal(isPartly(sent([mixed, flair], [refused], [isFlair])), true);
  const isSame = { series_uid: mixed.seriesUid, kind: "t1" as const };
  assert.equal(isPartly(sent([mixed], [refused], [isSame])), false, "another image of the series");
});

Deno.test("otherKinds() offers the types that a refused series can still be sent as", () => {
  const other = series("ep2d_diff", 60), t1 = series("t1_mprage", 39);
  const offered = (progress: ReturnType<typeof sent>) => {
    const refused = seriesOutcomes(progress).find(({ failure }) => failure)!;
    return otherKinds(refused, progress.taken);
  };
  const isT1 = { series_uid: "t1", kind: "t1" as const };
  assert.deepEqual(offered(sent([other], [failure(other, "unclassified")], [])), ["t1", "t2"]);
  assert.deepEqual(offered(sent([other], [failure(other, "unclassified")], [isT1])), ["t2"]);
  const tooFew = failure(t1, "too_few_slices", { slices: 39, minimum: 40, kind: "t1" });
  assert.deepEqual(offered(sent([t1], [tooFew], [])), [], "a thick T1w is no FLAIR");
  const { contrast } = other.first!;
  const timed = series("t2_tse", 60, { contrast: { ...contrast!, echoTimeMs: 90 } });
  assert.deepEqual(
    offered(sent([timed], [failure(timed, "unclassified")], [])),
    [],
    "its times say T2w",
  );
  assert.deepEqual(
    offered(sent([t1], [failure(t1, "other_series_chosen", { kind: "t1" })], [isT1])),
    ["t1"],
  );
  assert.deepEqual(offered(sent([t1], [failure(t1, "missing_slice", { missing: 2 })], [])), []);
});
