import { rm } from "node:fs/promises";
import { ADMIN } from "@/model/site/command_line.ts";
import { registryRequest } from "@/model/schema/report/registry.ts";
import { writeRegistry } from "@/server/core/exports/service/registry.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { Arguments } from "@/server/commands/arguments.ts";
import { print } from "@/server/commands/output.ts";

export const REGISTRY_USAGE =
  `${ADMIN} registry-export csv|json FILE [--figures volumes|percentiles] [--texts]
Writes all analyzed studies to FILE without the patients' identity. --texts adds signed conclusions in which no name,
identifier or date was found; not with percentiles.`;

/** Writes a file for a research registry. @returns exit code; 2 for wrong usage. */
export async function registryExport(
  db: Database,
  { words: [, format, path, ...others], options }: Arguments,
): Promise<number> {
  const request = registryRequest.safeParse({
    format,
    figures: options.get("figures") ?? "volumes",
    has_texts: options.has("texts"),
  });
  if (!request.success || !path || others.length > 0) return 2;
  // writes beside the older file and renames, so that a complete file always exists
  const part = `${path}.part`, failed: number[] = [];
  try {
    await writeRegistry(db, part, request.data, { failed });
    await Deno.rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  print(`Written: ${path}`);
  if (failed.length > 0) print(`Studies that could not be read: ${failed.join(", ")}`);
  return 0;
}
