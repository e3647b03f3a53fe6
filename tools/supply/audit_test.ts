// covers: S-83
import assert from "node:assert/strict";
import { crateVerdict, type Ended, exitCode, npmVerdict } from "@/tools/supply/audit.ts";

/** `deno audit` of this lock file, against a registry that gives one answer to everything. */
async function auditWith(answer: () => Response): Promise<Ended> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    await request.body?.cancel();
    return answer();
  });
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["audit"],
    cwd: new URL("../..", import.meta.url),
    env: { NO_COLOR: "1", NPM_CONFIG_REGISTRY: `http://127.0.0.1:${server.addr.port}/` },
  }).output();
  await server.shutdown();
  return { code, stdout: new TextDecoder().decode(stdout) };
}

Deno.test("npmVerdict() tells nothing found, something found and a list that cannot be read apart", async () => {
  const weakness = {
    id: 1,
    url: "https://github.com/advisories/GHSA-test",
    title: "made up",
    severity: "low",
    vulnerable_versions: ">=0",
    cwe: [],
    cvss: { score: 0, vectorString: null },
  };
  const verdicts = await Promise.all([
    auditWith(() => Response.json({})),
    auditWith(() => Response.json({ hono: [weakness] })),
    auditWith(() => new Response("Method Not Allowed", { status: 405 })),
  ]);
  assert.deepEqual(verdicts.map(npmVerdict), ["nothing", "found", "unknown"]);
});

Deno.test("crateVerdict() takes a warning, such as of a crate that nobody looks after, for a finding", () => {
  const said = (found: boolean, warnings: object) =>
    crateVerdict({
      code: 0,
      stdout: JSON.stringify({ vulnerabilities: { found, count: 0, list: [] }, warnings }),
    });
  assert.deepEqual([said(false, {}), said(true, {}), said(false, { unmaintained: [{}] })], [
    "nothing",
    "found",
    "found",
  ]);
  assert.equal(crateVerdict({ code: 1, stdout: "" }), "unknown");
});

Deno.test("exitCode() never takes a list that was not read for one that names nothing", () => {
  assert.equal(exitCode(["nothing", "nothing"]), 0);
  assert.equal(exitCode(["unknown", "found"]), 1);
  assert.equal(exitCode(["nothing", "unknown"]), 2);
});
