// Engines of earlier versions. Each is a self-contained folder with program, WebAssembly, atlas,
// networks, and a list of all files with hashes.
// A release keeps its engine in `engines/VERSION`; an upgrade leaves the folder in place.
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "@/model/errors.ts";

/** List of the files in an engine's folder. */
export interface EngineList {
  /** name of the engine in results, without the networks: `sulcus-engine 0.4.0` */
  engine: string;
  product: string;
  /** Deno version that the engine was built with */
  deno: string;
  /** SHA-256 of each file by path */
  files: Record<string, string>;
}

export const LIST = "engine.json";

/** Command with arguments that starts an engine's `analyze`. */
export interface EngineProgram {
  program: string;
  args: string[];
}

const isFile = async (path: string) => (await Deno.stat(path).catch(() => null))?.isFile === true;

async function readList(folder: string): Promise<EngineList | null> {
  const text = await Deno.readTextFile(join(folder, LIST)).catch(() => null);
  return text === null ? null : JSON.parse(text);
}

/** Compares a kept engine with the engine's file list. @throws {AppError} `internal`. */
async function checkFiles(folder: string, { files }: EngineList): Promise<void> {
  for (const [path, sha256] of Object.entries(files)) {
    const bytes = await Deno.readFile(join(folder, path)).catch(() => null);
    if (bytes !== null && createHash("sha256").update(bytes).digest("hex") === sha256) continue;
    throw new AppError(
      "internal",
      `Cannot use the engine in ${folder}: ${path} ${
        bytes === null ? "is missing" : "has been modified"
      }`,
    );
  }
}

/**
 * Command that analyses a file with a kept engine, a release, or a source tree.
 * `null` for any other folder.
 * @throws {AppError} as {@link checkFiles}.
 */
export async function programOf(folder: string): Promise<EngineProgram | null> {
  const list = await readList(folder);
  if (list) {
    await checkFiles(folder, list);
    const config = join(folder, "deno.json"), script = join(folder, "server/commands/analyze.ts");
    return {
      program: Deno.execPath(),
      // an engine needs neither network access nor other programs
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
 * Folders with kept engines: of this release, and of earlier releases that a package upgrade left
 * beside this release.
 */
function places(): string[] {
  const release = fileURLToPath(new URL("../../../../", import.meta.url));
  return [join(release, "engines"), resolve(release, "../sulcus-engines")];
}

/**
 * Folder of each kept engine, by the engine's name in results.
 * `folders`: searched instead of the release's own folders.
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

/** Name of the engine in a stored result, without the names of the networks used. */
export const engineNameOf = (version: string | null): string =>
  (version ?? "").replace(/ with .*$/, "");
