// covers: S-150
import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import type { AcceptanceMeasure } from "@/model/schema/report/acceptance.ts";
import { LANGUAGES } from "@/model/text.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import { LanguageContext } from "@/client/page/language.ts";
import { StructureTable } from "@/components/acceptance/AcceptanceTables.tsx";

const MEASURE: AcceptanceMeasure = {
  measure: "volume",
  key: "19+20",
  n: 1,
  median: -0.4,
  low: -1.2,
  high: 1.2,
  spread: 0,
  expected_spread: 1.05,
  is_within: true,
};

Deno.test("StructureTable gives no spread of a single study, and says why", () => {
  for (const language of LANGUAGES) {
    const htmlOf = (n: number, spread: number) =>
      renderToStaticMarkup(
        <LanguageContext.Provider value={language}>
          <StructureTable measures={[{ ...MEASURE, n, spread }]} />
        </LanguageContext.Provider>,
      );
    const alone = htmlOf(1, 0),
      several = htmlOf(3, 0.8),
      reason = acceptanceText.noSpread[language];
    assert.ok(alone.includes("– (1.05)") && alone.includes(reason), alone);
    assert.ok(!alone.includes("0.00"), alone);
    assert.ok(several.includes("0.80 (1.05)") && !several.includes(reason), several);
  }
});
