import { AppError } from "@/model/errors.ts";
import { slabsOf } from "@/model/viewer/slab_plan.ts";
import {
  INDEX_BYTES,
  readSlabIndex,
  slabEnvelope,
} from "@/server/core/analyses/service/files/slab_gzip.ts";
import { encodeVolumeHead, readVolumeHead } from "@/server/core/analyses/service/files/npy.ts";
import type { ViewerFileSource } from "@/server/core/reading/service/corrected_file.ts";

/** Part of a file that holds its head: heads of our volumes have 128 bytes. */
const START_BYTES = 1024;

type Piece = Uint8Array<ArrayBuffer>;
type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Consecutive slices of a volume's slowest axis, as an NPY file of its own. */
export interface Slices {
  first: number;
  last: number;
  /** number of the volume's slices */
  of: number;
  sizeBytes: number;
  plain(): Promise<Bytes>;
  /**
   * One of the viewer's slabs as it is stored; `null` for other slices, because Deno would compress
   * them on the thread that answers requests
   */
  packed: { sizeBytes: number; gzip(): Promise<Bytes> } | null;
}

/**
 * Opens slices of a volume's file.
 *
 * @param slices First and last one, as "16-31".
 * @returns `null` for a file that is no volume, or was stored without the places of its slabs.
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

/** Layouts of the last volumes by their hash, because a viewer requests many slabs of each. */
const layouts = new Map<string, Layout>();
const KEPT = 64;

async function layoutOf(file: ViewerFileSource): Promise<Layout | null> {
  // a volume may be stored again, compressed in another way
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

/** First bytes of a file. */
async function startOf(
  read: (start: number, end: number) => Promise<Bytes>,
  count: number,
  sizeBytes: number,
): Promise<Uint8Array> {
  return await new Response(await read(0, Math.min(count, sizeBytes))).bytes();
}

/** Bytes, a stream and bytes; cancelling it cancels the stream. */
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
