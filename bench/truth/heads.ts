import { existsSync } from "node:fs";
import { basename } from "node:path";
import * as z from "zod/mini";
import { applyAffine, type Vec3 } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { foldCodes, thicknessOf, type Truth } from "@/bench/truth/freesurfer.ts";
import { readMgh } from "@/bench/truth/mgh.ts";

/** Facts about heads in a folder's `heads.json`, by name of the head; "*": all other heads. */
const HeadFacts = z.object({
  scanner: z.optional(z.string()),
  /** identifier of the person, if several heads are of one person */
  person: z.optional(z.string()),
  age: z.optional(z.number()),
  sex: z.optional(z.enum(["male", "female"])),
  kind: z.optional(z.enum(["labelled", "synthetic"])),
});
export type HeadFacts = z.infer<typeof HeadFacts>;

/** A head with labels, as FreeSurfer lays it out: `NAME/mri/T1.mgz` and `aparc+aseg.mgz`, or without `mri`. */
export interface LabelledHead {
  name: string;
  /** path of the head's files, without their endings */
  folder: string;
  image: string;
  labels: string;
  facts: HeadFacts;
}

const ENDINGS = [".mgz", ".mgh", ".nii.gz", ".nii"];

function fileOf(folder: string, names: readonly string[]): string | undefined {
  return names.flatMap((name) => ENDINGS.map((ending) => `${folder}/${name}${ending}`)).find((
    path,
  ) => existsSync(path));
}

function headIn(name: string, folder: string, facts: HeadFacts): LabelledHead | null {
  for (const place of [`${folder}/mri`, folder]) {
    const image = fileOf(place, ["T1", "orig", "brain"]), labels = fileOf(place, ["aparc+aseg"]);
    if (image && labels) return { name, folder, image, labels, facts };
  }
  return null;
}

/** Reads `heads.json`. @throws {Error} that names an invalid entry. */
function readFacts(file: string): Record<string, HeadFacts> {
  if (!existsSync(file)) return {};
  try {
    return z.parse(z.record(z.string(), HeadFacts), JSON.parse(Deno.readTextFileSync(file)));
  } catch (error) {
    const why = error instanceof z.core.$ZodError
      ? error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ")
      : (error as Error).message;
    throw new Error(`Cannot read ${file}: ${why}`);
  }
}

/** Whether a folder is one of FreeSurfer's average brains, which are stored beside the subjects. */
const isAverage = (name: string): boolean => /^fsaverage/.test(name);

/**
 * Labelled heads of a folder, by name: its subfolders (also symbolic links), or the folder itself.
 *
 * @throws {Error} if there is none, or the folder or its `heads.json` cannot be read.
 */
export function listHeads(folder: string): LabelledHead[] {
  if (!existsSync(folder) || !Deno.statSync(folder).isDirectory) {
    throw new Error(`Cannot measure ${folder}: not a folder`);
  }
  const facts = readFacts(`${folder}/heads.json`);
  const isFolder = (name: string) =>
    existsSync(`${folder}/${name}`) && Deno.statSync(`${folder}/${name}`).isDirectory;
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
    isFolder(name) && !isAverage(name)
  ).sort();
  const heads = names.flatMap((name) =>
    headIn(name, `${folder}/${name}`, facts[name] ?? facts["*"] ?? {}) ?? []
  );
  const alone = headIn(basename(folder), folder, facts[basename(folder)] ?? facts["*"] ?? {});
  if (heads.length === 0 && !alone) {
    throw new Error(
      `Cannot measure ${folder}: neither it nor a folder in it has T1, orig or brain beside aparc+aseg ` +
        `(${ENDINGS.join(", ")}), in mri/ or without`,
    );
  }
  return heads.length > 0 ? heads : [alone!];
}

/** Reads a volume in FreeSurfer's format or NIfTI. @throws {Error} that names the file. */
export function readVolume(path: string): Volume {
  try {
    const bytes = Deno.readFileSync(path);
    return /\.mg[hz]$/.test(path) ? readMgh(bytes) : decodeNifti(bytes);
  } catch (error) {
    throw new Error(`Cannot read ${path}: ${(error as Error).message}`);
  }
}

/** FreeSurfer's labels of a head, converted to ours, on their original grid. */
export function readTruth(head: LabelledHead): Truth & { volume: Volume } {
  const volume = readVolume(head.labels), [nx, ny] = volume.shape;
  const middle = volume.shape.map((n) => n / 2) as Vec3,
    [x0] = applyAffine(volume.rasFromIjk, middle);
  const isLeft = (v: number) =>
    applyAffine(volume.rasFromIjk, [
      v % nx,
      Math.floor(v / nx) % ny,
      Math.floor(v / (nx * ny)),
    ])[0] < x0;
  const truth = foldCodes(volume.voxels, isLeft);
  if (!truth.labels.some((label) => label > 0)) {
    throw new Error(`Cannot use ${head.labels}: no FreeSurfer label in it`);
  }
  return { ...truth, volume };
}

/** FreeSurfer's mean thickness, left and right, from tables in `stats` or beside the volumes. */
export function readThickness(head: LabelledHead) {
  const [left, right] = ["lh", "rh"].map((side) => {
    const path = [`${head.folder}/stats/${side}.aparc.stats`, `${head.folder}/${side}.aparc.stats`]
      .find((
        p,
      ) => existsSync(p));
    return path ? thicknessOf(Deno.readTextFileSync(path)) : null;
  });
  return left && right ? { left, right } : null;
}
