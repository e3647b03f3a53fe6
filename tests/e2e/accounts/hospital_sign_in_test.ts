// covers: S-109
// Hospital sign-in in a browser: an OpenID provider and a directory on this machine.
import assert from "node:assert/strict";
import { hasChromium, launchBrowser, openPage, signInStarts, startSite } from "@/tests/e2e/site.ts";
import { CLIENT_SECRET, servedHospital } from "@/tests/sites/sign_in/hospital_provider.ts";
import { hasSlapd, KIM, servedDirectory } from "@/tests/sites/sign_in/directory.ts";
import { loginText } from "@/model/text/account/login.ts";

/** A currently free port, because the provider needs the site's address before the site starts. */
function freePort(): number {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" }),
    { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}

const missing = !hasChromium ? "no Chromium" : !hasSlapd ? "no slapd" : null;

Deno.test({
  name:
    "people sign in at the hospital's provider, and out there, and with the password of its directory" +
    (missing ? ` (skipped: ${missing})` : ""),
  ignore: missing !== null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const port = freePort(), url = `http://127.0.0.1:${port}`, folder = await Deno.makeTempDir();
    await using provider = await servedHospital(url);
    await using directory = await servedDirectory();
    await Deno.writeTextFile(`${folder}/client`, `${CLIENT_SECRET}\n`);
    await Deno.writeTextFile(`${folder}/bind`, `${directory.settings.bindPassword}\n`);
    await using site = await startSite({
      port,
      // with the permissions of a site in use
      command: "start",
      env: {
        SULCUS_PUBLIC_URL: url,
        SULCUS_OIDC_ISSUER: provider.issuer,
        SULCUS_OIDC_CLIENT_ID: "sulcus",
        SULCUS_OIDC_CLIENT_SECRET_FILE: `${folder}/client`,
        SULCUS_OIDC_NAME: "Hospital",
        SULCUS_OIDC_ROLES: "neuro=physician",
        SULCUS_LDAP_URL: directory.settings.url,
        SULCUS_LDAP_BASE: directory.settings.base,
        SULCUS_LDAP_BIND_DN: directory.settings.bindDn!,
        SULCUS_LDAP_BIND_PASSWORD_FILE: `${folder}/bind`,
        SULCUS_LDAP_GROUP_FILTER: directory.settings.groupFilter!,
        SULCUS_LDAP_ROLES: "neuro=reader",
      },
    });
    const browser = await launchBrowser();
    try {
      const { page } = await openPage(browser, url);
      await page.goto("/login?next=%2Freport");
      await page.getByRole("link", { name: "Sign in with Hospital" }).click();
      await page.locator("input[name=login]").fill("park");
      await page.locator("input[name=password]").fill("any");
      await page.locator("button[type=submit]").click();
      // waits for the consent page, because it has an equal button
      await page.locator("input[name=prompt][value=consent]").waitFor({ state: "attached" });
      await page.locator("button[type=submit]").click();
      await page.waitForURL(`${url}/report`);
      await page.goto("/");
      await page.locator("[data-island=HeaderBar][data-hydrated]").waitFor({ state: "attached" });
      await page.locator("header button[aria-haspopup=menu]").click();
      await page.getByText("park@hospital.example").waitFor();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Sign Out" }).click();
      // the provider asks whether to end its own session too
      await page.locator("button[name=logout]").click();
      await page.waitForURL(`${url}/login**`);

      await page.goto("/login?problem=auth.no_role");
      await page.getByRole("alert").getByText("Your account has no access to this site.").waitFor();
      await signInStarts(page);
      await page.getByLabel(loginText.account.en).fill(KIM.email);
      await page.locator("input[name=password]").fill(KIM.password);
      await page.locator("button[type=submit]").click();
      await page.waitForURL(`${url}/`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      // readers get no upload button
      assert.equal(await page.getByRole("button", { name: "Upload", exact: true }).count(), 0);
    } finally {
      await browser.close();
      await Deno.remove(folder, { recursive: true });
    }
    assert.ok(site.url);
  },
});
