import { resolve } from "node:path";
import { AppError } from "@/model/errors.ts";
import { openSite } from "@/core/mod.ts";
import { blobPath } from "@/core/storage/blobs/blob_file.ts";
import { contentOf, type Seal, writeContent } from "@/core/storage/blobs/sealed_file.ts";
import { checkStoreKey } from "@/core/storage/blobs/store_key.ts";
import { type Change, changesOf, type Remeasured, sampleOf } from "@/core/services/analyses/rehearsal.ts";
import { environmentOrExit } from "@/commands/start/environment.ts";
import { storageKeyOf } from "@/commands/key_files.ts";
import { print, printError } from "@/commands/output.ts";

const USAGE = `sulcus rehearse NEW [COUNT]
Analyses COUNT studies of this site (5) again with the engine of the release in the folder NEW, and says for each region
what would be another number. Nothing of the site is changed.`;
const DEFAULT_COUNT = 5, MAX_COUNT = 1000;

/** How a release, or a tree with its packages, analyses a file. */
async function programOf(folder: string): Promise<{ program: string; args: string[] } | null> {
  const isFile = async (path: string) => (await Deno.stat(path).catch(() => null))?.isFile === true;
  if (await isFile(`${folder}/sulcus`)) return { program: `${folder}/sulcus`, args: ["analyze"] };
  const script = `${folder}/commands/analyze.ts`;
  return await isFile(script)
    ? { program: Deno.execPath(), args: ["run", "-A", "--no-check", script] }
    : null;
}

/** The other engine's result of one stored volume. @throws {AppError} with what it said when it has none. */
async function remeasure(
  { program, args }: { program: string; args: string[] },
  { path, seal }: { path: string; seal: Seal | null },
  parameters: Record<string, unknown>,
): Promise<Remeasured> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-rehearse-" }), volume = `${folder}/volume.nii.gz`;
  try {
    if (seal === null) await Deno.symlink(path, volume);
    else await writeContent(volume, contentOf(path, seal, true), null);
    const flags = [
      ...(parameters.biasCorrection === false ? ["--no-bias-correction"] : []),
      ...(parameters.secondOpinion === true ? [] : ["--no-second-opinion"]),
      ...(parameters.deepStructures === false ? ["--no-deep-structures"] : []),
    ];
    const run = new Deno.Command(program, {
      args: [...args, `${folder}/volume.nii.gz`, "--out", `${folder}/out`, ...flags],
      stdout: "null",
      stderr: "piped",
    });
    const { success, stderr } = await run.output();
    if (!success) {
      const said = new TextDecoder().decode(stderr).trim().split("\n").at(-1);
      throw new AppError("input.invalid", `Cannot analyse with the other engine: ${said}`);
    }
    return JSON.parse(await Deno.readTextFile(`${folder}/out/result.json`));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const percent = ({ before, after }: Change) => before === 0 ? Infinity : 100 * (after / before - 1);
const signed = (value: number) => `${value > 0 ? "+" : ""}${value.toFixed(2)} %`;

/** For each measure that changed: in how many studies, and by how much on average and at most. */
function summary(changes: readonly Change[], studies: number): string[] {
  return [...Map.groupBy(changes, ({ name }) => name)].map(([name, some]) => {
    const by = some.map(percent), mean = by.reduce((sum, each) => sum + each, 0) / by.length;
    const most = by.reduce((most, each) => Math.abs(each) > Math.abs(most) ? each : most, 0);
    return `${name.padEnd(44)} ${`${some.length} of ${studies}`.padStart(8)}  ${signed(mean).padStart(10)}  ${
      signed(most).padStart(10)
    }`;
  });
}

/** @returns exit code: 0 also when numbers would change; 1 when there is nothing to rehearse with; 2 for wrong usage. */
export async function rehearse([folder, text = String(DEFAULT_COUNT)]: readonly string[]): Promise<number> {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  const program = folder === undefined ? null : await programOf(resolve(folder));
  if (program === null || count < 1 || count > MAX_COUNT) {
    printError(USAGE);
    return 2;
  }
  const environment = environmentOrExit(), db = await openSite(environment);
  try {
    const key = await storageKeyOf(environment);
    await checkStoreKey(`${environment.dataDir}/blobs`, key);
    const sample = await sampleOf(db, count), all: Change[] = [];
    if (sample.length === 0) {
      printError("No study of this site has a result that can be rehearsed: a T1w series alone");
      return 1;
    }
    let version = "";
    for (const { pid, engineVersion, parameters, results, volume } of sample) {
      const path = resolve(blobPath(`${environment.dataDir}/blobs`, volume));
      const stored = { path, seal: key && { key, name: volume } };
      const next = await remeasure(program, stored, parameters), changes = changesOf(results, next);
      version = next.version;
      all.push(...changes);
      print(`Study ${pid}, engine ${engineVersion} → ${next.version}: ${changes.length} numbers differ`);
    }
    if (all.length === 0) print(`Nothing changes with engine ${version}, in ${sample.length} studies`);
    else {
      print(`\n${"".padEnd(44)}  studies        mean        most`);
      for (const line of summary(all, sample.length)) print(line);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    printError(error.message);
    return 1;
  } finally {
    await db.destroy();
  }
}
