import assert from "node:assert/strict";
import { LOCAL_MEASURES } from "@/model/norms/local_norms.ts";
import { LANGUAGES, textIn } from "@/model/text.ts";
import { measureText } from "@/model/text/settings/local_norms.ts";
import { citedText, normsName } from "@/model/text/settings/norms.ts";

Deno.test("every measure has words of its own in both languages", () => {
  for (const language of LANGUAGES) {
    const words = LOCAL_MEASURES.map(({ measure, key }) => measureText(measure, key, language));
    // white matter and the insula are a region and a sum by the same name
    const twice = words.filter((word, n) => words.indexOf(word) !== n);
    assert.ok(new Set(twice).size <= 4, twice.join("; "));
    for (const word of words) assert.doesNotMatch(word, /_|^\d|undefined/, word);
  }
  assert.equal(measureText("volume", "19", "en"), "Hippocampus, left");
  assert.equal(measureText("volume", "19+20", "en"), "Hippocampus");
  assert.equal(measureText("volume", "cortex_right", "en"), "Cerebral cortex, right");
  assert.equal(
    measureText("thickness", "thickness_left", "en"),
    "Cerebral cortex, left, thickness",
  );
});

Deno.test("norms are named with what they are adjusted to", () => {
  const local = { scanner: "SIEMENS Prisma", controls: 24, accepted_at: "2026-11-22T10:00:00Z" };
  const values = { norms: "NOMIS (FreeSurfer 6)", n: 24, date: "2026-11-22" };
  assert.equal(
    normsName(local, "en"),
    textIn(citedText.scanner, "en", { ...values, scanner: "SIEMENS Prisma" }),
  );
  assert.equal(
    normsName({ ...local, scanner: null }, "en"),
    textIn(citedText.site, "en", values),
  );
  assert.equal(normsName(null, "ko"), "NOMIS (FreeSurfer 6)");
});
