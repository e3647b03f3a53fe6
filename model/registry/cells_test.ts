// covers: S-210
import assert from "node:assert/strict";
import {
  cellAt,
  CellCounts,
  COARSEST,
  MIN_PERSONS,
  type RegistryPlace,
} from "@/model/registry/cells.ts";
import { acquisitionOf } from "@/model/registry/acquisition.ts";
import { Random } from "@/model/random.ts";

const PROTOCOL = "3 T, TR 2300, TE 3, TI 900, 9°, 1 × 1 × 1 mm";
const acquisition = acquisitionOf("SIEMENS Skyra 45123", PROTOCOL);
const place = (values: Partial<RegistryPlace> = {}): RegistryPlace => ({
  ...acquisition,
  ...{ person: "a", age: 65, sex: "male", year: 2026, engine: "sulcus-engine 1" },
  ...values,
});

/** Random places of a site: few scanners, any age, some people with several studies. */
function randomPlaces(random: Random, count: number): RegistryPlace[] {
  const of = <T>(values: readonly T[]) => values[Math.floor(random.uniform() * values.length)]!;
  return Array.from({ length: count }, () =>
    place({
      ...acquisitionOf(
        of(["SIEMENS Skyra 1", "GE Voyager 2", "Philips Ingenia 3", null]),
        PROTOCOL,
      ),
      person: `P${Math.floor(random.uniform() * count * 0.8)}`,
      age: random.uniform() < 0.05 ? null : Math.floor(random.between(0, 104)),
      sex: of(["male", "female", "female", null]),
      year: of([2024, 2025, 2026, null]),
    }));
}

Deno.test("CellCounts releases no attributes that fewer people share, in random sites", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = new Random(seed), places = randomPlaces(random, 20 + 15 * seed);
    const counts = new CellCounts();
    for (const each of places) counts.add(each);
    const levels = counts.levels(), people = new Map<string, Set<string>>();
    for (const [n, each] of places.entries()) {
      const { level, ...cell } = cellAt(each, levels[n]!);
      if (level === COARSEST) {
        assert.ok(Object.values(cell).every((value) => value === null));
        continue;
      }
      const key = JSON.stringify(cell);
      people.set(key, (people.get(key) ?? new Set()).add(each.person));
    }
    for (const [key, of] of people) assert.ok(of.size >= MIN_PERSONS, `${seed}: ${key}`);
  }
});

Deno.test("a stopped scanner's missing percentiles tell no attribute of a row, in random sites", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = new Random(seed), places = randomPlaces(random, 20 + 15 * seed);
    const counts = new CellCounts(), isStopped = (n: number) => places[n]!.model === "Voyager";
    for (const [n, each] of places.entries()) {
      counts.add(each);
      if (isStopped(n)) counts.withhold(n);
    }
    // an attacker sees the level, the attributes, and whether there are percentiles
    const levels = counts.levels(), people = new Map<string, Set<string>>();
    for (const [n, each] of places.entries()) {
      const { level, ...cell } = cellAt(each, levels[n]!);
      if (isStopped(n)) assert.equal(level, COARSEST);
      if (level === COARSEST) continue;
      const key = JSON.stringify([cell, isStopped(n)]);
      people.set(key, (people.get(key) ?? new Set()).add(each.person));
    }
    for (const [key, of] of people) assert.ok(of.size >= MIN_PERSONS, `${seed}: ${key}`);
  }
});

Deno.test("CellCounts counts people and not studies, and studies of unknown people as one's", () => {
  const levelsOf = (persons: readonly string[]) => {
    const counts = new CellCounts();
    for (const person of persons) counts.add(place({ person }));
    return new Set(counts.levels());
  };
  const people = Array.from({ length: MIN_PERSONS }, (_, n) => `P${n}`);
  assert.deepEqual(levelsOf(people), new Set([0]));
  assert.deepEqual(levelsOf(people.slice(1)), new Set([COARSEST]));
  assert.deepEqual(levelsOf(people.map(() => "one")), new Set([COARSEST]));
  assert.deepEqual(levelsOf([...people.slice(1), "", "", ""]), new Set([0]));
});

Deno.test("CellCounts coarsens a rare scanner or age, and leaves the others fine", () => {
  const counts = new CellCounts(), usual = Array.from({ length: 40 }, (_, n) => `P${n}`);
  for (const person of usual) counts.add(place({ person }));
  // a rare model of a usual maker: the maker and its field strength are shared by too few too
  for (let n = 0; n < 11; n++) {
    counts.add(place({ person: `R${n}`, model: n < 5 ? "Vida" : "Sola" }));
  }
  counts.add(place({ person: "old", age: 97 }));
  const levels = counts.levels();
  assert.deepEqual(new Set(levels.slice(0, 40)), new Set([0]));
  assert.deepEqual(new Set(levels.slice(40, 51)), new Set([1]));
  assert.equal(levels[51], COARSEST);
  const bands = [0, 17, 18, 39, 40, 89, 90, 120, null, -1].map((age) =>
    [0, 2].map((level) => cellAt(place({ age }), level).ageBand)
  );
  assert.deepEqual(bands, [
    ["<18", "<18"],
    ["<18", "<18"],
    ["18–29", "18–39"],
    ["30–39", "18–39"],
    ["40–49", "40–59"],
    ["80–89", "60–89"],
    ["90+", "90+"],
    ["90+", "90+"],
    [null, null],
    [null, null],
  ]);
});

Deno.test("CellCounts of 100,000 studies is fast and small", () => {
  const counts = new CellCounts();
  for (const each of randomPlaces(new Random(5), 100_000)) counts.add(each);
  const levels = counts.levels();
  assert.equal(levels.length, 100_000);
  assert.ok(levels.filter((level) => level === 0).length > 50_000);
});
