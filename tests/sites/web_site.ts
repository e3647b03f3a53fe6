// A core and an edge in this process, called directly instead of through a port.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createCore } from "@/server/core/mod.ts";
import { createSite } from "@/server/edge/site.ts";
import type { Log } from "@/server/edge/remote/core_link.ts";

export const EMAIL = "physician@hospital.test";
const PASSWORD = "correct-horse-7";

/** Builds the browser's files if the tree has none. */
async function ensureBuilt(): Promise<void> {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "tools/build.ts", "--if-changed"],
    cwd: root,
    stdout: "null",
  }).output();
  assert.ok(success, "the build failed");
}
// in a run of the whole suite, the files have been built before
if (Deno.env.get("TEST_FOLDER") === undefined) await ensureBuilt();

/** Address of the trusted proxy, which reports how clients are connected. */
export const TLS_PROXY = "10.0.0.1";

/** Opens a core, in memory by default, behind an edge. */
export async function openSite(dataDir: string | null = null, log: Log = () => {}) {
  const core = await createCore({
    dataDir,
    workers: 0,
    adminEmail: EMAIL,
    adminPassword: PASSWORD,
  });
  const site = await createSite({
    core,
    settings: { dataDir, log, isTrustedProxy: (address) => address === TLS_PROXY },
  });
  return {
    core,
    site,
    /** sends a request, optionally from a network address */
    send: async (
      path: string,
      init: RequestInit = {},
      hostname?: string,
      origin = "http://hospital.test",
    ) =>
      await site.fetch(
        new Request(`${origin}${path}`, init),
        hostname === undefined
          ? undefined
          : { remoteAddr: { transport: "tcp", hostname, port: 4321 } },
      ),
    async [Symbol.asyncDispose]() {
      site.close();
      await core.close();
    },
  };
}
type Opened = Awaited<ReturnType<typeof openSite>>;

/** Origin header of the site's pages. */
export const ORIGIN = { origin: "http://hospital.test" };
/** Body of a sign-in request. */
export const loginBody = (password = PASSWORD) => ({
  method: "POST",
  body: JSON.stringify({ email: EMAIL, password }),
});

/** Signs in like a page. @returns the session's cookie as `name=value`. */
export async function signIn({ send }: Opened): Promise<string> {
  const answer = await send("/api/v1/auth/login", {
    ...loginBody(),
    headers: { ...ORIGIN, "content-type": "application/json" },
  });
  assert.equal(answer.status, 204);
  return answer.headers.get("set-cookie")!.split(";")[0]!;
}
