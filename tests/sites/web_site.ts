// The real core and the real edge in this process, called without a port.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createCore } from "@/server/core/mod.ts";
import { createSite } from "@/server/edge/site.ts";
import type { Log } from "@/server/edge/remote/core_link.ts";

export const EMAIL = "physician@hospital.test";
const PASSWORD = "correct-horse-7";

/** Builds the browser's files once when the tree has none. */
async function ensureBuilt(): Promise<void> {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "tools/build.ts", "--if-changed"],
    cwd: root,
    stdout: "null",
  }).output();
  assert.ok(success, "the build failed");
}
// a whole run of tests has built them
if (Deno.env.get("TEST_FOLDER") === undefined) await ensureBuilt();

/** The proxy whose word on the connection is taken. */
export const TLS_PROXY = "10.0.0.1";

/** The real core in memory, behind the real edge. */
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
    /** Sends a request, from nowhere or from a network address. */
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

/** Of a page of the site. */
export const ORIGIN = { origin: "http://hospital.test" };
/** A sign-in. */
export const loginBody = (password = PASSWORD) => ({
  method: "POST",
  body: JSON.stringify({ email: EMAIL, password }),
});

/** Signs in as a page does; the session's cookie as `name=value`. */
export async function signIn({ send }: Opened): Promise<string> {
  const answer = await send("/api/v1/auth/login", {
    ...loginBody(),
    headers: { ...ORIGIN, "content-type": "application/json" },
  });
  assert.equal(answer.status, 204);
  return answer.headers.get("set-cookie")!.split(";")[0]!;
}
