import { AppError } from "@/model/errors.ts";
import { slabsOf } from "@/model/viewer/slab_plan.ts";
import {
  INDEX_BYTES,
  readSlabIndex,
  slabEnvelope,
} from "@/server/core/analyses/service/files/slab_gzip.ts";
import { encodeVolumeHead, readVolumeHead } from "@/server/core/analyses/service/files/npy.ts";
import type { ViewerFileSource } from "@/server/core/reading/service/corrected_file.ts";

/**
 * Bytes read to parse an NPY file's header; the headers of this server's volumes have 128 bytes.
 */
const START_BYTES = 1024;

type Piece = Uint8Array<ArrayBuffer>;
type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Consecutive slices along a volume's slowest axis, sent as an NPY file that has only these. */
export interface Slices {
  first: number;
  last: number;
  /** number of slices of the whole volume */
  of: number;
  sizeBytes: number;
  plain(): Promise<Bytes>;
  /**
   * the stored compressed bytes when the slices are exactly one slab, otherwise `null`:
   * such slices are sent uncompressed, because Deno would compress on the thread of the requests
   */
  packed: { sizeBytes: number; gzip(): Promise<Bytes> } | null;
}

/**
 * Opens the requested slices of a volume's file.
 *
 * @param slices First and last slice, as "16-31".
 * @returns `null` for a file that is not a volume, or that has no index of slabs.
 * @throws {AppError} `input.invalid` for slices that the volume does not have.
 */
export async function openSlices(file: ViewerFileSource, slices: string): Promise<Slices | null> {
  const layout = await layoutOf(file);
  if (layout === null) return null;
  const { volume, index } = layout;
  const { headBytes, shape } = volume, [nx, ny, nz] = shape, sliceBytes = nx * ny;
  if (headBytes + sliceBytes * nz !== file.sizeBytes) return null;
  const [first, last] = slices.split("-").map(Number) as [number, number];
  if (!(first <= last && last < nz)) {
    throw new AppError("input.invalid", `Cannot send slices ${slices}: the volume has ${nz}`, {
      field: "slices",
      slices: nz,
    });
  }
  const head = encodeVolumeHead([nx, ny, last - first + 1]);
  const sizeBytes = head.length + (last - first + 1) * sliceBytes;
  const plain = async () => {
    const voxels = await file.plain(
      headBytes + first * sliceBytes,
      headBytes + (last + 1) * sliceBytes,
    );
    return joined([head], voxels, []);
  };
  const slab =
    index[slabsOf(shape).findIndex((slab) => slab.first === first && slab.last === last)];
  const same = { first, last, of: nz, sizeBytes, plain };
  if (!slab) return { ...same, packed: null };
  const { before, after } = slabEnvelope(head, { crc: slab.crc, sizeBytes });
  return {
    ...same,
    packed: {
      sizeBytes: before.length + slab.end - slab.start + after.length,
      gzip: async () => joined([before], await file.gzip(slab.start, slab.end), [after]),
    },
  };
}

interface Layout {
  volume: NonNullable<ReturnType<typeof readVolumeHead>>;
  index: NonNullable<ReturnType<typeof readSlabIndex>>;
}

/** Layouts of the last 64 volumes by hash, because a viewer requests many slabs of each volume. */
const layouts = new Map<string, Layout>();
const KEPT = 64;

async function layoutOf(file: ViewerFileSource): Promise<Layout | null> {
  // the key contains the compressed size: a volume may be stored again, compressed in another way
  const key = `${file.hash} ${file.gzipBytes}`, known = layouts.get(key);
  if (known) return known;
  const volume = readVolumeHead(await startOf(file.plain, START_BYTES, file.sizeBytes));
  const index = readSlabIndex(await startOf(file.gzip, INDEX_BYTES, file.gzipBytes));
  if (volume === null || index === null) return null;
  layouts.set(key, { volume, index });
  for (const oldest of layouts.keys()) {
    if (layouts.size <= KEPT) break;
    layouts.delete(oldest);
  }
  return { volume, index };
}

/** Reads the first `count` bytes of a file. */
async function startOf(
  read: (start: number, end: number) => Promise<Bytes>,
  count: number,
  sizeBytes: number,
): Promise<Uint8Array> {
  return await new Response(await read(0, Math.min(count, sizeBytes))).bytes();
}

/** Concatenates bytes, a stream and more bytes; cancelling the result cancels the stream. */
function joined(before: Piece[], middle: Bytes, after: Piece[]): Bytes {
  const reader = middle.getReader();
  return new ReadableStream({
    async pull(controller) {
      const first = before.shift();
      if (first) return controller.enqueue(first);
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      for (const piece of after) controller.enqueue(piece);
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
