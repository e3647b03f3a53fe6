// covers: D1-2.15
import assert from "node:assert/strict";
import {
  attachLabel,
  countWithLabel,
  labelProblem,
  mergeLabels,
  renameLabel,
  withLabel,
  withoutLabel,
} from "@/model/worklist/label_edit.ts";
import type { LabelItem } from "@/model/schema/worklist/labels.ts";

const LABELS: LabelItem[] = [
  { id: 4, label_name: "Dementia", patients: [1, 2], filters: [] },
  { id: 7, label_name: "MS", patients: [], filters: [9] },
];

// covers: D1-5.14
Deno.test("labelProblem() refuses empty, long and repeated names, whatever their case and space", () => {
  const problem = (name: string, id?: number) => labelProblem(LABELS, name, id);
  assert.deepEqual(
    [problem(""), problem("   "), problem("x".repeat(20)), problem("x".repeat(21))],
    [
      "required",
      "required",
      null,
      "max_length",
    ],
  );
  assert.deepEqual([problem(" dementia "), problem("Dementia", 4), problem("ms", 4)], [
    "duplicate",
    null,
    "duplicate",
  ]);
  assert.equal(problem("치".repeat(20)), null);
});

// covers: D1-3.5
Deno.test("withLabel() gives new labels ids below 0, each another", () => {
  const twice = withLabel(withLabel(LABELS, " a "), "b");
  assert.deepEqual(twice.slice(2).map(({ id, label_name }) => [id, label_name]), [[-1, "a"], [
    -2,
    "b",
  ]]);
  assert.deepEqual(withoutLabel(twice, -1).map(({ id }) => id), [4, 7, -2]);
  assert.equal(renameLabel(twice, 7, " Sclerosis ")[1]!.label_name, "Sclerosis");
});

// covers: D1-4.41
Deno.test("attached() changes the given studies of one label and no others", () => {
  const on = attachLabel(LABELS, 4, [2, 3], true);
  assert.deepEqual(on[0]!.patients, [1, 2, 3]);
  assert.deepEqual(attachLabel(on, 4, [2, 3], false)[0]!.patients, [1]);
  assert.deepEqual(on[1], LABELS[1]);
  assert.deepEqual([countWithLabel(on[0]!, [2, 3, 9]), countWithLabel(on[1]!, [2])], [2, 0]);
});

Deno.test("mergeLabels() keeps both sides' changes", () => {
  const mine = attachLabel(withLabel(withoutLabel(renameLabel(LABELS, 4, "Mine"), 7), "new"), 4, [
    3,
  ], true);
  const theirs: LabelItem[] = [
    { ...LABELS[0]!, patients: [2, 8] },
    { ...LABELS[1]!, label_name: "Theirs" },
    { id: 12, label_name: "Also new", patients: [5], filters: [] },
  ];
  assert.deepEqual(
    mergeLabels(LABELS, mine, theirs).map((
      { id, label_name, patients },
    ) => [id, label_name, patients]),
    [
      [4, "Mine", [2, 8, 3]],
      [12, "Also new", [5]],
      [-1, "new", []],
    ],
  );
  assert.deepEqual(mergeLabels(LABELS, LABELS, theirs), theirs);
  assert.deepEqual(mergeLabels(LABELS, attachLabel(LABELS, 4, [1], false), [LABELS[1]!]), [
    LABELS[1],
  ]);
});

Deno.test("mergeLabels() makes one label of a name that both have added, with the studies of both", () => {
  const mine = withLabel(LABELS, "Control"), own = mine.at(-1)!.id;
  const theirs: LabelItem[] = [...LABELS, {
    id: 12,
    label_name: " control",
    patients: [5],
    filters: [],
  }];
  const merged = mergeLabels(LABELS, attachLabel(mine, own, [3, 5], true), theirs);
  assert.deepEqual(
    merged.slice(2).map(({ id, label_name, patients }) => [id, label_name, patients]),
    [
      [12, " control", [5, 3]],
    ],
  );
});
