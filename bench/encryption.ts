/**
 * Cost of encrypting stored files: storing an upload's files, reading a volume and a viewer's file,
 * storing the results of an analysis. Encrypted and plain files alternate on the same disk.
 *
 * deno task bench encryption [--rounds N] [--json FILE]
 */
import { randomBytes } from "node:crypto";
import { chunksOf, DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { finish, optionOf, type Row, rowMaker } from "@/bench/record.ts";

const rounds = Number(optionOf("rounds") ?? 5);
/** Typical sizes: a T1w series of 0.9 mm, its volume, and the maps and surfaces of its analysis. */
const SLICES = 192, SLICE_BYTES = 131_072 * 4, VOLUME_BYTES = 24_000_000, FILE_BYTES = 16_777_344;
const RESULT_BYTES = [
  FILE_BYTES,
  FILE_BYTES,
  FILE_BYTES,
  2_000_000,
  2_000_000,
  500_000,
  500_000,
  500_000,
];
const KEY = new Uint8Array(32).fill(7);

/** Bytes that differ between any two calls, because a store keeps equal files only once. */
function newBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(size), noise = randomBytes(65_536);
  for (let to = 0; to < size; to += noise.length) {
    bytes.set(noise.subarray(0, Math.min(noise.length, size - to)), to);
  }
  return bytes;
}

async function keep(blobs: DiskBlobs, sizes: readonly number[]): Promise<string[]> {
  const staged = [];
  for (const size of sizes) {
    const { written, staging } = blobs.stage(chunksOf(newBytes(size)), Infinity);
    staged.push(staging);
    await written;
  }
  const all = await Promise.all(staged);
  (await blobs.keep(all)).release();
  return all.map(({ hash }) => hash);
}

const streamed = async (blobs: DiskBlobs, hash: string, start?: number, end?: number) => {
  for await (const _ of await blobs.stream(hash, start, end)) { /* as a server sends it */ }
};

type Measure = (blobs: DiskBlobs) => Promise<() => Promise<unknown>>;
const MEASURES: Record<string, Measure> = {
  [`${SLICES} files of 0.5 MB kept`]: (blobs) =>
    Promise.resolve(() => keep(blobs, Array(SLICES).fill(SLICE_BYTES))),
  "results of an analysis kept (55 MB)": (blobs) =>
    Promise.resolve(() => keep(blobs, RESULT_BYTES)),
  "volume read (24 MB)": async (blobs) => {
    const [hash] = await keep(blobs, [VOLUME_BYTES]);
    return () => blobs.read(hash!);
  },
  "viewer's file sent the first time (17 MB)": async (blobs) => {
    const [hash] = await keep(blobs, [FILE_BYTES]);
    return () => streamed(blobs, hash!);
  },
  "viewer's file sent again (17 MB)": async (blobs) => {
    const [hash] = await keep(blobs, [FILE_BYTES]);
    await streamed(blobs, hash!);
    return () => streamed(blobs, hash!);
  },
  "two planes of a file read (130 kB)": async (blobs) => {
    const [hash] = await keep(blobs, [FILE_BYTES]);
    await streamed(blobs, hash!);
    return () => streamed(blobs, hash!, 8_000_000, 8_131_072);
  },
};

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const folder = await Deno.makeTempDir({ prefix: "sulcus-encryption-" }), rows: Row[] = [];
try {
  const row = rowMaker("encryption", 1);
  for (const [name, prepare] of Object.entries(MEASURES)) {
    const times: Record<string, number[]> = { plain: [], encrypted: [] };
    for (let round = 0; round < rounds; round++) {
      for (const [kind, key] of [["plain", null], ["encrypted", KEY]] as const) {
        const run = await prepare(new DiskBlobs(`${folder}/${kind}`, { key })),
          started = performance.now();
        await run();
        times[kind]!.push(performance.now() - started);
      }
    }
    rows.push(row(name, median(times.encrypted!), "ms", { baseline: median(times.plain!) }));
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
finish(
  "deno task bench encryption",
  `median of ${rounds}; the baseline is the same in the clear`,
  rows,
);
