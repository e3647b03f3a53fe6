import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { LANGUAGES, textIn } from "@/model/text.ts";
import { normsText } from "@/model/text/settings/local_norms.ts";
import { LanguageContext } from "@/client/page/language.ts";
import { SummarySection } from "@/components/settings/settings_norms.tsx";

Deno.test("SummarySection says that there are no controls, without a count and an engine", () => {
  for (const language of LANGUAGES) {
    for (const [other_engine, engine_version] of [[0, null], [3, null], [3, "1.0"]] as const) {
      const summary = { scanner: null, engine_version, controls: 0, other_engine, regions: [] };
      const html = renderToStaticMarkup(
        <LanguageContext.Provider value={language}>
          <SummarySection
            scanners={[]}
            scanner={null}
            summary={summary}
            isBusy={false}
            onScanner={() => {}}
            onPropose={() => {}}
          />
        </LanguageContext.Provider>,
      );
      assert.ok(html.includes(normsText.noneCounted[language]), html);
      const counted = textIn(normsText.counted, language, { n: 0, engine: engine_version ?? "–" });
      assert.ok(!html.includes(counted), html);
      const excluded = textIn(normsText.otherEngine, language, { n: 3 });
      assert.equal(html.includes(excluded), other_engine > 0);
    }
  }
});
