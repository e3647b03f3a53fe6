import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

async function runAdmin(modelDir: string | null, ...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "main.ts", "admin", "model", ...args],
    cwd: ROOT,
    stdin: "null",
    env: modelDir === null ? {} : { SULCUS_MODEL_DIR: modelDir },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

Deno.test("admin model … says what it would fetch, asks first, and ends with 1 without a network", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const status = await runAdmin(dir, "status");
    assert.equal(status.code, 0);
    assert.match(status.out, /MeshNet-50: absent .* built-in engine works alone/);

    const asked = await runAdmin(dir, "fetch");
    assert.equal(asked.code, 1);
    for (
      const said of [/MIT/, /brainchop/, /raw\.githubusercontent\.com/, /788120 bytes/, /Nothing is sent/]
    ) {
      assert.match(asked.out, said);
    }
    assert.match(asked.err, /Nothing was fetched: add --yes/);

    const offline = await runAdmin(dir, "fetch", "--yes", "--from", "http://127.0.0.1:1/m");
    assert.equal(offline.code, 1);
    assert.match(offline.err, /was not changed.*built-in engine works alone/);
    assert.match(offline.err, /Cannot fetch http:\/\/127\.0\.0\.1:1\/m\/model\.json/);
    assert.deepEqual([...Deno.readDirSync(dir)], []);

    assert.match((await runAdmin(null, "status")).err, /SULCUS_MODEL_DIR is not set/);
    assert.equal((await runAdmin(dir, "burn")).code, 2);
    assert.equal((await runAdmin(dir, "fetch", "--from", "nowhere")).code, 2);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
