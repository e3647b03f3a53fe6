// Commands on a whole site, killed at random times: the next run must complete them without losses.
import { fileURLToPath } from "node:url";
import { openData } from "@/server/core/mod.ts";
import { listBlobFiles } from "@/server/core/blobs/blob_file.ts";
import { type Row, rowMaker } from "@/bench/record.ts";
import { nameSite } from "@/tests/sites/core_site.ts";
import { newPostgres } from "@/tests/sites/databases.ts";
import { addReadStudy } from "@/tests/sites/read_study.ts";
import { addStudyWithFiles } from "@/tests/sites/stored_studies.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const STUDIES = 60, KEY = "a5".repeat(32);
type Variables = Record<string, string>;

const command = (variables: Variables, ...args: string[]) =>
  new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "main.ts", ...args],
    cwd: ROOT,
    env: variables,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });

interface Kind {
  name: string;
  args: string[];
  /** whether the site then contains only the rows made by migrations */
  isEmpty?: boolean;
  /** makes a new data folder for a round. @returns variables of the command */
  prepare(folder: string): Promise<Variables>;
}

/** Runs a command. @returns its output if it failed; otherwise `null`. */
async function problemOf(variables: Variables, ...args: string[]): Promise<string | null> {
  const { success, stdout, stderr } = await command(variables, ...args).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  return success ? null : `${args.join(" ")}: ${text(stdout)} ${text(stderr)}`;
}

/** Copies a folder with its content. */
async function copyFolder(from: string, to: string): Promise<void> {
  const { success } = await new Deno.Command("cp", { args: ["-a", from, to] }).output();
  if (!success) throw new Error(`Cannot run cp of ${from}`);
}

/** Runs `rounds / 6` rounds of each command; the first is not killed. @returns result rows. */
export async function killCommands(
  rounds: number,
  seed: number,
  say: (text: string) => void,
): Promise<Row[]> {
  const base = await Deno.makeTempDir({ prefix: "sulcus-commands-" }), random = new Random(seed);
  const row = rowMaker("crash", 0), rows: Row[] = [];
  const key = {
    SULCUS_STORAGE_KEY_FILE: `${base}/storage.key`,
    SULCUS_BACKUP_KEY_FILE: `${base}/backup.key`,
  };
  try {
    for (const file of Object.values(key)) await Deno.writeTextFile(file, KEY, { mode: 0o600 });
    const site = `${base}/site`, backup = `${base}/backup`;
    await openData(site).destroy();
    for (let n = 0; n < STUDIES; n++) await addStudyWithFiles(site, `SITE-${n}`);
    await addReadStudy(site);
    const files = (await listBlobFiles(`${site}/blobs`)).length;
    const failed =
      await problemOf({ SULCUS_DATA_DIR: site, ...key }, "admin", "files", "encrypt") ??
        await problemOf({ SULCUS_DATA_DIR: site, ...key }, "admin", "backup", backup) ??
        await problemOf({ SULCUS_DATA_DIR: site, ...key }, "admin", "files", "decrypt");
    if (failed !== null) throw new Error(failed);
    const copied = async (folder: string) => {
      await copyFolder(site, folder);
      return { SULCUS_DATA_DIR: folder };
    };
    const kinds: Kind[] = [{
      name: "restore",
      args: ["admin", "restore", backup],
      prepare: (folder) => Promise.resolve({ SULCUS_DATA_DIR: folder, ...key }),
    }, {
      name: "restore into PostgreSQL",
      args: ["admin", "restore", backup],
      prepare: async (folder) => ({
        SULCUS_DATA_DIR: folder,
        ...key,
        SULCUS_DATABASE_URL: await newPostgres(false),
      }),
    }, {
      name: "encryption of stored files",
      args: ["admin", "files", "encrypt"],
      prepare: async (folder) => ({ ...await copied(folder), ...key }),
    }, {
      name: "move to PostgreSQL",
      args: ["admin", "migrate"],
      prepare: async (folder) => ({
        ...await copied(folder),
        SULCUS_DATABASE_URL: await newPostgres(),
      }),
    }, {
      name: "migrations of a first start",
      args: ["admin", "user", "list"],
      isEmpty: true,
      prepare: (folder) => Promise.resolve({ SULCUS_DATA_DIR: folder }),
    }, {
      name: "migrations of a first start, PostgreSQL",
      args: ["admin", "user", "list"],
      isEmpty: true,
      prepare: async (folder) => ({
        SULCUS_DATA_DIR: folder,
        SULCUS_DATABASE_URL: await newPostgres(false),
      }),
    }];
    for (const { name, args, isEmpty = false, prepare } of kinds) {
      const problems: string[] = [];
      let killed = 0, longestMs = 0;
      for (let round = 0; round < Math.ceil(rounds / kinds.length); round++) {
        const folder = `${base}/round-${round}`, variables = await prepare(folder);
        const process = command(variables, ...args).spawn(), started = performance.now();
        const ended = process.output().then(() => longestMs = performance.now() - started);
        // the first round measures the command's duration
        if (round > 0) {
          const timer = setTimeout(() => process.kill("SIGKILL"), longestMs * random.uniform());
          await process.status.then(({ signal }) => signal === "SIGKILL" && killed++);
          clearTimeout(timer);
          const longest = longestMs;
          await ended;
          longestMs = Math.max(longest, longestMs);
        } else await ended;
        // a command that had completed before the kill may refuse to run again
        const again = await problemOf(variables, ...args);
        const isDone = again === null || /there is a site in|is not empty/.test(again);
        if (!isDone) problems.push(again);
        const verdict = isEmpty ? null : await problemOf(variables, "admin", "verify");
        if (verdict !== null) problems.push(verdict);
        const there = (await listBlobFiles(`${folder}/blobs`).catch(() => [])).length;
        if (!isEmpty && there !== files) problems.push(`${there} of ${files} files`);
        nameSite(folder, null);
        // a site in PostgreSQL without stored files has no folder
        await Deno.remove(folder, { recursive: true }).catch((error) => {
          if (!(error instanceof Deno.errors.NotFound)) throw error;
        });
      }
      for (const problem of problems) say(`${name}: ${problem}`);
      say(`${name}: killed ${killed} times, ${problems.length} problems`);
      rows.push(
        row(`kill -9 during ${name}: kills`, killed, "kills"),
        row(`kill -9 during ${name}: lost or half`, problems.length, "problems", {
          bar: 0,
          ok: problems.length === 0,
        }),
      );
    }
    return rows;
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}
