import assert from "node:assert/strict";
import { renderToString } from "react-dom/server";
import { QueryClient } from "@tanstack/react-query";
import { queryKeys } from "@/model/query_keys.ts";
import { certType } from "@/model/schema/studies/study.ts";
import { type Language, LANGUAGES } from "@/model/text.ts";
import { aboutText } from "@/model/text/account/about.ts";
import { LanguageContext } from "@/client/page/language.ts";
import { RequestCacheContext } from "@/client/page/request_cache.ts";
import AboutDialog from "@/components/header/about_dialog.tsx";

/** HTML of the opened dialog, with the given data of the server about the product. */
function labelOf(language: Language, cert_type: string, label_revision: string | null): string {
  const cache = new QueryClient();
  const manual = { product: "Sulcus", version: "1.2.3", cert_type, label_revision };
  cache.setQueryData([...queryKeys.about, "manual"], manual);
  const page = renderToString(
    <RequestCacheContext.Provider value={cache}>
      <LanguageContext.Provider value={language}>
        <AboutDialog onClose={() => {}} />
      </LanguageContext.Provider>
    </RequestCacheContext.Provider>,
  );
  cache.clear();
  return page;
}

// covers: D1-9.7
Deno.test("AboutDialog shows model, certificate and its label's revision, and the notice of a demonstration for DEMO alone", () => {
  assert.equal(certType.options.join(), "KR,TR,MD,CE,GB,CH,BR,FDA,ID,DEMO");
  for (const language of LANGUAGES) {
    for (const cert of certType.options) {
      const page = labelOf(language, cert, `REV-${cert}-7`);
      for (const words of ["VN-M-06", `>${cert}<`, `>REV-${cert}-7<`, ">1.2.3<"]) {
        assert.ok(page.includes(words), `${language} ${cert}: ${words}`);
      }
      assert.equal(page.includes(aboutText.demo[language]), cert === "DEMO", cert);
    }
    assert.ok(labelOf(language, "KR", null).includes(aboutText.revisionUnknown[language]));
  }
});
