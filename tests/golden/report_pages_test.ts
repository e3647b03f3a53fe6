// covers: D2-2.17
import assert from "node:assert/strict";
import { hasPoppler } from "@/report/pdf/pdf_tools_fixture.ts";
import { GOLDEN_CASES } from "@/tests/golden/report_cases.ts";
import {
  comparison,
  decodePages,
  differenceOf,
  drawPages,
  encodePages,
  goldenUrl,
  type GreyPage,
  TOLERANCE,
} from "@/tests/golden/report_pages.ts";

Deno.test("differenceOf() finds a word that has moved, and lets letters be drawn a little otherwise", () => {
  const page = (words: (x: number, y: number) => number): GreyPage => ({
    width: 200,
    height: 280,
    grey: Uint8Array.from({ length: 200 * 280 }, (_, at) => words(at % 200, Math.floor(at / 200))),
  });
  const word = (left: number) => (x: number, y: number) =>
    x >= left && x < left + 40 && y >= 100 && y < 108 ? 2 : 15;
  assert.equal(differenceOf(page(word(20)), page(word(20))), 0);
  assert.ok(differenceOf(page(word(20)), page(word(60))) > TOLERANCE);
  assert.equal(differenceOf(page(word(20)), page((x, y) => Math.min(15, word(20)(x, y) + 1))), 0);
  const pages = [page(word(20)), page(word(60))];
  assert.deepEqual(decodePages(encodePages(pages), pages[0]!), pages);
});

Deno.test({
  name: "the pages of every kind of report look as they are kept" +
    (hasPoppler ? "" : " (skipped: no poppler)"),
  ignore: !hasPoppler,
  fn: async () => {
    const problems: string[] = [];
    for (const each of GOLDEN_CASES) {
      const now = await drawPages(each);
      const kept = decodePages(await Deno.readFile(goldenUrl(each.name)), now[0]!);
      for (const [index, page] of now.entries()) {
        const before = kept[index], difference = before ? differenceOf(before, page) : 1;
        if (difference <= TOLERANCE) continue;
        const picture = await Deno.makeTempFile({
          prefix: `${each.name}_page${index + 1}_`,
          suffix: ".png",
        });
        await Deno.writeFile(picture, comparison(before ?? page, page));
        problems.push(
          `${each.name}, page ${index + 1}: ${
            (100 * difference).toFixed(1)
          } % differ, see ${picture}`,
        );
      }
    }
    assert.deepEqual(
      problems,
      [],
      "When the change is meant: deno run -A tools/renew_report_pages.ts",
    );
  },
});
