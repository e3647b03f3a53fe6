// Tries what the converter's process must not be able to do, and says which of them worked: `{name: "ok" | error}`.
import { DatabaseSync } from "node:sqlite";

const [dataDir = "", incoming = ""] = Deno.args;

const attempts: Record<string, () => unknown> = {
  ownFile: () => Deno.readTextFile(`${incoming}/file`),
  ownVolume: () => Deno.writeTextFile(`${incoming}/file.nii.gz`, "x"),
  database: () => Deno.readFile(`${dataDir}/core.sqlite`),
  openDatabase: () => new DatabaseSync(`${dataDir}/core.sqlite`).close(),
  auditKey: () => Deno.readFile(`${dataDir}/audit/key`),
  storedFile: () => Deno.readFile(`${dataDir}/blobs/ab/stored`),
  upwards: () => Deno.readFile(`${incoming}/../../core.sqlite`),
  byLink: () => Deno.symlink(`${dataDir}/core.sqlite`, `${incoming}/link`),
  passwords: () => Deno.readTextFile("/etc/passwd"),
  ownVariables: () => Deno.readTextFile("/proc/self/environ"),
  parentsVariables: () => Deno.readTextFile(`/proc/${Deno.ppid}/environ`),
  secret: () => {
    if (Deno.env.get("SULCUS_CORE_KEY") === undefined) throw new Error("hidden");
  },
  secrets: () => {
    if (!Object.keys(Deno.env.toObject()).some((name) => name.startsWith("SULCUS_"))) {
      throw new Error("hidden");
    }
  },
  writeProgram: () => Deno.writeTextFile(new URL("./probe", import.meta.url), "x"),
  run: () => new Deno.Command(Deno.execPath(), { args: ["--version"] }).output(),
  nativeCode: () => Deno.dlopen("libc.so.6", {}),
  connect: async () => (await Deno.connect({ hostname: "127.0.0.1", port: 9 })).close(),
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
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(outcome)));
