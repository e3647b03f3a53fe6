import assert from "node:assert/strict";
import {
  BRAIN_CATEGORY,
  type BrainNode,
  byPriority,
  isBrainBranch,
  isBrainPart,
  leavesOf,
  nodeState,
  searchTree,
  withNode,
} from "@/model/regions/brain_parts.ts";
import { PARTS } from "@/model/regions/regions.ts";

const [root] = BRAIN_CATEGORY as [BrainNode];
const frontal = root.children![0]!;
const names = ({ title }: BrainNode) => [title];

Deno.test("BRAIN_CATEGORY has every part once under a root titled All, each key in one role", () => {
  assert.equal(root.title, "All");
  assert.deepEqual(leavesOf(root).sort(), PARTS.map(({ part }) => part).sort());
  for (const key of leavesOf(root)) assert.ok(isBrainPart(key) && !isBrainBranch(key), key);
  for (const { key } of [root, ...root.children!]) {
    assert.ok(isBrainBranch(key) && !isBrainPart(key), key);
  }
});

Deno.test("withNode() checks and clears whole branches in the tree's order, nodeState() tells how much", () => {
  const one = withNode(BRAIN_CATEGORY, ["Insula"], { title: "", key: "Precentral" }, true);
  assert.deepEqual(one, ["Precentral", "Insula"]);
  assert.equal(nodeState(frontal, new Set(one)), "some");
  const all = withNode(BRAIN_CATEGORY, one, frontal, true);
  assert.equal(nodeState(frontal, new Set(all)), "all");
  assert.equal(nodeState(root, new Set(all)), "some");
  assert.deepEqual(withNode(BRAIN_CATEGORY, all, frontal, false), ["Insula"]);
  assert.equal(nodeState(frontal, new Set(["Insula"])), "none");
});

Deno.test("searchTree() keeps what matches, with the way to it and all below a match", () => {
  const found = searchTree(BRAIN_CATEGORY, " HIPPOCAMP ", names);
  assert.deepEqual(
    found.flatMap(leavesOf),
    ["Hippocampus", "Parahippocampal"].sort((a, b) =>
      leavesOf(root).indexOf(a) - leavesOf(root).indexOf(b)
    ),
  );
  assert.deepEqual(
    searchTree(BRAIN_CATEGORY, "ventricle", names)[0]!.children![0]!.title,
    "Ventricle",
  );
  assert.deepEqual(searchTree(BRAIN_CATEGORY, "", names), BRAIN_CATEGORY);
  assert.deepEqual(searchTree(BRAIN_CATEGORY, "liver", names), []);
});

Deno.test("byPriority() puts some first and keeps the order otherwise", () => {
  assert.deepEqual(byPriority([1, 2, 3, 4], (n) => n % 2 === 0), [2, 4, 1, 3]);
});
