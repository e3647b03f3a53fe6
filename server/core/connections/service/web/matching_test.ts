// covers: S-11
import assert from "node:assert/strict";
import { SEARCH_NAMES, SEARCHES } from "@/model/worklist/search_cases_fixture.ts";
import { meets } from "@/server/core/connections/service/web/matching.ts";

/** A name as DICOM JSON has it. */
function attributesOf(name: string) {
  const [Alphabetic, Ideographic, Phonetic] = name.split(" / ").map((group) =>
    group.replace(" ", "^")
  );
  return { "00100010": { vr: "PN", Value: [{ Alphabetic, Ideographic, Phonetic }] } };
}

/** Searches of the table that concern ids. */
const BY_ID = /^field|^\?ield|^000|^A\\|^x\\|field$|^f\*1$/;

Deno.test("meets() with fuzzymatching finds what the list finds by name, in every row of the table", () => {
  for (const [search, expected] of SEARCHES) {
    if (BY_ID.test(search)) continue;
    const query = { filters: new Map([["00100010", search]]), isFuzzy: true };
    const matched = SEARCH_NAMES.flatMap(([, name], index) =>
      meets(attributesOf(name), query) ? [index] : []
    );
    assert.deepEqual(matched, [...expected], JSON.stringify(search));
  }
});

Deno.test("meets() without fuzzymatching compares literally, with wild cards", () => {
  const query = (pattern: string) => ({
    filters: new Map([["00100010", pattern]]),
    isFuzzy: false,
  });
  const json = attributesOf("Müller Anna");
  assert.deepEqual(
    ["Müller^Anna", "MÜLLER*", "Muller*", "Anna*"].map((pattern) => meets(json, query(pattern))),
    [true, true, false, false],
  );
});
