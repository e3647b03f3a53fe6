// openid.ts serve ISSUER SITE SECRET-FILE: starts the npm package oidc-provider as a hospital's
// provider behind a proxy, on port 9000; its users are in the group neuroradiology.
// openid.ts sign-in SITE LINK: signs a physician in with it, in Chromium, by the site's link, until
// the worklist is shown. Exits with 1 on failure.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { chromium } from "@playwright/test";
import { answersClicks, CHROMIUM, LAUNCH_MS, openPage } from "@/tests/e2e/site.ts";
import { hospitalProvider } from "@/tests/sites/sign_in/hospital_provider.ts";

const PORT = 9000;
const [step = "", ...rest] = Deno.args;
const say = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));

async function serve(issuer: string, siteUrl: string, secretFile: string): Promise<void> {
  const secret = (await Deno.readTextFile(secretFile)).trim(), { pathname } = new URL(issuer);
  const provider = hospitalProvider(issuer, siteUrl, {
    secret,
    groups: ["neuroradiology"],
    isRenewing: true,
  });
  provider.proxy = true;
  const answer = provider.callback();
  createServer((request, response) => {
    // below the issuer's path, like Keycloak's realms
    Object.assign(request, { originalUrl: request.url });
    request.url = request.url!.replace(pathname, "") || "/";
    answer(request, response);
  }).listen(PORT, "127.0.0.1", () => say(`${issuer} on port ${PORT}`));
}

async function signIn(siteUrl: string, link: string): Promise<void> {
  const rules = "MAP *.hospital.example 127.0.0.1";
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    // only the hospital's machines trust its certificate authority
    args: ["--no-sandbox", "--ignore-certificate-errors", `--host-resolver-rules=${rules}`],
    timeout: LAUNCH_MS,
  });
  try {
    const { page } = await openPage(browser, siteUrl);
    await page.goto("/login");
    await page.getByRole("link", { name: link }).click();
    await page.locator("input[name=login]").fill("park");
    await page.locator("input[name=password]").fill("any");
    await page.locator("button[type=submit]").click();
    await page.locator("input[name=prompt][value=consent]").waitFor({ state: "attached" });
    await page.locator("button[type=submit]").click();
    await page.waitForURL((address) => address.origin === siteUrl && address.pathname === "/");
    await answersClicks(page);
    await page.locator("header button[aria-haspopup=menu]").click();
    await page.getByText("park@hospital.example").waitFor();
    // the role from the group: a physician may upload
    assert.equal(await page.getByRole("button", { name: "Upload", exact: true }).count(), 1);
    say("park@hospital.example is signed in by the provider");
  } finally {
    await browser.close();
  }
}

if (step === "serve") await serve(rest[0]!, rest[1]!, rest[2]!);
else await signIn(rest[0]!, rest[1]!);
