import { fetchModel } from "@/core/engine/fetch_model.ts";
import { findModel, MODEL, readModel } from "@/core/engine/model.ts";
import { complain, print } from "@/commands/output.ts";

export const MODEL_USAGE = `deno task admin model status
deno task admin model fetch [--yes] [--from ADDRESS]`;

const WITHOUT = "Without it the built-in engine works alone.";

async function status(dir: string): Promise<number> {
  if (await readModel(dir) === null) {
    print(`${MODEL.name}: absent from ${dir}. ${WITHOUT}`);
    return 0;
  }
  print(`${MODEL.name}: ready in ${findModel(dir)} (SHA-256 as published)`);
  return 0;
}

async function fetchInto(dir: string, address: string, isAgreed: boolean): Promise<number> {
  print(`${MODEL.name}, a published segmentation network that gives the engine a second opinion
Published by  ${MODEL.publisher}
Licence       ${MODEL.licence} (${MODEL.page})
From          ${address}
              ${MODEL.topology} and ${MODEL.weights.name}, ${MODEL.weights.sizeBytes} bytes
Into          ${dir}/${MODEL.folder}
Two files are downloaded and checked against a pinned SHA-256. Nothing is sent: no image, no patient, no setting.`);
  if (!isAgreed) {
    if (!Deno.stdin.isTerminal()) {
      complain("Nothing was fetched: add --yes to agree");
      return 1;
    }
    if (!confirm("Fetch it now?")) {
      print("Nothing was fetched");
      return 1;
    }
  }
  print(`Fetched into ${await fetchModel(dir, address)}. Restart the site to use it.`);
  return 0;
}

/**
 * Shows or fetches the optional network of SULCUS_MODEL_DIR.
 *
 * @returns the exit code: 0 done, 1 refused, 2 wrong usage.
 * @throws {AppError} as `readModel` and `fetchModel`.
 */
export async function model(
  verb: string | undefined,
  options: ReadonlyMap<string, string>,
  dir: string | null,
): Promise<number> {
  const from = options.get("from") ?? MODEL.address;
  if ((verb !== "status" && verb !== "fetch") || !URL.canParse(from)) return 2;
  if (dir === null) {
    complain(`SULCUS_MODEL_DIR is not set: set it to the folder for ${MODEL.name}. ${WITHOUT}`);
    return 1;
  }
  if (verb === "status") return await status(dir);
  try {
    return await fetchInto(dir, from.endsWith("/") ? from : `${from}/`, options.has("yes"));
  } catch (error) {
    complain(`${MODEL.name} was not changed. ${WITHOUT}`);
    throw error;
  }
}
