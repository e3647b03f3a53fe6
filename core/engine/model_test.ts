import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { REGIONS } from "@/model/regions.ts";
import { fetchModel } from "@/core/engine/fetch_model.ts";
import { checkTopology, checkWeights, findModel, MODEL, readModel } from "@/core/engine/model.ts";
import { topologyText } from "@/core/engine/model_fixture.ts";

const PUBLISHED = new URL("../../../shared/models/meshnet_50/", import.meta.url);
const hasPublished = existsSync(PUBLISHED);
const reason = hasPublished ? "" : " (skipped: ../shared/models is absent)";

async function inFolder(work: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await work(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** A server with these files at /m/; the answers are counted. */
async function withServer(
  files: Record<string, BodyInit>,
  work: (address: string, requests: string[]) => Promise<void>,
): Promise<void> {
  const requests: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    requests.push(`${request.method} ${request.body === null ? "empty" : "body"}`);
    const body = files[new URL(request.url).pathname.replace("/m/", "")];
    return body === undefined ? new Response("none", { status: 404 }) : new Response(body);
  });
  try {
    await work(`http://127.0.0.1:${server.addr.port}/m/`, requests);
  } finally {
    await server.shutdown();
  }
}

const synthetic = new Uint8Array(MODEL.weights.sizeBytes).map((_, i) => i * 7);
const syntheticFile = {
  ...MODEL.weights,
  sha256: createHash("sha256").update(synthetic).digest("hex"),
};

Deno.test("checkTopology() takes the network that the engine runs and says what differs in another", () => {
  checkTopology(topologyText());
  const spoiled = (change: Parameters<typeof topologyText>[0], why: RegExp) =>
    assert.throws(() => checkTopology(topologyText(change)), { code: "input.invalid", message: why });
  const layersOf = (json: { modelTopology: { model_config: { config: { layers: unknown[] } } } }) =>
    json.modelTopology.model_config.config.layers;
  spoiled((json) => layersOf(json).splice(2, 1), /layer 2 is Conv3D 30 3,3,3 2,2,2, not elu/);
  spoiled(
    (json) => layersOf(json).push({ class_name: "Softmax", config: { name: "s" } }),
    /21 layers, not 20/,
  );
  spoiled((json) => json.modelTopology.model_config.config.layers[2].config.activation = "relu", /is relu/);
  spoiled(
    (json) => json.modelTopology.model_config.config.layers[1].config.strides = [2, 2, 2],
    /another kind/,
  );
  spoiled((json) => json.weightsManifest[0].weights.reverse(), /another order/);
  spoiled((json) => json.weightsManifest[0].weights[0].dtype = "uint8", /float32/);
  spoiled((json) => json.weightsManifest[0].paths = ["../../x.bin"], /not in model\.bin/);
  assert.throws(() => checkTopology("<html>"), { message: /not JSON/ });
  assert.throws(() => checkTopology("{}"), { message: /not a TensorFlow\.js layers model/ });
});

Deno.test("checkWeights() refuses another size and another content", () => {
  checkWeights(synthetic, syntheticFile);
  assert.throws(() => checkWeights(synthetic.subarray(1), syntheticFile), { message: /788119 bytes/ });
  assert.throws(() => checkWeights(synthetic), { code: "input.invalid", message: /SHA-256/ });
});

Deno.test("readModel() answers null without a network and refuses one that is not the published one", () =>
  inFolder(async (dir) => {
    assert.equal(await readModel(dir), null);
    await Deno.writeTextFile(`${dir}/model.json`, topologyText());
    await assert.rejects(readModel(dir), { message: /model\.bin is missing/ });
    await Deno.writeFile(`${dir}/model.bin`, synthetic);
    await assert.rejects(readModel(dir), { message: /SHA-256/ });
  }));

Deno.test("fetchModel() puts both files in place with two GET requests and no body", () =>
  inFolder((dir) =>
    withServer({ "model.json": topologyText(), "model.bin": synthetic }, async (address, requests) => {
      const folder = await fetchModel(dir, address, syntheticFile);
      assert.equal(findModel(dir), folder);
      assert.deepEqual(await Deno.readFile(`${folder}/model.bin`), synthetic);
      assert.deepEqual([...Deno.readDirSync(folder)].map((e) => e.name).sort(), ["model.bin", "model.json"]);
      assert.deepEqual(requests, ["GET empty", "GET empty"]);
    })
  ));

Deno.test("fetchModel() changes nothing when a file is missing, too long or another one", () =>
  inFolder(async (dir) => {
    const folder = `${dir}/${MODEL.folder}`;
    await Deno.mkdir(folder);
    await Deno.writeTextFile(`${folder}/model.bin`, "before");
    const long = new Uint8Array(MODEL.weights.sizeBytes + 1);
    const cases: [Record<string, BodyInit>, string, RegExp][] = [
      [{}, "network.offline", /answers 404/],
      [{ "model.json": topologyText() }, "network.offline", /model\.bin: the server answers 404/],
      [{ "model.json": topologyText(), "model.bin": long }, "network.offline", /larger than 788120/],
      [{ "model.json": topologyText(), "model.bin": synthetic }, "input.invalid", /SHA-256/],
      [{ "model.json": "{}", "model.bin": synthetic }, "input.invalid", /model\.json/],
    ];
    for (const [files, code, message] of cases) {
      await withServer(files, (address) => assert.rejects(fetchModel(dir, address), { code, message }));
    }
    await assert.rejects(fetchModel(dir, "http://127.0.0.1:1/m/"), { code: "network.offline" });
    assert.deepEqual([...Deno.readDirSync(folder)].map((e) => e.name), ["model.bin"]);
    assert.equal(await Deno.readTextFile(`${folder}/model.bin`), "before");
  }));

Deno.test({
  name: `fetchModel() and readModel() take the published network${reason}`,
  ignore: !hasPublished,
  fn: () =>
    inFolder(async (dir) => {
      const files = Object.fromEntries(
        ["model.json", "model.bin"].map((name) => [name, Deno.readFileSync(new URL(name, PUBLISHED))]),
      );
      await withServer(files, async (address) => void await fetchModel(dir, address));
      assert.equal((await readModel(dir))?.length, MODEL.weights.sizeBytes);
    }),
});

Deno.test("CLASSES of the engine gives every class of the network the label of its name", async () => {
  const source = await Deno.readTextFile(
    new URL("../../wasm/analysis/src/second_opinion.rs", import.meta.url),
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
