import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { login } from "@/client/api/auth.ts";
import { getUser } from "@/client/api/user.ts";
import { createCore } from "@/core/mod.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

async function runAdmin(dataDir: string, ...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "main.ts", "admin", ...args],
    cwd: ROOT,
    env: { SULCUS_DATA_DIR: dataDir },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

Deno.test("admin user … works on the data folder of a running core", async () => {
  const dataDir = await Deno.makeTempDir();
  const core = await createCore({ dataDir, workers: 0 });
  try {
    const api = { send: core.fetch, origin: "http://core" };
    const added = await runAdmin(dataDir, "user", "add", "b@x.org", "--name", "B", "--maintenance");
    const password = /only now\): (\S+)/.exec(added.out)?.[1] ?? "";
    const { access_token } = await login(api, { email: "b@x.org", password });
    assert.deepEqual((await getUser({ ...api, token: access_token })).permission_list, ["maintenance"]);
    assert.equal((await runAdmin(dataDir, "user", "add", "b@x.org")).code, 1);

    assert.match((await runAdmin(dataDir, "user", "list")).out, /2\tb@x\.org\tB\tactive\tmaintenance/);
    assert.equal((await runAdmin(dataDir, "user", "suspend", "b@x.org")).code, 0);
    await assert.rejects(getUser({ ...api, token: access_token }), { code: "token.revoked" });
    await assert.rejects(login(api, { email: "b@x.org", password }), { code: "auth.suspended" });
    await runAdmin(dataDir, "user", "activate", "b@x.org");
    await runAdmin(dataDir, "user", "reset-password", "b@x.org", "--password", "another-1-password");
    await assert.rejects(login(api, { email: "b@x.org", password }), { code: "auth.invalid" });
    assert.ok(await login(api, { email: "b@x.org", password: "another-1-password" }));
  } finally {
    await core.close();
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("admin license and network say what they did, and the audit log keeps it", async () => {
  const dataDir = await Deno.makeTempDir();
  const set = await runAdmin(dataDir, "license", "set", "--kind", "ce", "--until", "2999-12-31", "--limited");
  assert.match(set.out, /Kind +CE\nState +no_credit\nFirst day +-\nLast day +2999-12-31\nCredits +0/);
  assert.match(
    (await runAdmin(dataDir, "license", "label", "CE", "CE rev. 4")).out,
    /Label +CE rev\. 4/,
  );
  assert.match((await runAdmin(dataDir, "license", "credits", "25")).out, /Credits now 25/);
  assert.match(
    (await runAdmin(dataDir, "network", "add", "10.1.0.0/16", "--note", "ward")).out,
    /10\.1\.0\.0\/16\tward/,
  );
  const verified = await runAdmin(dataDir, "audit", "verify");
  assert.match(verified.out, /whole: 4 entries\nLast hash {2}[0-9a-f]{64}/);
  await Deno.remove(dataDir, { recursive: true });
});

Deno.test("admin explains itself when it is used wrongly", async () => {
  const dataDir = await Deno.makeTempDir();
  for (
    const args of [[], ["user"], ["user", "add"], ["user", "paint", "x@x.org"], ["user", "list", "--all"]]
  ) {
    const { code, err } = await runAdmin(dataDir, ...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(err, /deno task admin user add EMAIL/);
  }
  assert.equal((await runAdmin(dataDir, "user", "suspend", "nobody@x.org")).code, 1);
  await Deno.remove(dataDir, { recursive: true });
});
