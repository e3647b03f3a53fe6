// covers: S-245
import assert from "node:assert/strict";
import { personsAmong } from "@/model/patient/one_person.ts";
import { type RecordedIdentity, sharedIdOf } from "@/model/patient/shared_id.ts";
import { randomOf } from "@/tests/sites/connections/random_messages.ts";

const of = (
  patient_name: string,
  patient_birthdate: string | null = null,
  patient_sex: string | null = null,
  patient_id = "P-1",
): RecordedIdentity => ({ patient_id, patient_name, patient_birthdate, patient_sex });

Deno.test("sharedIdOf() allows one person with other spellings, a new name and wrong entries", () => {
  const spellings = [
    "HONG GILDONG",
    "Gildong Hong",
    "HongGilDong",
    "홍길동",
    "홍 길동",
    "洪吉童",
    "HONG GILDONG / 洪吉童 / 홍길동",
    "",
  ];
  assert.equal(sharedIdOf(spellings.map((name) => of(name, "1950-01-01", "male"))), null);
  const married = ["Anna Müller", "ANNA MUELLER", "Anna Schmidt", "A Schmidt", "Anna S"];
  assert.equal(sharedIdOf(married.map((name) => of(name))), null);
  const wrong = ["1950-01-01", "1950-01-10", "1905-01-01", null].map((birth) => of("A", birth));
  assert.equal(sharedIdOf(wrong), null, "three birth dates");
  assert.equal(sharedIdOf([...wrong, of("A", "1951-01-01")]), "several_people");
});

Deno.test("sharedIdOf() knows placeholders, and four names without a common word", () => {
  for (
    const id of ["0", "000 000", "ANON", "Anonymous", "UNKNOWN", "unknown ", "N/A", "NONE", "XXXX"]
  ) {
    const studies = [of("", null, null, id), of("", null, null, id)];
    assert.equal(sharedIdOf(studies), "placeholder", id);
    assert.equal(sharedIdOf(studies.slice(1)), null);
    const persons = personsAmong(studies);
    assert.deepEqual(persons.groups(studies), []);
    assert.deepEqual(persons.sameAs(studies[0]!, studies), []);
    assert.equal(persons.isOne, false);
  }
  for (const id of ["1000", "A0", "ANONA", "XENIA", "10", "NAM", "X1"]) {
    assert.equal(sharedIdOf([of("", null, null, id), of("", null, null, id)]), null, id);
  }
  const names = ["Ito Ken", "Mori Aya", "Sato Rin", "Abe Jun"];
  assert.equal(sharedIdOf(names.slice(1).map((name) => of(name))), null);
  assert.equal(sharedIdOf(names.map((name) => of(name))), "several_people");
});

Deno.test("of 50 people with one ID and partly missing entries, no two are compared", () => {
  const random = randomOf(40), families = 50;
  let shared = 0;
  for (let round = 0; round < 400; round++) {
    const people = Array.from({ length: families }, (_, n) => ({
      patient_id: "T-1",
      patient_name: `${"ABCDEFGHIJ"[n % 10]!.repeat(3 + Math.floor(n / 10))} ${
        "KLMNOPQRST"[n % 10]!.repeat(3 + Math.floor(n / 10))
      }`,
      // several people are born on one day
      patient_birthdate: `19${30 + random(40)}-01-0${1 + random(2)}`,
      patient_sex: ["male", "female"][random(2)]!,
    }));
    const missing = random(91);
    const keep = <T>(value: T, absent: T) => random(100) < missing ? absent : value;
    const studies = people.flatMap((person, n) =>
      Array.from({ length: 1 + random(3) }, () => ({
        person: n,
        patient_id: person.patient_id,
        patient_name: keep(person.patient_name, ""),
        patient_birthdate: keep<string | null>(person.patient_birthdate, null),
        patient_sex: keep<string | null>(person.patient_sex, null),
      }))
    ).sort(() => random(3) - 1);
    const persons = personsAmong(studies);
    for (const group of persons.groups(studies)) {
      assert.equal(new Set(group.map(({ person }) => person)).size, 1, `${missing} % missing`);
    }
    if (persons.shared) shared++;
  }
  assert.ok(shared >= 399, `${shared} rounds`);
});

Deno.test("sharedIdOf() of thousands of records ends within a second", () => {
  const records = Array.from(
    { length: 20_000 },
    (_, n) => of(`N${n}`, n % 3 === 0 ? "1950-01-01" : null, n % 2 === 0 ? "male" : null),
  );
  const start = performance.now();
  assert.equal(sharedIdOf(records), "several_people");
  assert.equal(sharedIdOf(records.slice(0, 1500)), null);
  assert.ok(performance.now() - start < 1000, `${performance.now() - start} ms`);
});
