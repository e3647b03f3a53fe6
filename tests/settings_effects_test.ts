// covers: D1-2.2, D2-3.7, S-5, S-50
// Effects of the settings on pages, in the server's HTML.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createSite } from "@/server/edge/site.ts";
import type { Settings } from "@/model/schema/site/settings.ts";
import { enterAs, otherCore, settingsOf } from "@/tests/viewer/viewer_site.ts";

const isBuilt = existsSync(new URL("../static/build/manifest.json", import.meta.url));
const why = isBuilt ? "" : " (skipped: static/build is not built)";

const settings = (anonymize: boolean, division: 3 | 4): Settings => {
  const { individual, group } = settingsOf({
    anonymize,
    division,
    brain_part_list: ["Hippocampus"],
  });
  const report = {
    ...individual.report,
    language: "ko" as const,
    page_list: { t1: [1], t2: [1], t1t2: [1] },
  };
  return { individual: { ...individual, report }, group };
};

Deno.test({
  name:
    `the viewer opens with the panes of the settings, and without the identity when that is chosen${why}`,
  ignore: !isBuilt,
  fn: async () => {
    const core = otherCore(),
      site = await createSite({ core: core.link, settings: { dataDir: null } });
    const send = async (path: string, init: RequestInit = {}) =>
      await site.fetch(new Request(`http://hospital.test${path}`, init));
    try {
      const cookie = await enterAs(site);
      const viewer = async () => {
        const answer = await send("/viewer/1", { headers: { cookie } });
        assert.equal(answer.status, 200);
        return await answer.text();
      };
      const quarters = /data-panes[^>]*grid-cols-2 grid-rows-2/;

      const usual = await viewer();
      assert.match(usual, quarters);
      assert.match(usual, /Phantom One/);

      core.settings.stored = settings(true, 3);
      const chosen = await viewer();
      assert.match(chosen, /data-panes[^>]*grid-cols-3 grid-rows-2/);
      assert.doesNotMatch(chosen, /Phantom One|P-1/);
      assert.match(chosen, /data-testid="patient-name"><bdi>Anonymous</);
      // the page contains the priorities of the region list
      assert.match(chosen, /"priority":\["Hippocampus"\]/);

      // if the settings cannot be read, the identity is hidden
      core.settings.isBroken = true;
      assert.doesNotMatch(await viewer(), /Phantom One|P-1/);
      core.settings.isBroken = false;
      core.settings.stored = { individual: {} } as Settings;
      assert.doesNotMatch(await viewer(), /Phantom One|P-1/);

      core.settings.stored = settings(false, 4);
      assert.match(await viewer(), /Phantom One/);
    } finally {
      site.close();
    }
  },
});
