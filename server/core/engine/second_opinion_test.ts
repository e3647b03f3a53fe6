import assert from "node:assert/strict";
import { REGIONS } from "@/model/regions/regions.ts";
import { checkNetworkWeights, readNetworkWeights } from "@/server/core/engine/network_weights.ts";
import { MODEL } from "@/server/core/engine/second_opinion.ts";

Deno.test("readNetworkWeights() gives the published weights and refuses a file that was changed", async () => {
  const weights = await readNetworkWeights(MODEL);
  assert.equal(weights.length, MODEL.sizeBytes);
  const folder = await Deno.makeTempDir();
  try {
    const path = new URL(`file://${folder}/model.bin`);
    await assert.rejects(readNetworkWeights(MODEL, path), {
      code: "internal",
      message: /cannot be read/,
    });
    weights[1000]! ^= 1;
    await Deno.writeFile(path, weights);
    await assert.rejects(readNetworkWeights(MODEL, path), { code: "internal", message: /SHA-256/ });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("checkNetworkWeights() refuses another size", () => {
  assert.throws(() => checkNetworkWeights(MODEL, new Uint8Array(788_119)), {
    code: "internal",
    message: /788119 bytes/,
  });
});

Deno.test("CLASSES of the engine gives every class of the network the label of its name", async () => {
  const source = await Deno.readTextFile(
    new URL("../../../wasm/analysis/src/network/second_opinion.rs", import.meta.url),
  );
  const rows = [...source.matchAll(/^ {4}\("([^"]+)", (\d+)\),$/gm)].map(([, name, label]) => ({
    name: name!,
    label: Number(label),
  }));
  assert.equal(rows.length, 50);
  const region = (label: number) => REGIONS.find((r) => r.label === label)!;
  for (const { name, label } of rows.filter((row) => row.name.startsWith("ctx-"))) {
    assert.equal(region(label).abbreviation, `${name.slice(4)}-L`);
  }
  const others: Record<string, string> = {
    "Cerebral-White-Matter": "Left cerebral white matter",
    "Ventricle": "Left lateral ventricle",
    "Cerebellum-White-Matter": "Left cerebellar white matter",
    "Cerebellum": "Left cerebellar cortex",
    "Thalamus-Proper*": "Left thalamus",
    "Brain-Stem": "Brain stem",
    "CSF": "Cerebrospinal fluid",
    "Accumbens-area": "Left accumbens",
    "VentralDC": "Left ventral diencephalon",
  };
  for (const { name, label } of rows.slice(1, 15)) {
    assert.equal(region(label).name, others[name] ?? `Left ${name.toLowerCase()}`);
  }
  assert.equal(region(rows[15]!.label).group, "corpus callosum");
});
