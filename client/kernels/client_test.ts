// covers: S-49
import assert from "node:assert/strict";
import {
  createVolumeLoader,
  type VolumeLoader,
  type VolumeRequest,
} from "@/client/kernels/client.ts";
import type { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import type { ViewerFile } from "@/model/schema/studies/viewer_files.ts";

const WASM = new URL("../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const SHAPE: Shape = [64, 64, 300], SLICE = 64 * 64, MIDDLE = 150 * SLICE;
const VOXELS = SLICE * 300;
const image = Uint8Array.from({ length: VOXELS }, (_, v) => (v * 31 + (v >> 9)) % 251);
const labels = new Uint8Array(VOXELS);
labels[3 + 64 * (5 + 64 * 7)] = 19;
labels[9 + 64 * (6 + 64 * 290)] = 21;

function npy(
  elements: Uint8Array,
  descr = "|u1",
  shape = "(300, 64, 64)",
): Uint8Array<ArrayBuffer> {
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }\n`;
  const head = [0x93, ...new TextEncoder().encode(`NUMPY\x01\x00`), text.length, 0];
  const out = new Uint8Array(head.length + text.length + elements.length);
  out.set([...head, ...new TextEncoder().encode(text)]);
  out.set(elements, head.length + text.length);
  return out;
}

const wide = new Uint16Array(VOXELS);
wide.set(labels);
const files: Record<string, Uint8Array<ArrayBuffer>> = {
  image: npy(image),
  labels: npy(labels),
  wide: npy(new Uint8Array(wide.buffer), "<u2"),
  other: npy(image, "|u1", "(64, 300, 64)"),
  short: npy(image.subarray(9)),
  page: new TextEncoder().encode("<!doctype html><html></html>"),
};

/** Sends a file in chunks of 32 kB; waits for `gate` after the first chunk. */
function slowly(bytes: Uint8Array<ArrayBuffer>, gate: Promise<void>, onCancel: () => void) {
  let at = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      if (at > 0) await gate;
      controller.enqueue(bytes.subarray(at, at += 1 << 15));
      if (at >= bytes.length) controller.close();
    },
    cancel: onCancel,
  });
}

/** Runs a test with a server for the files above, and a loader with a real worker. */
async function withLoader(
  test: (
    kit:
      & { loader: VolumeLoader; open: () => void; request: (name: string) => VolumeRequest }
      & Site,
  ) => Promise<void>,
): Promise<void> {
  const gate = Promise.withResolvers<void>();
  const site: Site = {
    ranges: [],
    cancelled: 0,
    sendsParts: true,
    abort: new AbortController(),
    workers: 0,
  };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname, searchParams } = new URL(request.url), name = searchParams.get("name") ?? "";
    if (pathname === "/kernels.wasm") return new Response(await Deno.readFile(WASM));
    const file = files[name];
    if (!file) return Response.json({ code: "study.deleted", details: { n: 1 } }, { status: 410 });
    const range = request.headers.get("range");
    if (range === null) return new Response(slowly(file, gate.promise, () => site.cancelled++));
    site.ranges.push(range);
    if (!site.sendsParts) return new Response(file);
    const [first, last] = range.slice(6).split("-").map(Number) as [number, number];
    const headers = { "content-range": `bytes ${first}-${last}/${file.length}` };
    return new Response(file.slice(first, last + 1), { status: 206, headers });
  });
  const base = `http://127.0.0.1:${server.addr.port}/viewer/1`;
  const loader = createVolumeLoader({
    startWorker: () => {
      site.workers++;
      return new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    },
    wasmUrl: "/kernels.wasm",
    base,
  });
  const field = (name: string): ViewerFile => name === "image" ? "t1w_file" : "t1w_mask_file";
  const request = (name: string): VolumeRequest => ({
    pid: 1,
    field: field(name),
    url: `/api/file?name=${name}`,
    shape: SHAPE,
    onSlab() {},
    signal: site.abort.signal,
  });
  try {
    await test(Object.assign(site, { loader, open: gate.resolve, request }));
  } finally {
    gate.resolve();
    loader.close();
    await server.shutdown();
  }
}

interface Site {
  ranges: string[];
  cancelled: number;
  sendsParts: boolean;
  abort: AbortController;
  workers: number;
}

const codeOf = (load: Promise<unknown>) =>
  load.then(() => "loaded", (error: AppError | DOMException) => {
    return error instanceof DOMException ? error.name : error.details.reason ?? error.code;
  });

Deno.test("load() brings the middle slice first, then slab by slab the whole, and tells of bytes", async () => {
  await withLoader(async ({ loader, open, request, ranges }) => {
    const volume = new Uint8Array(VOXELS),
      offsets: number[] = [],
      told: [number, number | null][] = [];
    const places = await loader.load({
      ...request("image"),
      onSlab(offset, voxels) {
        offsets.push(offset);
        assert.equal(voxels.length % SLICE, 0);
        volume.set(voxels, offset);
        if (offset === MIDDLE) open();
      },
      onProgress: (received, total) => void told.push([received, total]),
    });
    const total = files.image!.length, first = total - VOXELS + MIDDLE;
    assert.equal(places, null);
    assert.deepEqual(ranges, [`bytes=${first}-${first + SLICE - 1}`]);
    assert.equal(offsets[0], MIDDLE);
    assert.ok(offsets.length > 4, `${offsets}`);
    assert.deepEqual(offsets.slice(1), offsets.slice(1).toSorted((a, b) => a - b));
    assert.deepEqual(volume, image);
    assert.deepEqual(told.at(-1), [total, total]);
    assert.ok(
      told.length > 3 && told.every(([received], n) => n === 0 || received >= told[n - 1]![0]),
    );
  });
});

Deno.test("load() does without parts of files, reads other types, and says where the labels are", async () => {
  await withLoader(async (kit) => {
    kit.sendsParts = false;
    kit.open();
    for (const name of ["image", "labels", "wide"]) {
      const volume = new Uint8Array(VOXELS);
      const places = await kit.loader.load({
        ...kit.request(name),
        onSlab: (offset, voxels) => volume.set(voxels, offset),
      });
      assert.deepEqual(volume, name === "image" ? image : labels, name);
      if (name === "image") continue;
      assert.deepEqual([places!.centres[19], places!.centres[20]], [
        3 + 64 * (5 + 64 * 7),
        0xffffffff,
      ]);
      assert.deepEqual([...places!.bounds!], [3, 9, 5, 6, 7, 290]);
    }
    assert.equal(kit.workers, 3);
    assert.ok(await kit.loader.module() instanceof WebAssembly.Module);
  });
});

Deno.test("load() rejects with the server's code, and with what is wrong with a file", async () => {
  await withLoader(async ({ loader, open, request }) => {
    open();
    const names = ["none", "other", "short", "page"];
    const codes = await Promise.all(names.map((name) => codeOf(loader.load(request(name)))));
    assert.deepEqual(codes, ["study.deleted", "npy.shape", "npy.truncated", "npy.not_npy"]);
  });
});

Deno.test("an abort ends one load and lets the others go on", async () => {
  await withLoader(async ({ loader, open, request, abort }) => {
    const other = loader.load({ ...request("labels"), signal: new AbortController().signal });
    const ended = loader.load({ ...request("image"), onSlab: () => abort.abort() });
    assert.equal(await codeOf(ended), "AbortError");
    assert.equal(await codeOf(loader.load(request("image"))), "AbortError");
    open();
    assert.ok((await other)?.bounds);
  });
});

Deno.test("close() rejects what is under way; without a server loads and kernels are offline", async () => {
  await withLoader(async ({ loader, request }) => {
    await loader.module();
    const pending = codeOf(loader.load(request("labels")));
    loader.close();
    assert.equal(await pending, "AbortError");
  });
  const loader = createVolumeLoader({
    startWorker: () => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }),
    wasmUrl: "/kernels.wasm",
    base: "http://127.0.0.1:9/",
  });
  const request = { pid: 1, field: "t1w_file", url: "", shape: SHAPE, onSlab() {} } as const;
  const load = loader.load({ ...request, signal: new AbortController().signal });
  assert.equal(await codeOf(loader.module()), "network.offline");
  assert.equal(await codeOf(load), "network.offline");
  loader.close();
});
