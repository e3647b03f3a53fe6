// covers: S-245
import assert from "node:assert/strict";
import { isSurelyOf } from "@/model/patient/one_person.ts";

const of = (name: string, birth: string, sex: string) => ({
  patient_id: "P-1",
  patient_name: name,
  patient_birthdate: birth,
  patient_sex: sex,
});

Deno.test("isSurelyOf() takes a single contradiction under a person's own name as a correction", () => {
  for (const name of ["Kim One", "김하늘", "Boyd Annie", "Babych Olena", "Doan Mai"]) {
    assert.ok(isSurelyOf(of(name, "2026-01-01", "male"), of(name, "2026-01-01", "female")), name);
    assert.ok(isSurelyOf(of(name, "2026-01-01", "male"), of(name, "2026-01-11", "male")), name);
  }
});

Deno.test("isSurelyOf() takes no contradiction as a correction under a name that many people have", () => {
  const names = [
    "BABY OF KIM",
    "Baby Boy Smith",
    "KIM NEWBORN",
    "Lee Twin B",
    "UNKNOWN",
    "Unknown 1",
    "Unidentified Patient",
    "신생아 김",
    "김영희아기",
    "무명남",
    "미상",
  ];
  for (const name of names) {
    assert.ok(!isSurelyOf(of(name, "2026-01-01", "male"), of(name, "2026-01-01", "female")), name);
    assert.ok(!isSurelyOf(of(name, "2026-01-01", "male"), of(name, "2026-05-05", "male")), name);
    // without a contradiction, the name is not needed
    assert.ok(isSurelyOf(of(name, "2026-01-01", "male"), of(name, "2026-01-01", "male")), name);
  }
});
