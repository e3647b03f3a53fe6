import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  keepSample,
  readSamples,
  rowsOf,
  type Sample,
  slopeOf,
} from "@/bench/growth/soak_samples.ts";

const sampleOf = (given: Partial<Sample>): Sample => ({
  run: 0,
  atS: 0,
  memoryMb: 200,
  handles: 30,
  threads: 30,
  walMb: 1,
  kinds: null,
  processorS: 10,
  problems: 0,
  done: { pages: 5 },
  ...given,
});
const soakOf = (run: number, count: number, of: (n: number) => Partial<Sample>) =>
  Array.from({ length: count }, (_, n) => sampleOf({ run, atS: 360 * n, ...of(n) }));
const rowNamed = (samples: Sample[], name: string) =>
  rowsOf(samples).find((row) => row.name.startsWith(name))!;

Deno.test("slopeOf() is the rise of a line, whatever lies beside it evenly", () => {
  assert.equal(slopeOf([[0, 1], [1, 3], [2, 5]]), 2);
  assert.equal(slopeOf([[0, 1], [0, 3], [2, 5], [2, 7]]), 2);
});

Deno.test("rowsOf() passes what is flat after its first quarter and refuses what grows on", () => {
  const flat = soakOf(0, 40, (n) => ({ memoryMb: n < 10 ? 100 + 10 * n : 200 }));
  assert.ok(rowsOf(flat).every(({ ok }) => ok));
  assert.equal(rowNamed(flat, "memory, rise").value, 0);
  const growing = soakOf(0, 40, (n) => ({ memoryMb: 100 + n }));
  assert.deepEqual(rowsOf(growing).filter(({ ok }) => !ok).map(({ name }) => name), [
    "memory, median of the last quarter",
  ]);
  assert.equal(rowNamed(growing, "memory, rise").value, 10);
  assert.equal(rowNamed(soakOf(0, 40, (n) => ({ handles: 30 + n })), "open files").ok, false);
});

Deno.test("rowsOf() takes a worker that had ended in one sample of the second quarter for no growth, and a leak of one file for one", () => {
  const resting = soakOf(0, 40, (n) => n === 15 ? { handles: 24, threads: 18 } : {});
  assert.ok(rowsOf(resting).every(({ ok }) => ok));
  const leaking = soakOf(0, 40, (n) => n < 20 ? {} : { handles: 31 });
  assert.equal(rowNamed(leaking, "open files").ok, false);
});

Deno.test("rowsOf() compares within the longest run and counts turns and wrong answers of all", () => {
  const samples = [
    ...soakOf(0, 10, () => ({ memoryMb: 90, problems: 1, done: { pages: 7 } })),
    ...soakOf(1, 20, () => ({ memoryMb: 200, done: { pages: 20, label: 3 } })),
  ];
  assert.equal(rowNamed(samples, "memory, median").value, 200);
  assert.equal(rowNamed(samples, "memory, median").ratio, 1);
  assert.equal(rowNamed(samples, "answers").value, 1);
  assert.ok(rowsOf(samples).every(({ ok }) => !ok));
  assert.equal(rowNamed(samples, "turns: pages").value, 27);
});

Deno.test("readSamples() gives back what was kept, without a line that was cut off", () => {
  const folder = mkdtempSync(join(tmpdir(), "sulcus-soak-"));
  try {
    const path = join(folder, "soak.jsonl");
    assert.deepEqual(readSamples(path), []);
    keepSample(path, sampleOf({ atS: 1 }));
    keepSample(path, sampleOf({ atS: 2 }));
    writeFileSync(path, `{"run":0,"at`, { flag: "a" });
    assert.deepEqual(readSamples(path).map(({ atS }) => atS), [1, 2]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
