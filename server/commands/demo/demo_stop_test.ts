import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { until } from "@/tests/sites/until.ts";

Deno.test("the demonstration that is told to end takes its server with it", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-demo-" });
  const demo = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "main.ts", "demo"],
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    env: { NODE_ENV: "production", SULCUS_DATA_DIR: dataDir, SULCUS_PORT: "0" },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = demo.stdout.getReader(), decoder = new TextDecoder();
  let text = "";
  const reading = (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true });
    }
  })();
  try {
    const url = await until(() => text.match(/Sulcus serves (\S+)/)?.[1]);
    await (await fetch(`${url}/login`)).body?.cancel();
    demo.kill("SIGTERM");
    await demo.status;
    await assert.rejects(fetch(`${url}/login`));
  } finally {
    // a server that nobody ended keeps the pipe open
    await reader.cancel();
    await reading;
    await Deno.remove(dataDir, { recursive: true });
  }
});
