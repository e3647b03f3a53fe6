// covers: S-245
import assert from "node:assert/strict";
import {
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

const samePersonAs = (own: RecordedPerson, all: readonly RecordedPerson[]) =>
  among(all).sameAs(own, all);

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

Deno.test("personsAmong() equals its slow twin, and parts records into people", () => {
  const random = randomOf(245), births = [null, "", "1950-01-01", "1975-01-01", "1980-01-01"];
  let joined = 0, uncertain = 0, many = 0;
  for (let round = 0; round < 600; round++) {
    const kinds = 2 + random(4);
    const all = Array.from(
      { length: 1 + random(round % 3 === 0 ? 16 : 7) },
      () => of(births[random(kinds)]!, [null, "", "male", "female"][random(kinds)] ?? null),
    );
    const persons = among(all), personOf = persons.of;
    const groups = persons.groups(all);
    if (areMany(all)) many++;
    assert.equal(persons.isOne, isOnePerson(all));
    assert.equal(mayAllBeOnePerson(all), isOnePerson(all));
    for (const group of groups) assert.deepEqual(persons.sameAs(group[0]!, all), group);
    assert.deepEqual(new Set(groups.flat()), new Set(all.filter((one) => personOf(one) !== null)));
    for (const own of all) {
      const found = samePersonAs(own, all);
      assert.deepEqual(found, slowly(own, all), JSON.stringify({ own, all }));
      assert.ok(isOnePerson(found));
      assert.equal(found.length === 0, personOf(own) === null);
      for (const other of found) assert.deepEqual(samePersonAs(other, all), found);
      if (found.length > 1) joined++;
      if (found.length === 0) uncertain++;
    }
  }
  assert.ok(joined > 200 && uncertain > 200, `${joined} joined, ${uncertain} uncertain`);
  assert.ok(many > 5, `${many} rounds with more than three persons`);
});
