// Recomputes a stored study with a given engine.
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { AppError } from "@/model/errors.ts";
import type { SeriesKind } from "@/model/schema/studies/study.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { openSite } from "@/server/core/mod.ts";
import { encodeNpy } from "@/server/core/analyses/service/files/npy.ts";
import { type Remeasured, sampleOf } from "@/server/core/analyses/service/rehearsal.ts";
import type { FileField, RehearsableAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { blobPath } from "@/server/core/blobs/blob_file.ts";
import { contentOf, type Seal, writeContent } from "@/server/core/blobs/sealed_file.ts";
import { checkStoreKey } from "@/server/core/blobs/store_key.ts";
import { storageKeyOf } from "@/server/commands/key_files.ts";
import { environmentOrExit } from "@/server/commands/start/environment.ts";
import { makeWorkFolder } from "@/server/commands/work_folder.ts";
import type { EngineProgram } from "@/server/commands/operate/kept_engines.ts";

/** Newest results of a site, and a function that opens the results' volumes. */
interface Sample {
  /** data folder of the site */
  dataDir: string;
  studies: RehearsableAnalysis[];
  fileOf: (hash: string) => StoredVolume;
}

interface StoredVolume {
  path: string;
  seal: Seal | null;
}

/** Values and files that the recomputation of a study produced. */
interface Measured {
  result: Remeasured;
  /** SHA-256 of each result file as stored; `null` for a missing file */
  files: Partial<Record<FileField, string | null>>;
}

/**
 * Opens this site, reads the newest results, and closes the site.
 * @throws {AppError} for a missing or wrong key.
 */
export async function openSample(count: number): Promise<Sample> {
  const environment = environmentOrExit(), db = await openSite(environment);
  try {
    const blobs = `${environment.dataDir}/blobs`, key = await storageKeyOf(environment);
    await checkStoreKey(blobs, key);
    return {
      dataDir: environment.dataDir,
      studies: await sampleOf(db, count),
      fileOf: (hash) => ({
        path: resolve(blobPath(blobs, hash)),
        seal: key && { key, name: hash },
      }),
    };
  } finally {
    await db.destroy();
  }
}

async function place({ path, seal }: StoredVolume, at: string): Promise<string> {
  if (seal === null) await Deno.symlink(path, at);
  else await writeContent(at, contentOf(path, seal, true), null);
  return at;
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const HIGHEST_THICKNESS_MM = 5;
const ofMm = (mm: number) => Math.round(mm * 255 / HIGHEST_THICKNESS_MM);

const SURFACE = ["verts", "faces", "normals", "values"] as const;

/**
 * For each stored file: its field, the file that `deno task analyze` writes, and the voxel type.
 */
type StoredMap = readonly [field: FileField, map: string, store: (voxel: number) => number];
const asItIs = (voxel: number) => voxel;
const MAPS: Readonly<Record<SeriesKind, readonly StoredMap[]>> = {
  t1: [["t1w_mask_file", "labels_1mm", asItIs], ["thick_mask_file", "thickness_1mm", ofMm]],
  t2: [["t2w_mask_file", "wmh_1mm", asItIs], ["t2w_region_mask_file", "labels_1mm", asItIs]],
};

/**
 * SHA-256 by field of the files that `deno task analyze` wrote, in the stored encoding.
 * @param kind `t2`: only a FLAIR series was analysed.
 */
export async function filesIn(out: string, kind: SeriesKind): Promise<Measured["files"]> {
  const files: Measured["files"] = {};
  const readIfThere = (path: string) => Deno.readFile(path).catch(() => null);
  for (const [field, map, store] of MAPS[kind]) {
    const bytes = await readIfThere(`${out}/${map}.nii.gz`);
    const stored = bytes && decodeNifti(bytes);
    files[field] = stored && sha256(encodeNpy(Uint8Array.from(stored.voxels, store), stored.shape));
  }
  for (const name of kind === "t1" ? SURFACE : []) {
    const bytes = await readIfThere(`${out}/surface/${name}.npy`);
    files[name] = bytes && sha256(bytes);
  }
  return files;
}

/**
 * Result of an engine for a stored study.
 * @throws {AppError} with the engine's message after a failure.
 */
export async function remeasure(
  { program, args }: EngineProgram,
  { t1, flair, parameters }: RehearsableAnalysis,
  { dataDir, fileOf }: Pick<Sample, "dataDir" | "fileOf">,
): Promise<Measured> {
  const folder = await makeWorkFolder(dataDir, "sulcus-rehearse-"), out = `${folder}/out`;
  try {
    const series = t1 ? [await place(fileOf(t1.volume), `${folder}/t1.nii.gz`)] : [];
    if (flair) series.push("--t2", await place(fileOf(flair.volume), `${folder}/flair.nii.gz`));
    const flags = [
      ...(parameters.biasCorrection === false ? ["--no-bias-correction"] : []),
      ...(parameters.secondOpinion === true ? [] : ["--no-second-opinion"]),
      ...(parameters.deepStructures === true ? [] : ["--no-deep-structures"]),
    ];
    const run = new Deno.Command(program, {
      args: [...args, ...series, "--out", out, ...flags],
      stdout: "null",
      stderr: "piped",
    });
    const { success, stderr } = await run.output();
    if (!success) {
      const said = new TextDecoder().decode(stderr).trim().split("\n").at(-1);
      throw new AppError("input.invalid", `Cannot analyze with the other engine: ${said}`);
    }
    return {
      result: JSON.parse(await Deno.readTextFile(`${out}/result.json`)),
      files: await filesIn(out, t1 ? "t1" : "t2"),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
