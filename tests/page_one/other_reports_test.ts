// The page that compares with other reports states the figures of the current report.
// covers: S-130
import assert from "node:assert/strict";
import { LOBES } from "@/model/regions/measures.ts";
import { fullReport } from "@/server/core/reports/service/report_fixture.ts";

const PAGE = new URL("../../docs/other_reports.md", import.meta.url);
const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight"];

Deno.test("the comparison with other reports counts parts, lobes and differences as they are printed", () => {
  const page = Deno.readTextFileSync(PAGE), { regions, asymmetries } = fullReport("en");
  const compared = regions.filter((region) => region.rank_volume_total).length;
  const sided = regions.filter((region) => region.rank_volume_left).length;
  assert.ok(page.includes(
    `${compared} parts and ${NUMBERS[LOBES.length]} lobes, both sides of ${sided}`,
  ));
  assert.ok(page.includes(`percentile of each side, and of ${asymmetries!.length} differences`));
});
