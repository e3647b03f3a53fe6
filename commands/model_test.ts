import assert from "node:assert/strict";
import { adminHere, adminProcess } from "@/tests/admin_command.ts";

Deno.test("admin model … says what it would fetch, asks first, and ends with 1 without a network", async () => {
  const dir = await Deno.makeTempDir(), variables = { SULCUS_MODEL_DIR: dir };
  try {
    const status = await adminHere(variables, "model", "status");
    assert.equal(status.code, 0);
    assert.match(status.out, /MeshNet-50: absent .* built-in engine works alone/);

    const asked = await adminProcess(variables, "model", "fetch");
    assert.equal(asked.code, 1);
    for (
      const said of [/MIT/, /brainchop/, /raw\.githubusercontent\.com/, /788120 bytes/, /Nothing is sent/]
    ) {
      assert.match(asked.out, said);
    }
    assert.match(asked.err, /Nothing was fetched: add --yes/);

    const offline = await adminHere(variables, "model", "fetch", "--yes", "--from", "http://127.0.0.1:1/m");
    assert.equal(offline.code, 1);
    assert.match(offline.err, /was not changed.*built-in engine works alone/);
    assert.match(offline.err, /Cannot fetch http:\/\/127\.0\.0\.1:1\/m\/model\.json/);
    assert.deepEqual([...Deno.readDirSync(dir)], []);

    assert.match((await adminHere({}, "model", "status")).err, /SULCUS_MODEL_DIR is not set/);
    assert.equal((await adminHere(variables, "model", "burn")).code, 2);
    assert.equal((await adminHere(variables, "model", "fetch", "--from", "nowhere")).code, 2);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
