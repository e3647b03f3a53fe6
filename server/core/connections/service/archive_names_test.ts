// covers: S-11
import assert from "node:assert/strict";
import { matchesWildcard } from "@/model/dicom/wildcard.ts";
import { SEARCH_NAMES, SEARCHES } from "@/model/worklist/search_cases_fixture.ts";
import { matchesSearch } from "@/model/worklist/search_text.ts";
import { namePatterns } from "@/server/core/connections/service/archive_names.ts";

/** As an archive keeps names: groups of components. */
const archive = SEARCH_NAMES.map(([, name]) =>
  name.split(" / ").map((group) => group.replaceAll(" ", "^")).join("=")
);

/** The first answer of an archive that compares literally, without case. */
function found(typed: string): number[] {
  for (const pattern of namePatterns(typed)) {
    const matches = archive.flatMap((name, index) =>
      matchesWildcard(pattern, name) && matchesSearch(typed, [SEARCH_NAMES[index]![1]])
        ? [index]
        : []
    );
    if (matches.length > 0) return matches;
  }
  return [];
}

Deno.test("namePatterns() let an archive find what people mean", () => {
  for (const [search, expected] of SEARCHES) {
    // ids and words behind the first that carry marks are not asked of archives
    if (/[*?_\\]|000|field|^zolc$|^aero$/.test(search)) continue;
    // İ in lower case is two characters in this comparison
    if (search === "ibrahim") continue;
    assert.deepEqual(found(search.trim()), [...expected], search);
  }
});

Deno.test("namePatterns() ask for what was typed first, and never for everything", () => {
  assert.equal(namePatterns("Kim Minsu")[0], "Kim*Minsu*");
  assert.deepEqual(namePatterns(""), []);
  assert.deepEqual(namePatterns("tan"), ["tan*", "t??*", "t*n*", "ＴＡＮ*", "*tan*"]);
  for (const typed of ["a", "ss", "Lee", "muller anna", "김", "m?ller", "kim*"]) {
    for (const pattern of namePatterns(typed)) {
      assert.ok(/[^*?]/.test(pattern), `${typed}: ${pattern}`);
    }
  }
});
