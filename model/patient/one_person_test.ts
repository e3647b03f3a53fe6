// covers: S-245
import assert from "node:assert/strict";
import {
  contradictionsOf,
  mayAllBeOnePerson,
  mayBeOnePerson,
  personsAmong,
  type RecordedPerson,
} from "@/model/patient/one_person.ts";
import { randomOf } from "@/tests/sites/connections/random_messages.ts";

const of = (patient_birthdate: string | null, patient_sex: string | null): RecordedPerson => ({
  patient_birthdate,
  patient_sex,
});

const among = (all: readonly RecordedPerson[]) =>
  personsAmong(all.map((record) => ({ ...record, patient_id: "P-1", patient_name: "" })));

const samePersonAs = (own: RecordedPerson, all: readonly RecordedPerson[]) => {
  const records = all.map((record) => ({ ...record, patient_name: "" }));
  return among(all).sameAs({ ...own, patient_name: "" }, records)
    .map((record) => all[records.indexOf(record)]!);
};

const isOnePerson = (records: readonly RecordedPerson[]): boolean =>
  records.every((one, at) => records.slice(at + 1).every((other) => mayBeOnePerson(one, other)));

/** Whether four records contradict each other pairwise. */
const areMany = (all: readonly RecordedPerson[], chosen: RecordedPerson[] = []): boolean =>
  chosen.length === 4 ||
  all.some((one, at) =>
    chosen.every((other) => !mayBeOnePerson(one, other)) &&
    areMany(all.slice(at + 1), [...chosen, one])
  );

/** By the sentence alone, pair by pair. */
function slowly(own: RecordedPerson, all: readonly RecordedPerson[]): RecordedPerson[] {
  if (areMany(all)) return [];
  const agreeing = (one: RecordedPerson) => all.filter((other) => mayBeOnePerson(one, other));
  const isCertain = (one: RecordedPerson) => isOnePerson(agreeing(one));
  return isCertain(own) ? agreeing(own).filter(isCertain) : [];
}

Deno.test("a record without birth date and sex belongs to neither of two people", () => {
  const woman = of("1950-01-01", "female"), man = of("1975-01-01", "male"), blank = of(null, null);
  assert.deepEqual(samePersonAs(blank, [woman, man, blank]), []);
  assert.deepEqual(samePersonAs(woman, [woman, man, blank]), [woman]);
  assert.deepEqual(samePersonAs(man, [woman, man, blank]), [man]);
  assert.deepEqual(samePersonAs(blank, [woman, blank]), [woman, blank]);
  assert.deepEqual(samePersonAs(of(null, "male"), [woman, man, of(null, "male")]), [
    man,
    of(null, "male"),
  ]);
});

Deno.test("another name without a birth date is another person, a spelling or a new name is not", () => {
  const of = (patient_name: string, patient_birthdate: string | null = null) => ({
    patient_id: "P-1",
    patient_name,
    patient_birthdate,
    patient_sex: "male",
  });
  const areOne = (...records: ReturnType<typeof of>[]) => personsAmong(records).isOne;
  const kim = of("Kim Minsu"), park = of("Park Jihoon");
  assert.ok(!areOne(kim, park));
  assert.deepEqual(personsAmong([kim, park, kim]).sameAs(kim, [kim, park, kim]), [kim, kim]);
  assert.deepEqual(personsAmong([kim, park]).groups([kim, park]), [[kim], [park]]);
  assert.ok(!areOne(kim, of("Park Jihoon", "1950-01-01")), "only one birth date");
  for (const spelling of ["MINSU KIM", "KimMinSu", "김민수", "KIM MINSU / 金民秀 / 김민수", ""]) {
    assert.ok(areOne(kim, of(spelling)), spelling);
  }
  assert.ok(areOne(of("Anna Müller"), of("Anna Schmidt")), "a new family name");
  // equal birth dates under one ID: the name was changed, or written in another romanisation
  assert.ok(areOne(of("Lee Minsu", "1950-01-01"), of("Yi Min-soo", "1950-01-01")));
  // a study that may be of two people is of neither
  const short = of("Kim Park"), all = [kim, park, short];
  assert.deepEqual(personsAmong(all).sameAs(short, all), []);
  assert.deepEqual(personsAmong(all).groups(all), [[kim], [park]]);
});

Deno.test("contradictionsOf() names each attribute, the name only without equal birth dates", () => {
  const of = (patient_name: string, patient_birthdate: string | null, patient_sex: string) => ({
    patient_name,
    patient_birthdate,
    patient_sex,
  });
  const kim = of("Kim Minsu", "1950-01-01", "male");
  assert.deepEqual(contradictionsOf(kim, of("Park Jihoon", null, "male")), ["name"]);
  assert.deepEqual(contradictionsOf(kim, of("Park Jihoon", "1950-01-01", "male")), []);
  assert.deepEqual(contradictionsOf(kim, of("Park Jihoon", "1951-01-01", "female")), [
    "birthdate",
    "sex",
    "name",
  ]);
  assert.deepEqual(contradictionsOf(kim, of("KIM MINSU", null, "male")), []);
});

Deno.test("personsAmong() equals its slow twin, and parts records into people", () => {
  const random = randomOf(245), births = [null, "", "1950-01-01", "1975-01-01", "1980-01-01"];
  let joined = 0, uncertain = 0, many = 0;
  for (let round = 0; round < 600; round++) {
    const kinds = 2 + random(4);
    const all = Array.from(
      { length: 1 + random(round % 3 === 0 ? 16 : 7) },
      () => of(births[random(kinds)]!, [null, "", "male", "female"][random(kinds)] ?? null),
    );
    const named = all.map((record) => ({ ...record, patient_name: "" }));
    const persons = among(all), personOf = persons.of;
    const groups = persons.groups(named);
    if (areMany(all)) many++;
    assert.equal(persons.isOne, isOnePerson(all));
    assert.equal(mayAllBeOnePerson(all), isOnePerson(all));
    for (const group of groups) assert.deepEqual(persons.sameAs(group[0]!, named), group);
    const known = named.filter((one) => personOf(one) !== null);
    assert.deepEqual(new Set(groups.flat()), new Set(known));
    for (const own of all) {
      const found = samePersonAs(own, all);
      assert.deepEqual(found, slowly(own, all), JSON.stringify({ own, all }));
      assert.ok(isOnePerson(found));
      assert.equal(found.length === 0, personOf({ ...own, patient_name: "" }) === null);
      for (const other of found) assert.deepEqual(samePersonAs(other, all), found);
      if (found.length > 1) joined++;
      if (found.length === 0) uncertain++;
    }
  }
  assert.ok(joined > 200 && uncertain > 200, `${joined} joined, ${uncertain} uncertain`);
  assert.ok(many > 5, `${many} rounds with more than three persons`);
});

Deno.test("people that are told apart by their names are never joined, whatever else is missing", () => {
  const random = randomOf(451), families = ["Kim Minsu", "Park Jihoon", "Choi Yuna"];
  let joined = 0, apart = 0;
  for (let round = 0; round < 400; round++) {
    const studies = Array.from({ length: 2 + random(6) }, () => {
      const person = random(families.length), hasBirth = random(3) === 0;
      return {
        person,
        patient_id: "P-1",
        patient_name: random(6) === 0 ? "" : families[person]!,
        patient_birthdate: hasBirth ? `195${person}-01-01` : null,
        patient_sex: null,
      };
    });
    const persons = personsAmong(studies), groups = persons.groups(studies);
    for (const group of groups) {
      const named = group.filter(({ patient_name }) => patient_name !== "");
      assert.ok(new Set(named.map(({ person }) => person)).size <= 1, JSON.stringify(studies));
      if (group.length > 1) joined++;
      for (const own of group) assert.deepEqual(persons.sameAs(own, studies), group);
    }
    if (groups.length > 1) apart++;
    const keys = groups.map(([first]) => persons.of(first!));
    assert.equal(new Set(keys).size, groups.length);
  }
  assert.ok(joined > 100 && apart > 100, `${joined} joined, ${apart} apart`);
});
