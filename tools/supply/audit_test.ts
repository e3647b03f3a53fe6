// covers: S-83
import assert from "node:assert/strict";
import {
  askOsv,
  cratesOf,
  crateVerdict,
  type Ended,
  exitCode,
  lineOf,
  npmVerdict,
} from "@/tools/supply/audit.ts";

/** Output of `deno audit` for this lock file; the registry gives one response to all requests. */
async function auditWith(answer: () => Response): Promise<Ended> {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      await request.body?.cancel();
      return answer();
    },
  );
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

Deno.test("askOsv() looks crates up from the lock file alone, and says why when it cannot", async () => {
  const lock = await Deno.readTextFile(new URL("../../wasm/Cargo.lock", import.meta.url));
  const crates = cratesOf(lock);
  assert.ok(crates.length > 5 && crates.every(({ version }) => /^\d+\./.test(version)));
  // the crates of this workspace are in no vulnerability list
  assert.ok(!crates.some(({ name }) => name === "volume" || name === "kernels"));
  const ask = async (answer: (asked: { queries: unknown[] }) => Response) => {
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      async (request) => answer(await request.json()),
    );
    const result = await askOsv(lock, `http://127.0.0.1:${server.addr.port}/v1/querybatch`);
    await server.shutdown();
    return result;
  };
  const { name, version } = crates[1]!;
  const named = ({ queries }: { queries: unknown[] }) =>
    Response.json({
      results: queries.map((_, n) => n === 1 ? { vulns: [{ id: "RUSTSEC-2026-1" }] } : {}),
    });
  assert.deepEqual(await ask(named), {
    verdict: "found",
    text: `${name} ${version}: RUSTSEC-2026-1`,
  });
  assert.equal(
    (await ask(({ queries }) => Response.json({ results: queries.map(() => ({})) }))).verdict,
    "nothing",
  );
  for (
    const wrong of [
      () => Response.json({}),
      () => new Response("no"),
      () => new Response("", { status: 405 }),
    ]
  ) {
    const { verdict, text } = await ask(wrong);
    assert.equal(verdict, "unknown");
    assert.match(lineOf("Rust crates", verdict, text), /^Rust crates: NOT LOOKED UP: ./);
  }
  assert.equal((await askOsv(lock, "http://127.0.0.1:1/")).verdict, "unknown");
});
