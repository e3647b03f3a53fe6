import { createHash, randomUUID } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { SLICES_HEADER } from "@/model/schema/studies/viewer_files.ts";
import { CachedFile, compressFile, type OpenFile } from "@/server/edge/web/cached_file.ts";
import type { Log } from "@/server/edge/remote/core_link.ts";

/** Addresses that never change their content: images and surfaces of a study with `v=HASH`. */
const CACHED_PATHS =
  /^\/api\/v1\/(patients\/image\/viewer\/\d+|secure\/(verts|faces|normals|values)\.npy)$/;
/** Headers cached with the content; other headers come from the core's 304 response. */
const KEPT_HEADERS = [
  "content-type",
  "content-encoding",
  "content-length",
  "etag",
  "cache-control",
  "vary",
  "accept-ranges",
  SLICES_HEADER,
];
/** Maximum size of a cached image, because the image is in memory until it is written. */
const MAX_IMAGE_BYTES = 64 << 20;
/** Maximum number of cached files: parts of a few slices are small. */
const MAX_FILES = 100_000;
const INCOMING = ".part";

interface Entry {
  /** size of the cached file, including the stored headers, bytes */
  sizeBytes: number;
  path: string;
  kept: CachedFile;
}
/** Name under which a response is stored in the cache. */
interface Place {
  key: string;
  /** whether the request was for some slices of the volume only */
  isPart: boolean;
}
type Send = (request: Request) => Promise<Response>;

function sha256(...parts: (Uint8Array | string)[]): string {
  const digest = createHash("sha256");
  for (const part of parts) digest.update(part);
  return digest.digest("hex");
}

/** Whether the content matches the hash in a Sulcus core's entity tag; true for other tags. */
function fitsTag(headers: Headers, parts: readonly Uint8Array[]): boolean {
  const tag = /^"([0-9a-f]{64})(-gzip)?"$/.exec(headers.get("etag") ?? "");
  if (!tag) return true;
  try {
    return (tag[2] ? sha256(gunzipSync(Buffer.concat(parts))) : sha256(...parts)) === tag[1];
  } catch {
    return false;
  }
}

/**
 * Cache of the core's image files on this machine's disk, limited in size, least recently used
 * evicted first. The core is asked each time whether this user may have the file, and only "not
 * modified" serves the cached content: no file is served that the core would refuse, and none while
 * the core is unreachable. A damaged file is deleted and requested again. {@link CachedFile}
 * defines how long a verification is valid.
 */
export class ImageCache {
  /** files by key, least recently used first */
  readonly #entries = new Map<string, Entry>();
  readonly #maxImageBytes: number;
  /** writes of files that are in progress */
  readonly #writing = new Set<Promise<void>>();
  #sizeBytes = 0;

  private constructor(
    private readonly folder: string,
    private readonly maxBytes: number,
    private readonly log: Log,
  ) {
    this.#maxImageBytes = Math.min(MAX_IMAGE_BYTES, maxBytes);
  }

  /** @param folder Created if necessary; files that do not belong to the cache are deleted. */
  static async open(folder: string, maxBytes: number, log: Log = () => {}): Promise<ImageCache> {
    const cache = new ImageCache(folder, maxBytes, log);
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    const cachedFiles: { key: string; entry: Entry; usedAt: number }[] = [];
    for await (const { name } of Deno.readDir(folder)) {
      const [, key, hash] = /^([0-9a-f]{64})\.([0-9a-f]{64})$/.exec(name) ?? [];
      if (!key || !hash) {
        await Deno.remove(`${folder}/${name}`).catch(() => {});
        continue;
      }
      const { size, atime } = await Deno.stat(`${folder}/${name}`);
      cachedFiles.push({
        key,
        entry: cache.#entryOf(key, hash, size),
        usedAt: atime?.getTime() ?? 0,
      });
    }
    cachedFiles.sort((a, b) => a.usedAt - b.usedAt);
    for (const { key, entry } of cachedFiles) await cache.#add(key, entry);
    return cache;
  }

  /** Waits for running writes; afterwards the folder does not change. */
  async close(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  /** Number of cached images. */
  get size(): number {
    return this.#entries.size;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Serves a call from disk or by `send`; `null` for a path that is not cacheable. */
  fetch(request: Request, send: Send): Promise<Response> | null {
    const { pathname, search, searchParams } = new URL(request.url), { method, headers } = request;
    const isKept = method === "GET" && CACHED_PATHS.test(pathname) && searchParams.has("v") &&
      !["range", "if-none-match", "if-modified-since", "if-match"].some((name) =>
        headers.has(name)
      );
    if (!isKept) return null;
    // two variants of each image are cached, gzipped or not
    const coding = acceptsGzip(headers) ? "gzip" : "identity", asking = new Headers(headers);
    asking.set("accept-encoding", coding);
    // the key never contains the token: the core checks permission each time
    const key = sha256(`${pathname}${search}\n${coding}`);
    const sendAs = (headers: Headers) => send(new Request(request, { headers }));
    return this.#fetch({ key, isPart: searchParams.has("slices") }, asking, sendAs);
  }

  async #fetch(
    { key, isPart }: Place,
    asking: Headers,
    send: (headers: Headers) => Promise<Response>,
  ): Promise<Response> {
    const cached = await this.#open(key);
    if (cached === null) return this.#keep({ key, isPart }, await send(asking));
    let isSent = false;
    try {
      asking.set("if-none-match", cached.headers.get("etag")!);
      const answer = await send(asking);
      if (answer.status !== 304) {
        // deletes the entry: a file that was replaced by a new analysis is not requested any more
        if (answer.status === 404 || answer.status === 410 || answer.ok) await this.#remove(key);
        return this.#keep({ key, isPart }, answer);
      }
      await answer.body?.cancel();
      const headers = new Headers(answer.headers);
      for (const [name, value] of cached.headers) headers.set(name, value);
      headers.set("content-length", String(cached.sizeBytes));
      isSent = true;
      // the plain file is streamed by Deno's server outside JavaScript
      return new Response(cached.file.readable, { headers });
    } finally {
      if (!isSent) cached.file.close();
    }
  }

  /** Verified file of a key; a damaged one is deleted. */
  async #open(key: string): Promise<OpenFile | null> {
    const entry = this.#entries.get(key);
    if (!entry) return null;
    // moves the entry to the end, as most recently used
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    try {
      return await entry.kept.open();
    } catch (error) {
      this.log("warn", "Forgetting a kept image", { error: String(error) });
      await this.#remove(key);
      return null;
    }
  }

  /** Passes a response on and, if cacheable, writes it to disk at the same time. */
  #keep({ key, isPart }: Place, answer: Response): Response {
    const { headers, status, body } = answer, length = Number(headers.get("content-length") ?? 0);
    const coding = headers.get("content-encoding") ?? "identity";
    const may = status === 200 && /^(gzip|identity)$/.test(coding) && body !== null &&
      /\bimmutable\b/.test(headers.get("cache-control") ?? "") &&
      /^"[^"]+"$/.test(headers.get("etag") ?? "") && length <= this.#maxImageBytes &&
      // not cached: an older core responds with the whole volume, which has another address
      isPart === headers.has(SLICES_HEADER);
    if (!may) return answer;
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    const noting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (part, controller) => {
        size += part.length;
        if (size <= this.#maxImageBytes) parts.push(part);
        controller.enqueue(part);
      },
      flush: () => {
        const isWhole = size <= this.#maxImageBytes && (length === 0 || length === size);
        if (!isWhole) return;
        // not awaited: the client does not wait for the disk
        const writing = this.#write(key, headers, parts).finally(() =>
          this.#writing.delete(writing)
        );
        this.#writing.add(writing);
      },
    });
    return new Response(body.pipeThrough(noting), { status, headers });
  }

  /**
   * Writes a temporary file and renames it, so that named files are complete.
   * A full disk loses only this file.
   */
  async #write(key: string, headers: Headers, parts: readonly Uint8Array[]): Promise<void> {
    const incoming = `${this.folder}/${randomUUID()}${INCOMING}`;
    try {
      if (!fitsTag(headers, parts)) {
        throw new Error("the bytes have another hash than they were sent with");
      }
      const keptHeaders = KEPT_HEADERS.flatMap((name) =>
        headers.has(name) ? [[name, headers.get(name)!]] : []
      );
      const bytes = compressFile(Object.fromEntries(keptHeaders), parts),
        entry = this.#entryOf(key, sha256(bytes), bytes.length);
      await Deno.writeFile(incoming, bytes, { mode: 0o600 });
      await Deno.rename(incoming, entry.path);
      await this.#add(key, entry);
    } catch (error) {
      this.log("warn", "Cannot keep an image", { error: String(error) });
      await Deno.remove(incoming).catch(() => {});
    }
  }

  async #add(key: string, entry: Entry): Promise<void> {
    const previousEntry = this.#entries.get(key);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#sizeBytes += entry.sizeBytes - (previousEntry?.sizeBytes ?? 0);
    // files of equal content have the same name
    if (previousEntry && previousEntry.path !== entry.path) {
      await Deno.remove(previousEntry.path).catch(() => {});
    }
    while (this.#sizeBytes > this.maxBytes || this.#entries.size > MAX_FILES) {
      const [oldest] = this.#entries.keys();
      if (oldest === undefined) break;
      await this.#remove(oldest);
    }
  }

  async #remove(key: string): Promise<void> {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#sizeBytes -= entry.sizeBytes;
    await Deno.remove(entry.path).catch(() => {});
  }

  /** @param hash SHA-256 of the file, hex; part of its name. */
  #entryOf(key: string, hash: string, sizeBytes: number): Entry {
    const path = `${this.folder}/${key}.${hash}`;
    return { sizeBytes, path, kept: new CachedFile(path, hash) };
  }
}

/** Whether a client accepts gzip (RFC 9110 §12.5.3): by name, or by "*". */
function acceptsGzip(headers: Headers): boolean {
  const taken = new Map(
    (headers.get("accept-encoding") ?? "").split(",").map((part) => {
      const [coding, ...parameters] = part.toLowerCase().split(";").map((one) => one.trim());
      return [coding, !parameters.some((one) => /^q=0(\.0*)?$/.test(one))];
    }),
  );
  return taken.get("gzip") ?? taken.get("*") ?? false;
}
