// Pages whose calls to the core are refused before the core reads the body.
// covers: S-131
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import type { PageModule } from "@/server/edge/pages/page.ts";
import { createSite } from "@/server/edge/site.ts";
import { pathToPattern } from "@/server/edge/web/router.ts";
import { createCore } from "@/server/core/mod.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { EMAIL, ORIGIN } from "@/tests/sites/web_site.ts";

const PASSWORD = "correct-horse-7", AUDITOR = "auditor@hospital.test";
/** Maximum duration of a response, ms; a page that waits for the body would never answer. */
const LIMIT_MS = 10_000;
/** Status codes with which a core may refuse a call without reading the body. */
const REFUSALS = [401, 403, 413, 429, 503];
/** Query of a link that any page of a study reads. */
const LINKS = ["?study=1.2.3&patientID=P-1", "?patientID=P-1", "?accessionNumber=A-1"];
const INVOKED = ["?requestType=STUDY&studyUID=1.2.3", "?requestType=PATIENT&patientID=P-1"];

/** Addresses of all pages, each plain and with the parameters of a link. */
async function addresses(): Promise<string[]> {
  const folder = new URL("../../../routes/", import.meta.url), all: string[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const file = name.replaceAll("\\", "/");
    if (!file.endsWith(".tsx") || file.startsWith("_")) continue;
    const module: PageModule = await import(new URL(file, folder).href);
    if (module.isDevOnly) continue;
    const path = pathToPattern(file).replace(/:\w+/g, "1");
    all.push(...["", ...LINKS, ...INVOKED].map((query) => path + query));
  }
  return all;
}

/** A site of two users, whose core answers calls with a body with `refusal.status`, if not 0. */
async function openRefusing() {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-refusing-" });
  const core = await createCore({
    dataDir,
    workers: 0,
    adminEmail: EMAIL,
    adminPassword: PASSWORD,
  });
  const db = await openBeside(dataDir);
  await addQuickUser(db, { email: AUDITOR, password: PASSWORD, name: null, role: "auditor" });
  await db.destroy();
  const refusal = { status: 0, refused: 0 };
  const site = await createSite({
    core: {
      ...core,
      fetch: (request) => {
        if (refusal.status === 0 || request.body === null) return core.fetch(request);
        refusal.refused++;
        return Promise.resolve(new Response("no", { status: refusal.status }));
      },
    },
    settings: { dataDir, log: () => {}, isTrustedProxy: () => false },
  });
  const signIn = async (email: string) => {
    const answer = await site.fetch(
      new Request("http://hospital.test/api/v1/auth/login", {
        method: "POST",
        body: JSON.stringify({ email, password: PASSWORD }),
        headers: { ...ORIGIN, "content-type": "application/json" },
      }),
    );
    return answer.headers.get("set-cookie")!.split(";")[0]!;
  };
  /** @returns status; rejects if there is no complete response in time. */
  const statusOf = async (address: string, cookie: string) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no response: ${address}`)), LIMIT_MS);
    });
    const answered = (async () => {
      const answer = await site.fetch(
        new Request(`http://hospital.test${address}`, { headers: { cookie } }),
      );
      await answer.text();
      return answer.status;
    })();
    return await Promise.race([answered, late]).finally(() => clearTimeout(timer));
  };
  return {
    refusal,
    signIn,
    statusOf,
    async [Symbol.asyncDispose]() {
      site.close();
      await core.close();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}

Deno.test("every page is answered if the core refuses a call before reading it", async () => {
  await using opened = await openRefusing();
  const { refusal, signIn, statusOf } = opened, pages = await addresses();
  for (const status of REFUSALS) {
    refusal.status = 0;
    const cookie = await signIn(EMAIL);
    Object.assign(refusal, { status, refused: 0 });
    for (const address of pages) await statusOf(address, cookie);
    assert.ok(refusal.refused > 0, `${status}: no page sent a body`);
  }
});

Deno.test("links are answered for a role without permission", async () => {
  await using opened = await openRefusing();
  const cookie = await opened.signIn(AUDITOR);
  for (const address of await addresses()) {
    const status = await opened.statusOf(address, cookie);
    assert.ok(status < 500, `${address}: ${status}`);
  }
  for (const address of ["/IHEInvokeImageDisplay" + INVOKED[0], "/viewer" + LINKS[1]]) {
    // to the page that names the missing permission
    assert.equal(await opened.statusOf(address, cookie), 302, address);
  }
});
