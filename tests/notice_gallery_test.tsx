// covers: D1-8.1
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { renderToString } from "react-dom/server";
import { ERRORS } from "@/model/errors.ts";
import { MODAL_CODES, TOAST_CODES } from "@/model/notice_codes.ts";
import { LANGUAGES } from "@/model/text.ts";
import { LanguageContext } from "@/client/page/language.ts";
import { createSite } from "@/server/edge/site.ts";
import NoticeGallery from "@/islands/NoticeGallery.tsx";
import { enterAs, otherCore } from "@/tests/viewer/viewer_site.ts";

const manifest = new URL("../static/build/manifest.json", import.meta.url);
const isBuilt = existsSync(manifest);

Deno.test("the gallery shows every message exactly once, in both languages, with nothing left to fill in", () => {
  const codes = [...Object.keys(ERRORS), ...TOAST_CODES, ...MODAL_CODES].sort();
  for (const language of LANGUAGES) {
    const page = renderToString(
      <LanguageContext value={language}>
        <NoticeGallery />
      </LanguageContext>,
    );
    assert.deepEqual(
      [...page.matchAll(/data-code="([\w.]+)"/g)].map(([, code]) => code).sort(),
      codes,
    );
    assert.doesNotMatch(page, /\{\w+\}/);
  }
});

Deno.test({
  name: `the gallery is a page of development builds only${
    isBuilt ? "" : " (skipped: static/build is not built)"
  }`,
  ignore: !isBuilt,
  fn: async () => {
    const { isDev } = JSON.parse(await Deno.readTextFile(manifest));
    const core = otherCore(),
      site = await createSite({ core: core.link, settings: { dataDir: null } });
    try {
      const cookie = await enterAs(site);
      const answer = await site.fetch(
        new Request("http://hospital.test/notices", { headers: { cookie } }),
      );
      assert.equal(answer.status, isDev ? 200 : 404);
    } finally {
      site.close();
    }
  },
});
