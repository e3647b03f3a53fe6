import assert from "node:assert/strict";
import { methodErrorOfReport } from "@/server/core/norms/service/method_error_text.ts";
import { METHOD_ERROR_SOURCES } from "@/model/norms/method_error.ts";
import { methodErrorSourceText } from "@/model/text/report/pages/reading.ts";

Deno.test("methodErrorOfReport() says in the report's language what the error was measured on", () => {
  const [en, ko] = (["en", "ko"] as const).map((language) =>
    methodErrorOfReport(language, true).method_error_sources
  );
  for (const [at, { name, kind, scanner, heads }] of METHOD_ERROR_SOURCES.entries()) {
    assert.ok(kind in methodErrorSourceText, kind);
    assert.equal(en![at], `${name} (${scanner}, n\u00a0=\u00a0${heads})`);
    assert.match(ko![at]!, /영상/);
    assert.doesNotMatch(ko![at]!, /heads|scanners|engine/);
  }
});
