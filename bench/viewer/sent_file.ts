// Files in the format in which the core sends them: compressed, volumes in separately sent slabs.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Shape } from "@/model/geometry.ts";
import { SLICES_HEADER } from "@/model/schema/studies/viewer_files.ts";
import { encodeNpy } from "@/server/core/analyses/service/files/npy.ts";
import { gzipSlabs } from "@/server/core/analyses/service/files/slab_gzip.ts";
import { openSlices } from "@/server/core/analyses/service/files/slices.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface SentFile {
  plain: Bytes;
  zipped: Bytes;
  /** SHA-256 of the content, hexadecimal */
  hash: string;
}

const sha256 = (bytes: Bytes) => createHash("sha256").update(bytes).digest("hex");

export const sentFile = (plain: Bytes): SentFile => ({
  plain,
  zipped: new Uint8Array(gzipSync(plain)),
  hash: sha256(plain),
});

/** A volume in the format that an analysis stores. */
export async function sentVolume(shape: Shape, voxels: Uint8Array): Promise<SentFile> {
  const plain = encodeNpy(voxels, shape), pieces = await Array.fromAsync(gzipSlabs(plain));
  return { plain, zipped: new Uint8Array(Buffer.concat(pieces)), hash: sha256(plain) };
}

const streamOf = (bytes: Bytes) => Promise.resolve(new Response(bytes).body!);

/** Responds with the whole file, a byte range, or slices of a volume (`slices=16-31`). */
export async function send(request: Request, { plain, zipped, hash }: SentFile): Promise<Response> {
  const headers = new Headers({
    "content-type": "application/octet-stream",
    "cache-control": "no-store",
    "etag": `"${hash}"`,
  });
  const isGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  const slices = new URL(request.url).searchParams.get("slices");
  const part = slices === null ? null : await openSlices({
    hash,
    isCorrected: false,
    sizeBytes: plain.length,
    gzipBytes: zipped.length,
    plain: (start, end) => streamOf(plain.subarray(start, end)),
    gzip: (start, end) => streamOf(zipped.subarray(start, end)),
  }, slices);
  if (part !== null) {
    headers.set(SLICES_HEADER, `${part.first}-${part.last}/${part.of}`);
    headers.set("etag", `"${hash}.${part.first}-${part.last}"`);
    if (!isGzip || part.packed === null) return new Response(await part.plain(), { headers });
    headers.set("content-encoding", "gzip");
    return new Response(await part.packed.gzip(), { headers });
  }
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "");
  if (range) {
    const [start, end] = [Number(range[1]), Math.min(Number(range[2]) + 1, plain.length)];
    headers.set("content-range", `bytes ${start}-${end - 1}/${plain.length}`);
    return new Response(plain.subarray(start, end), { status: 206, headers });
  }
  if (!isGzip) return new Response(plain, { headers });
  headers.set("content-encoding", "gzip");
  return new Response(zipped, { headers });
}
