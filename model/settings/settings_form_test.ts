// covers: D1-9.1
import assert from "node:assert/strict";
import type { Settings } from "@/model/schema/site/settings.ts";
import {
  formOf,
  isChanged,
  isGroupChanged,
  isOpinionTooLong,
  mergeForms,
  problemsOf,
  putOf,
  withOpinion,
} from "@/model/settings/settings_form.ts";

const STORED: Settings = {
  individual: {
    general: { auto_analyze: true, division: 4, brain_part_list: [], expanded_part_list: ["all"] },
    report: {
      language: "en",
      anonymize: false,
      threshold_list: [5, 25],
      page_list: { t1: [1], t2: [1], t1t2: [1] },
    },
    report_result: [],
  },
  group: {
    general: {
      bias_correction: true,
      second_opinion: true,
      deep_structures: true,
      dicom_encoding_id: 1,
      t1w_tag: "SeriesDescription",
      t2w_tag: "SeriesDescription",
      t1w_includes: "t1",
      t2w_includes: "flair",
    },
  },
};
const { individual, group } = STORED;
const form = formOf(STORED);

Deno.test("formOf() and putOf() are there and back; empty thresholds are dropped", () => {
  assert.deepEqual(putOf(form), { individual, group });
  assert.deepEqual(
    putOf({ ...form, thresholds: [5, 0, 50], thresholdCount: 3 }).individual.report.threshold_list,
    [5, 50],
  );
  assert.ok(!isChanged(form, STORED) && !isGroupChanged(form, STORED));
  assert.ok(isChanged({ ...form, thresholdCount: 3 }, STORED));
  assert.ok(isGroupChanged({ ...form, group: { ...form.group, bias_correction: false } }, STORED));
});

Deno.test("problemsOf() finds thresholds out of order or range, and tags that name nothing", () => {
  const keywords = ["SeriesDescription", "ProtocolName"];
  assert.deepEqual(problemsOf(form, keywords), { tags: [] });
  const threshold = (thresholds: [number, number, number], thresholdCount: number) =>
    problemsOf({ ...form, thresholds, thresholdCount }, keywords).threshold;
  assert.equal(threshold([30, 25, 0], 2), "thresholdOrder");
  assert.equal(threshold([5, 0, 0], 2), "thresholdOrder");
  assert.equal(threshold([0, 0, 0], 1), "thresholdRange");
  assert.equal(threshold([5, 101, 0], 2), "thresholdRange");
  const tags = (t1w_tag: string) =>
    problemsOf({ ...form, group: { ...form.group, t1w_tag } }, keywords).tags;
  assert.deepEqual([tags("(0018,1030)"), tags("protocol name, x"), tags(" ")], [[], [], []]);
  assert.deepEqual(tags("PatientName"), ["t1w_tag"]);
});

Deno.test("mergeForms() keeps what was changed here and takes the rest from the others", () => {
  const theirs = structuredClone(STORED);
  theirs.group.general.dicom_encoding_id = 2;
  theirs.group.general.t1w_includes = "theirs";
  const mine = {
    ...form,
    general: { ...form.general, division: 3 as const },
    group: { ...form.group, t1w_includes: "mine" },
  };
  const { general, group, thresholds } = mergeForms(STORED, mine, theirs);
  assert.equal(general.division, 3);
  assert.deepEqual([group.dicom_encoding_id, group.t1w_includes], [2, "mine"]);
  assert.deepEqual(thresholds, [5, 25, 0]);
});

// covers: D1-4.29
Deno.test("withOpinion() adds, replaces, and forgets an edit that is the default text again", () => {
  const opinion = { opinion_id: 11, message: "Default" };
  const one = withOpinion([{ opinion_id: 21, message: "x" }], opinion, "Mine");
  assert.deepEqual(one, [{ opinion_id: 11, message: "Mine" }, { opinion_id: 21, message: "x" }]);
  assert.deepEqual(withOpinion(one, opinion, "")[0], { opinion_id: 11, message: "" });
  assert.deepEqual(withOpinion(one, opinion, "Default"), [{ opinion_id: 21, message: "x" }]);
});

// covers: D1-5.7
Deno.test("isOpinionTooLong() allows 350 letters as people count them", () => {
  assert.ok(
    !isOpinionTooLong("가".normalize("NFD").repeat(350)) && isOpinionTooLong("가".repeat(351)),
  );
});
