// Tries what the server needs and what it must not be able to do, and says which of them worked: `{name: "ok" | error}`.
import { DatabaseSync } from "node:sqlite";
import { openPostgres } from "@/server/core/database/postgres.ts";

const [dataDir = "", outside = "", port = "", databaseUrl = ""] = Deno.args;
const connect = async (port: number) =>
  (await Deno.connect({ hostname: "127.0.0.1", port })).close();

const attempts: Record<string, () => unknown> = {
  ownFiles: () => Deno.readTextFile(new URL("../../../deno.json", import.meta.url)),
  ownData: () => Deno.writeTextFile(`${dataDir}/probe`, "x"),
  ownDatabase: () => new DatabaseSync(`${dataDir}/probe.sqlite`).close(),
  ownVariable: () => Deno.env.get("SULCUS_PORT"),
  database: async () => databaseUrl && await (await openPostgres(databaseUrl)).destroy(),
  run: () => new Deno.Command(Deno.execPath(), { args: ["--version"] }).output(),
  runShell: () => new Deno.Command("sh", { args: ["-c", "true"] }).output(),
  nativeCode: () => Deno.dlopen("libc.so.6", {}),
  readOutside: () => Deno.readTextFile("/etc/passwd"),
  readAbove: () => Deno.readTextFile(`${dataDir}/../../etc/passwd`),
  readByLink: () => Deno.readTextFile(`${outside}/link/etc/passwd`),
  writeOutside: () => Deno.writeTextFile(`${outside}/probe`, "x"),
  writeProgram: () => Deno.writeTextFile(new URL("./probe", import.meta.url), "x"),
  sqliteOutside: () => new DatabaseSync(`${outside}/probe.sqlite`).close(),
  sqliteAttach: () =>
    new DatabaseSync(":memory:").exec(
      `ATTACH '${outside}/attached.sqlite' AS a; CREATE TABLE a.t (x)`,
    ),
  connectElsewhere: () => connect(Number(port)),
  fetchElsewhere: async () => await (await fetch(`http://127.0.0.1:${port}/`)).body?.cancel(),
  foreignCode: () => import("https://example.invalid/" + "x.ts"),
  foreignVariable: () => {
    if (Deno.env.get("PROBE_SECRET") === undefined) throw new Error("hidden");
  },
  hostName: () => Deno.hostname(),
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
