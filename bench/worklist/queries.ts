// Random queries of the worklist, as users might make them.
import type { PatientQuery } from "@/model/schema/studies/patients.ts";
import { sortKey } from "@/model/schema/studies/study.ts";
import type { Random } from "@/server/commands/demo/phantom/random.ts";

const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random.uniform() * list.length)]!;

/** A random query; a third of the queries request a page far from the first. */
export function anyQuery(random: Random): PatientQuery {
  const query: PatientQuery = {
    sort_key: pick(random, sortKey.options.filter((key) => key !== "finding")),
    sort_direction: pick(random, ["asc", "desc"] as const),
    page_size: pick(random, [5, 10, 20, 50]),
    page_idx: random.uniform() < 0.33 ? 1 + Math.floor(random.uniform() * 400) : 1,
  };
  const chance = (p: number) => random.uniform() < p;
  const day = (low: number, high: number) =>
    `${Math.floor(random.between(low, high))}/0${1 + Math.floor(9 * random.uniform())}/15`;
  if (chance(0.5)) {
    query.search_string = pick(random, [
      "kim",
      "FILL-00",
      "9",
      "하늘",
      "müller j",
      "zoë",
      "a",
      "nobody",
      "00012",
      "김하",
    ]);
  }
  if (chance(0.2)) query.t1w = true;
  if (chance(0.2)) query.t2w = true;
  if (chance(0.3)) query.sex = pick(random, ["male", "female"] as const);
  if (chance(0.3)) query.age_from = Math.floor(random.between(1, 80));
  if (chance(0.2)) query.age_to = Math.floor(random.between(81, 110));
  if (chance(0.2)) query.birth_from = day(1930, 1960);
  if (chance(0.1)) query.birth_to = day(1961, 2005);
  if (chance(0.2)) query.study_from = day(2018, 2022);
  if (chance(0.2)) query.study_to = day(2023, 2029);
  if (chance(0.2)) query.analysis_from = day(2018, 2022);
  if (chance(0.1)) query.analysis_to = day(2023, 2029);
  if (chance(0.25)) {
    query.label_id_list = [
      1 + Math.floor(10 * random.uniform()),
      1 + Math.floor(10 * random.uniform()),
    ];
  }
  return query;
}
