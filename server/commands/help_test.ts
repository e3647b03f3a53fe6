import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { SITE_USAGE } from "@/server/commands/help.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));

Deno.test("help is printed and nothing else is done, whichever command is asked about", async () => {
  const cwd = await Deno.makeTempDir({ prefix: "sulcus-test-" });
  try {
    for (
      const [args, texts] of [
        [["--help"], [SITE_USAGE, "user add EMAIL", "rehearse NEW"]],
        [["help"], ["user add EMAIL"]],
        [["start", "--help"], [SITE_USAGE]],
        [["worker", "-h"], [SITE_USAGE]],
        [["doctor", "--help"], [SITE_USAGE]],
        [["recompute", "--help"], ["recompute [COUNT]"]],
        [["backup", "--help"], ["backup FOLDER"]],
      ] as const
    ) {
      const signal = AbortSignal.timeout(120_000);
      const { code, stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", MAIN, ...args],
        cwd,
        signal,
      }).output();
      const printed = new TextDecoder().decode(stdout);
      assert.deepEqual(texts.filter((text) => !printed.includes(text)), [], args.join(" "));
      assert.equal(code, 0, args.join(" "));
    }
    assert.deepEqual([...Deno.readDirSync(cwd)], []);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
});
