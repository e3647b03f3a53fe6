import assert from "node:assert/strict";
import { uploadFiles } from "@/client/api/studies/patients.ts";
import { pageApi, signInPage } from "@/bench/server_parts/server_site.ts";
import { FirefoxPage, hasFirefox } from "@/tests/e2e/firefox.ts";
import { EMAIL, PASSWORD, startSite } from "@/tests/e2e/site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";

Deno.test({
  name: `Firefox signs in and shows the worklist with its islands${
    hasFirefox ? "" : " (skipped: firefox-esr is not installed)"
  }`,
  ignore: !hasFirefox,
  fn: async () => {
    await using site = await startSite();
    const cookie = await signInPage(site.url, EMAIL, PASSWORD);
    assert.equal(
      (await uploadFiles(pageApi(site.url, cookie), phantomSeries("short", "FIREFOX-1"))).success,
      1,
    );
    await using page = await FirefoxPage.open();
    const shows = (expression: string) => until(() => page.evaluate(expression));
    await page.goto(`${site.url}/login`);
    await shows(`document.querySelector("[data-island=LoginForm][data-hydrated]") !== null`);
    for (const [name, text] of [["email", EMAIL], ["password", PASSWORD]] as const) {
      await page.evaluate(`document.querySelector('input[name="${name}"]').focus()`);
      await page.type(text);
    }
    await page.type("\uE007");
    await shows(`location.pathname === "/" && document.querySelector("tr[data-pid]") !== null`);
    assert.match(
      String(await page.evaluate(`document.querySelector("tr[data-pid]").innerText`)),
      /FIREFOX-1/,
    );
    await shows(`document.querySelector("[data-island=Worklist][data-hydrated]") !== null`);
    assert.deepEqual(page.errors, []);
  },
});
