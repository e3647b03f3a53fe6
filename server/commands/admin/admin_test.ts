// covers: S-2
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { getUser } from "@/client/api/accounts/user.ts";
import { createCore } from "@/server/core/mod.ts";
import { adminHere, adminProcess } from "@/tests/sites/admin_command.ts";

/** Environment of a command on a data folder. */
const on = (dataDir: string) => ({ SULCUS_DATA_DIR: dataDir });

Deno.test("admin user … works on the data folder of a running core", async () => {
  const dataDir = await Deno.makeTempDir();
  const core = await createCore({ dataDir, workers: 0 }), file = `${dataDir}/password`;
  try {
    const api = { send: core.fetch, origin: "http://core" };
    const added = await adminProcess(
      on(dataDir),
      "user",
      "add",
      "b@x.org",
      "--name",
      "B",
      "--maintenance",
    );
    const password = /only once\): (\S+)/.exec(added.out)?.[1] ?? "";
    const { access_token } = await login(api, { email: "b@x.org", password });
    assert.deepEqual((await getUser({ ...api, token: access_token })).permission_list, [
      "maintenance",
    ]);
    assert.equal((await adminHere(on(dataDir), "user", "add", "b@x.org")).code, 1);

    assert.match(
      (await adminHere(on(dataDir), "user", "list")).out,
      /2\tb@x\.org\tB\tactive\tadministrator\tlocal/,
    );
    assert.equal((await adminProcess(on(dataDir), "user", "suspend", "b@x.org")).code, 0);
    await assert.rejects(getUser({ ...api, token: access_token }), { code: "token.revoked" });
    await assert.rejects(login(api, { email: "b@x.org", password }), { code: "auth.suspended" });
    await adminHere(on(dataDir), "user", "activate", "b@x.org");
    for (const words of [["add", "c@x.org"], ["reset-password", "b@x.org"]]) {
      await Deno.writeTextFile(file, "P@ssw0rd1\n");
      const refused = await adminHere(on(dataDir), "user", ...words, "--password-file", file);
      assert.deepEqual([refused.code, /one of the commonest/.test(refused.err)], [1, true]);
    }
    await Deno.writeTextFile(file, "another-1-password\r\nsecond line");
    await adminHere(on(dataDir), "user", "reset-password", "b@x.org", "--password-file", file);
    await assert.rejects(login(api, { email: "b@x.org", password }), { code: "auth.invalid" });
    assert.ok(await login(api, { email: "b@x.org", password: "another-1-password" }));
  } finally {
    await core.close();
    await Deno.remove(dataDir, { recursive: true });
  }
});

// covers: D1-4.7, D1-6.3
Deno.test("admin license and network say what they did, and the audit log keeps it", async () => {
  const dataDir = await Deno.makeTempDir();
  const set = await adminHere(
    on(dataDir),
    "license",
    "set",
    "--kind",
    "ce",
    "--until",
    "2999-12-31",
    "--limited",
  );
  assert.match(
    set.out,
    /Kind +CE\nState +no_credit\nFirst day +-\nLast day +2999-12-31\nCredits +0/,
  );
  assert.match(
    (await adminHere(on(dataDir), "license", "label", "CE", "CE rev. 4")).out,
    /Label +CE rev\. 4/,
  );
  assert.match((await adminHere(on(dataDir), "license", "credits", "25")).out, /Credits now 25/);
  assert.match(
    (await adminHere(on(dataDir), "network", "add", "10.1.0.0/16", "--note", "ward")).out,
    /10\.1\.0\.0\/16\tward/,
  );
  const verified = await adminHere(on(dataDir), "audit", "verify");
  assert.match(
    verified.out,
    /intact: 4 entries\nLast hash {2}[0-9a-f]{64}\nVerified {3}up to entry 4\n/,
  );
  await Deno.remove(dataDir, { recursive: true });
});

Deno.test("admin explains itself when it is used wrongly", async () => {
  const dataDir = await Deno.makeTempDir();
  for (
    const args of [[], ["user"], ["user", "add"], ["user", "paint", "x@x.org"], [
      "user",
      "list",
      "--all",
    ]]
  ) {
    const { code, err } = await adminHere(on(dataDir), ...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(err, /deno task admin user add EMAIL/);
  }
  assert.equal((await adminProcess(on(dataDir), "user", "paint", "x@x.org")).code, 2);
  assert.equal((await adminProcess(on(dataDir), "user", "suspend", "nobody@x.org")).code, 1);
  await Deno.remove(dataDir, { recursive: true });
});

// covers: S-107
Deno.test("admin takes no password as an argument: everybody on the machine could read it", async () => {
  const dataDir = await Deno.makeTempDir();
  for (const words of [["add", "b@x.org"], ["reset-password", "b@x.org"]]) {
    assert.equal(
      (await adminHere(on(dataDir), "user", ...words, "--password", "abcdefg-1234")).code,
      2,
    );
  }
  for (
    const url of [
      "postgres://u:secret@db.example/site",
      "postgres://db.example/site?password=secret",
    ]
  ) {
    const { code, err } = await adminHere(on(dataDir), "migrate", url);
    assert.deepEqual([code, /Cannot take a password as an argument/.test(err)], [1, true]);
    assert.doesNotMatch(err, /secret/);
  }
  const missing = await adminHere(
    on(dataDir),
    "user",
    "add",
    "b@x.org",
    "--password-file",
    `${dataDir}/none`,
  );
  assert.deepEqual([missing.code, /Cannot read a password from/.test(missing.err)], [1, true]);
  await Deno.remove(dataDir, { recursive: true });
});

Deno.test("no document shows a command with a password in it", async () => {
  const folder = new URL("../../../", import.meta.url), names = ["README.md"];
  for await (const { name } of Deno.readDir(new URL("docs", folder))) {
    if (name.endsWith(".md")) names.push(`docs/${name}`);
  }
  for (const name of names) {
    for (const line of (await Deno.readTextFile(new URL(name, folder))).split("\n")) {
      const isCommand = /deno task|sulcus (admin|start)/.test(line);
      // a variable before a command is the environment's; a history keeps it, so none is shown there either
      const shown = /--password |:\/\/[^\s/@:]+:[^\s/@]+@|PASSWORD=\S/.test(line);
      assert.ok(!(isCommand && shown), `${name}: ${line}`);
    }
  }
});
