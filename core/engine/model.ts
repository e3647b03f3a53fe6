import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { AppError } from "@/model/errors.ts";

/** A file of a published network, by name and content. */
export interface ModelFile {
  name: string;
  sizeBytes: number;
  sha256: string;
}

/** The network of the second opinion: fetched by the administrator, never shipped. */
export const MODEL = {
  name: "MeshNet-50",
  publisher: "brainchop, the neuroneural group (TReNDS Center)",
  licence: "MIT",
  page: "https://github.com/neuroneural/brainchop",
  /** Folder of the files at a fixed commit. */
  address:
    "https://raw.githubusercontent.com/neuroneural/brainchop/67396d2651e0bd94c9dc877405cb0e2b0364d8c1/public/models/model30chan50cls/",
  /** Subfolder of SULCUS_MODEL_DIR. */
  folder: "meshnet_50",
  topology: "model.json",
  weights: {
    name: "model.bin",
    sizeBytes: 788_120,
    sha256: "a7e597568dc7750c64cce8c64c4ca3ec7215716949efd741f19904da1baffa81",
  },
} as const satisfies { weights: ModelFile } & Record<string, unknown>;

/** What the engine can run: 3 x 3 x 3 convolutions with ELU, then one classifier. */
const EXPECTED = { channels: 30, dilations: [1, 2, 4, 8, 16, 8, 4, 2, 1], classes: 50 };

/** Largest model.json that is read. */
export const TOPOLOGY_LIMIT_BYTES = 1 << 20;

const LayerSchema = z.object({
  class_name: z.string(),
  config: z.looseObject({
    name: z.string(),
    filters: z.optional(z.number()),
    kernel_size: z.optional(z.array(z.number())),
    dilation_rate: z.optional(z.array(z.number())),
    strides: z.optional(z.array(z.number())),
    padding: z.optional(z.string()),
    activation: z.optional(z.string()),
    use_bias: z.optional(z.boolean()),
  }),
});

const TopologySchema = z.object({
  format: z.literal("layers-model"),
  modelTopology: z.object({
    model_config: z.object({ config: z.object({ layers: z.array(LayerSchema) }) }),
  }),
  weightsManifest: z.array(z.object({
    paths: z.array(z.string()),
    weights: z.array(z.object({ name: z.string(), shape: z.array(z.number()), dtype: z.string() })),
  })),
});

const refused = (why: string) => new AppError("input.invalid", `Cannot use the network: ${why}`);

/** The layers one after the other, each as one line of text, so that two networks are compared by eye in a log. */
function expectedLayers(): string[] {
  const { channels, dilations, classes } = EXPECTED;
  const deep = dilations.flatMap((d) => [`Conv3D ${channels} 3,3,3 ${d},${d},${d}`, "elu"]);
  return ["InputLayer", ...deep, `Conv3D ${classes} 1,1,1 1,1,1`];
}

/**
 * Checks that a model.json in the TensorFlow.js layers format describes the network that the engine runs: same
 * layers in the same order, weights without gaps in one file.
 *
 * @throws {AppError} `input.invalid` that says what differs.
 */
export function checkTopology(text: string): void {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw refused("model.json is not JSON");
  }
  const parsed = z.safeParse(TopologySchema, json);
  if (!parsed.success) throw refused("model.json is not a TensorFlow.js layers model");
  const { modelTopology, weightsManifest } = parsed.data;
  const layers = modelTopology.model_config.config.layers.map(({ class_name, config }) => {
    if (class_name === "Activation") return config.activation ?? "";
    if (class_name !== "Conv3D") return class_name;
    const isPlain = config.padding === "same" && config.use_bias === true &&
      (config.activation ?? "linear") === "linear" && (config.strides ?? []).every((s) => s === 1);
    return isPlain
      ? `Conv3D ${config.filters} ${config.kernel_size} ${config.dilation_rate}`
      : "Conv3D of another kind";
  });
  const want = expectedLayers();
  const at = want.findIndex((line, i) => layers[i] !== line);
  if (at >= 0) throw refused(`layer ${at} is ${layers[at] ?? "missing"}, not ${want[at]}`);
  if (layers.length !== want.length) throw refused(`it has ${layers.length} layers, not ${want.length}`);

  const files = weightsManifest.flatMap((group) => group.paths);
  if (files.length !== 1 || files[0] !== MODEL.weights.name) {
    throw refused(`its weights are in ${files.join(", ")}, not in ${MODEL.weights.name}`);
  }
  const names = modelTopology.model_config.config.layers.filter((l) => l.class_name === "Conv3D")
    .flatMap(({ config }) => [`${config.name}/kernel`, `${config.name}/bias`]);
  const weights = weightsManifest.flatMap((group) => group.weights);
  if (weights.map((w) => w.name).join() !== names.join()) throw refused("its weights are in another order");
  const count = weights.reduce((sum, w) => sum + w.shape.reduce((a, b) => a * b, 1), 0);
  if (weights.some((w) => w.dtype !== "float32") || 4 * count !== MODEL.weights.sizeBytes) {
    throw refused(`its weights are not ${MODEL.weights.sizeBytes} bytes of float32`);
  }
}

/**
 * Checks a file against its pinned size and hash.
 *
 * @throws {AppError} `input.invalid` that says what differs.
 */
export function checkWeights(bytes: Uint8Array, file: ModelFile = MODEL.weights): void {
  if (bytes.length !== file.sizeBytes) {
    throw refused(`${file.name} has ${bytes.length} bytes, not ${file.sizeBytes}`);
  }
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (sha256 !== file.sha256) throw refused(`${file.name} has SHA-256 ${sha256}, not ${file.sha256}`);
}

/** The folder with the network's files: `dir` itself or its `meshnet_50`; `null` when neither has a model.json. */
export function findModel(dir: string): string | null {
  const folders = [dir, join(dir, MODEL.folder)];
  return folders.find((folder) => existsSync(join(folder, MODEL.topology))) ?? null;
}

/**
 * Reads the network's weights for the engine.
 *
 * @param dir  SULCUS_MODEL_DIR.
 * @returns The weight file as it is, or `null` when the folder holds no network: the built-in engine works alone.
 * @throws {AppError} `input.invalid` when there is one that is not the published one.
 */
export async function readModel(dir: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const folder = findModel(dir);
  if (folder === null) return null;
  const read = async (name: string, limit: number) => {
    const path = join(folder, name);
    const info = await Deno.stat(path).catch(() => null);
    if (!info?.isFile) throw refused(`${name} is missing in ${folder}`);
    if (info.size > limit) throw refused(`${name} has ${info.size} bytes, more than ${limit}`);
    return await Deno.readFile(path);
  };
  checkTopology(new TextDecoder().decode(await read(MODEL.topology, TOPOLOGY_LIMIT_BYTES)));
  const weights = await read(MODEL.weights.name, MODEL.weights.sizeBytes);
  checkWeights(weights);
  return weights;
}
