// covers: S-227
// Slices of a volume, as requested by the viewer: the bytes equal those of the whole file.
import assert from "node:assert/strict";
import { gunzipSync, gzipSync } from "node:zlib";
import { getPatient } from "@/client/api/studies/patients.ts";
import type { Shape } from "@/model/geometry.ts";
import { SLICES_HEADER } from "@/model/schema/studies/viewer_files.ts";
import { slabsOf } from "@/model/viewer/slab_plan.ts";
import { encodeNpy, npyVoxels } from "@/server/core/analyses/service/files/npy.ts";
import {
  gzipSlabs,
  INDEX_BYTES,
  readSlabIndex,
} from "@/server/core/analyses/service/files/slab_gzip.ts";
import { openSlices } from "@/server/core/analyses/service/files/slices.ts";
import { coreTest, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { addReadStudy, READ_SHAPE } from "@/tests/sites/read_study.ts";

const [NX, NY, NZ] = READ_SHAPE, SLICE = NX * NY;

/** Requests a file without automatic decompression. */
const reader = ({ core, api }: TestCore) => (path: string, headers: Record<string, string> = {}) =>
  core.fetch(
    new Request(`http://core${path}`, {
      headers: { authorization: `Bearer ${api.token}`, ...headers },
    }),
  );

/** Shape [nx, ny, nz] in the header of an NPY file. */
function shapeOf(file: Uint8Array): Shape {
  const [, nz, ny, nx] = /'shape': \((\d+), (\d+), (\d+)\)/.exec(
    new TextDecoder("latin1").decode(file.subarray(0, 128)),
  )!;
  return [Number(nx), Number(ny), Number(nz)];
}

async function givesSlices(test: TestCore): Promise<void> {
  const get = reader(test), pid = await addReadStudy(test.dataDir);
  const { t1w_file, t1w_mask_file, t2w_file } = await getPatient(test.api, pid);
  for (const address of [t1w_file!, t1w_mask_file!, t2w_file!]) {
    const whole = npyVoxels(await (await get(address)).bytes());
    for (const [first, last] of [[0, 0], [NZ - 1, NZ - 1], [5, 20], [0, NZ - 1], [31, NZ - 1]]) {
      const path = `${address}&slices=${first}-${last}`, tags = new Map<string, string | null>();
      for (const coding of ["identity", "gzip"]) {
        const answer = await get(path, { "accept-encoding": coding, "range": "bytes=0-9" });
        assert.equal(answer.status, 200, path);
        assert.equal(answer.headers.get(SLICES_HEADER), `${first}-${last}/${NZ}`);
        assert.equal(answer.headers.get("cache-control"), "private, max-age=31536000, immutable");
        const bytes = await answer.bytes(), etag = answer.headers.get("etag")!;
        const isSlab = slabsOf(READ_SHAPE).some((slab) =>
          slab.first === first && slab.last === last
        );
        // only stored slabs are sent compressed, because nothing is compressed on request
        const isPacked = coding === "gzip" && isSlab;
        const file = isPacked ? new Uint8Array(gunzipSync(bytes)) : bytes;
        assert.equal(answer.headers.get("content-encoding"), isPacked ? "gzip" : null);
        assert.equal(answer.headers.get("content-length"), String(bytes.length));
        assert.deepEqual(shapeOf(file), [NX, NY, last! - first! + 1]);
        const expected = whole.subarray(SLICE * first!, SLICE * (last! + 1));
        assert.ok(Buffer.compare(npyVoxels(file), expected) === 0, `${path} ${coding}`);
        const again = await get(path, { "accept-encoding": coding, "if-none-match": etag });
        assert.deepEqual([again.status, again.headers.get(SLICES_HEADER)], [
          304,
          `${first}-${last}/${NZ}`,
        ]);
        const coded = answer.headers.get("content-encoding");
        // an entity tag belongs to one content and content encoding
        assert.ok(!tags.has(etag) || tags.get(etag) === coded, etag);
        tags.set(etag, coded);
        // the whole file, or other slices, never have the entity tag of these slices
        for (const other of [address, `${address}&slices=1-2`]) {
          const answer = await get(other, { "accept-encoding": coding, "if-none-match": etag });
          assert.equal(answer.status, 200, other);
          await answer.body?.cancel();
        }
      }
    }
  }
}

coreTest("slices of a volume are those of the whole file, with tags of their own", givesSlices);

Deno.test("an encrypted site gives the same slices", () =>
  withCore(givesSlices, { storageKey: new Uint8Array(32).fill(0xc3) }));

Deno.test("slabs of a compressed volume are read by every reader of gzip, each by itself", async () => {
  for (
    const shape of [[1, 1, 1], [3, 2, 5], [128, 128, 97], [64, 600, 40], [300, 300, 17]] as Shape[]
  ) {
    let state = 1;
    const voxels = Uint8Array.from(
      { length: shape[0] * shape[1] * shape[2] },
      (_, v) =>
        (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> (v % 3 === 0 ? 24 : 31),
    );
    const plain = encodeNpy(voxels, shape);
    const gzip = Uint8Array.from(Buffer.concat(await Array.fromAsync(gzipSlabs(plain))));
    assert.ok(Buffer.compare(gunzipSync(gzip), plain) === 0, `${shape}`);
    const browser = new Response(gzip).body!.pipeThrough(new DecompressionStream("gzip"));
    assert.ok(Buffer.compare(await new Response(browser).bytes(), plain) === 0, `${shape}`);
    assert.equal(readSlabIndex(gzip.subarray(0, INDEX_BYTES))!.at(-1)!.end, gzip.length - 10);
    // each slab restarts the compressor, which costs little
    assert.ok(gzip.length < 1.02 * gzipSync(plain).length + 200, `${gzip.length}`);
    const stream = (bytes: Uint8Array<ArrayBuffer>) => (start?: number, end?: number) =>
      Promise.resolve(new Response(bytes.subarray(start, end)).body!);
    const file = {
      hash: `${shape}`,
      isCorrected: false,
      sizeBytes: plain.length,
      gzipBytes: gzip.length,
      plain: stream(plain),
      gzip: stream(gzip),
    };
    for (const { first, last } of slabsOf(shape)) {
      const slices = (await openSlices(file, `${first}-${last}`))!;
      const packed = await new Response(await slices.packed!.gzip()).bytes();
      assert.equal(packed.length, slices.packed!.sizeBytes);
      const own = gunzipSync(packed), bytes = await new Response(await slices.plain()).bytes();
      assert.ok(Buffer.compare(own, bytes) === 0, `${shape}: ${first}-${last}`);
      const unpacked = new Response(packed).body!.pipeThrough(new DecompressionStream("gzip"));
      assert.ok(Buffer.compare(await new Response(unpacked).bytes(), bytes) === 0);
    }
    // a file stored by a version without slabs
    const old = Uint8Array.from(gzipSync(plain));
    const former = { ...file, hash: `former ${shape}`, gzip: stream(old), gzipBytes: old.length };
    assert.equal(await openSlices(former, "0-0"), null);
  }
});

Deno.test("slices that a volume does not have, and whoever may not see it, get no bytes", () =>
  withCore(async (test) => {
    const get = reader(test), pid = await addReadStudy(test.dataDir);
    const { t1w_file } = await getPatient(test.api, pid);
    const refused = [
      `${NZ}-${NZ}`,
      `0-${NZ}`,
      "5-3",
      "a",
      "1",
      "-1-3",
      "1-2-3",
      "99999-99999",
      "100000-100001",
      "1.5-2",
      "1-2 ",
      "0x1-0x2",
    ];
    for (const slices of refused) {
      for (const coding of ["identity", "gzip"]) {
        const path = `${t1w_file}&slices=${encodeURIComponent(slices)}`;
        const answer = await get(path, { "accept-encoding": coding });
        const problem = await answer.json();
        assert.deepEqual([answer.status, problem.code], [400, "input.invalid"], slices);
      }
    }
    const other = t1w_file!.replace(/v=\w{4}/, "v=0000");
    assert.equal((await get(`${other}&slices=0-1`)).status, 404);
    assert.equal((await get(`${t1w_file}&slices=0-1`, { authorization: "" })).status, 401);
    const elsewhere = t1w_file!.replace(`viewer/${pid}`, `viewer/${pid + 1}`);
    assert.equal((await get(`${elsewhere}&slices=0-1`)).status, 404);
  }));

Deno.test("a client that leaves in the middle of its slices stops nothing", () =>
  withCore(async (test) => {
    const get = reader(test), pid = await addReadStudy(test.dataDir);
    const { t1w_file } = await getPatient(test.api, pid);
    for (const coding of ["identity", "gzip"]) {
      for (let n = 0; n < 20; n++) {
        const answer = await get(`${t1w_file}&slices=0-${NZ - 1}`, { "accept-encoding": coding });
        const body = answer.body!.getReader();
        if (n % 2 === 0) await body.read();
        await body.cancel();
      }
      const path = `${t1w_file}&slices=3-4`;
      assert.ok((await (await get(path, { "accept-encoding": coding })).bytes()).length > 0);
    }
  }));
