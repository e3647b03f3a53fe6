// Engines of earlier versions, each a folder that analyses by itself: its program, its WebAssembly,
// its atlas and networks, and a list of them with their hashes. A release has its own in
// `engines/VERSION`; an upgrade keeps it.
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "@/model/errors.ts";

/** The list of an engine's folder. */
export interface EngineList {
  /** as a result names it, without the networks: `sulcus-engine 0.4.0` */
  engine: string;
  product: string;
  /** that it was made with */
  deno: string;
  /** SHA-256 by path */
  files: Record<string, string>;
}

export const LIST = "engine.json";

/** How to start an engine's `analyze`. */
export interface EngineProgram {
  program: string;
  args: string[];
}

const isFile = async (path: string) => (await Deno.stat(path).catch(() => null))?.isFile === true;

async function readList(folder: string): Promise<EngineList | null> {
  const text = await Deno.readTextFile(join(folder, LIST)).catch(() => null);
  return text === null ? null : JSON.parse(text);
}

/**
 * Compares a kept engine with its list. @throws {AppError} `internal` that names the file that was
 * changed.
 */
async function checkFiles(folder: string, { files }: EngineList): Promise<void> {
  for (const [path, sha256] of Object.entries(files)) {
    const bytes = await Deno.readFile(join(folder, path)).catch(() => null);
    if (bytes !== null && createHash("sha256").update(bytes).digest("hex") === sha256) continue;
    throw new AppError(
      "internal",
      `Cannot use the engine in ${folder}: ${path} is ${
        bytes === null ? "missing" : "not what it was"
      }`,
    );
  }
}

/**
 * How a kept engine, a release, or a tree with its packages, analyses a file; `null`: it is none of
 * these.
 * @throws {AppError} as {@link checkFiles}.
 */
export async function programOf(folder: string): Promise<EngineProgram | null> {
  const list = await readList(folder);
  if (list) {
    await checkFiles(folder, list);
    const config = join(folder, "deno.json"), script = join(folder, "server/commands/analyze.ts");
    return {
      program: Deno.execPath(),
      // neither the network nor another program is an engine's business
      args: [
        ..."run --no-check --cached-only --no-prompt --quiet --allow-read --allow-write --allow-sys"
          .split(
            " ",
          ),
        ...["--allow-env", "--config", config, script],
      ],
    };
  }
  if (await isFile(`${folder}/sulcus`)) return { program: `${folder}/sulcus`, args: ["analyze"] };
  const script = `${folder}/commands/analyze.ts`;
  return await isFile(script)
    ? { program: Deno.execPath(), args: ["run", "-A", "--no-check", script] }
    : null;
}

/**
 * Where kept engines lie: of this release, and of those before it, which a package's upgrade leaves
 * beside it.
 */
function places(): string[] {
  const release = fileURLToPath(new URL("../../../../", import.meta.url));
  return [join(release, "engines"), resolve(release, "../sulcus-engines")];
}

/**
 * The folder of each kept engine by its name in results. `folders`: searched instead of the
 * release's own.
 */
export async function keptEngines(
  folders: readonly string[] = places(),
): Promise<Map<string, string>> {
  const engines = new Map<string, string>();
  for (const place of folders) {
    const entries = await Array.fromAsync(Deno.readDir(place)).catch(() => []);
    for (const { name } of entries) {
      const list = await readList(join(place, name));
      if (list && !engines.has(list.engine)) engines.set(list.engine, join(place, name));
    }
  }
  return engines;
}

/** The engine's name in a result, without the networks that had a part in it. */
export const engineNameOf = (version: string | null): string =>
  (version ?? "").replace(/ with .*$/, "");
