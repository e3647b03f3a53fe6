import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));

Deno.test("help is printed and nothing else is done, whichever command is asked about", async () => {
  const cwd = await Deno.makeTempDir({ prefix: "sulcus-test-" });
  try {
    for (
      const [args, text] of [
        [["--help"], /start {6}serves the site[\s\S]+user add EMAIL[\s\S]+rehearse NEW/],
        [["help"], /user add EMAIL/],
        [["start", "--help"], /start {6}serves the site/],
        [["worker", "-h"], /worker {5}analyses for a site/],
        [["doctor", "--help"], /doctor {5}checks settings/],
        [["recompute", "--help"], /recompute \[COUNT\]/],
        [["backup", "--help"], /backup FOLDER/],
      ] as const
    ) {
      const signal = AbortSignal.timeout(120_000);
      const { code, stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", MAIN, ...args],
        cwd,
        signal,
      }).output();
      assert.match(new TextDecoder().decode(stdout), text, args.join(" "));
      assert.equal(code, 0, args.join(" "));
    }
    assert.deepEqual([...Deno.readDirSync(cwd)], []);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
});
