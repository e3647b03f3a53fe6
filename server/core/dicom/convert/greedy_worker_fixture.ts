/// <reference lib="deno.worker" />
// A converter that a made-up file has taken over: tries what it needs and what is not its own, and says which worked.
import type { PackAnswer, PackRequest } from "@/server/core/dicom/convert/convert_messages.ts";

self.onmessage = async ({ data: { files, packTo } }: MessageEvent<PackRequest>) => {
  const own = files[0]!.path;
  const attempts: Record<string, () => unknown> = {
    readOwn: () => Deno.readFile(own),
    writeOwn: () => Deno.writeTextFile(packTo, "x"),
    readOther: () => Deno.readFile(own.replace("own", "other")),
    writeOther: () => Deno.writeTextFile(own.replace("own", "third"), "x"),
    overwriteOwn: () => Deno.writeTextFile(own, "x"),
    readPasswords: () => Deno.readTextFile("/etc/passwd"),
    listFolder: () => [...Deno.readDirSync("/")],
    secret: () => {
      if (Deno.env.get("SULCUS_CORE_KEY") === undefined) throw new Error("hidden");
    },
    connect: () => Deno.connect({ hostname: "127.0.0.1", port: 9 }),
    run: () => new Deno.Command("true").output(),
    widerWorker: () =>
      new Worker(import.meta.url, { type: "module", deno: { permissions: { read: true } } })
        .terminate(),
  };
  const outcome: Record<string, string> = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      await attempt();
      outcome[name] = "ok";
    } catch (error) {
      outcome[name] = error instanceof Error ? error.name : "failed";
    }
  }
  const message = JSON.stringify(outcome);
  self.postMessage({ error: { code: "internal", message, details: {} } } satisfies PackAnswer);
};
