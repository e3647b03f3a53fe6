// covers: S-72
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { ImageCache } from "@/server/edge/web/image_cache.ts";
import type { Log } from "@/server/edge/remote/core_link.ts";
import { SLICES_HEADER } from "@/model/schema/studies/viewer_files.ts";
import { until } from "@/tests/sites/until.ts";

const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const noise = () => new Uint8Array(randomBytes(100_000));

/** A core with images that change, and users who may see them. */
function imageCore() {
  const images = new Map<string, Uint8Array<ArrayBuffer>>(), users = new Set(["a", "b"]);
  const asked: string[] = [];
  const send = (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url),
      user = request.headers.get("authorization") ?? "";
    const bytes = images.get(pathname),
      isGzip = /gzip/.test(request.headers.get("accept-encoding") ?? "");
    const answer = () => {
      if (!users.has(user)) return new Response("no", { status: 403 });
      if (!bytes) return new Response("no", { status: 404 });
      const etag = `"${hashOf(bytes)}${isGzip ? "-gzip" : ""}"`;
      const headers = new Headers({
        etag,
        "cache-control": "private, max-age=31536000, immutable",
      });
      if (request.headers.get("if-none-match") === etag) {
        return new Response(null, { status: 304, headers });
      }
      const body = isGzip ? new Uint8Array(gzipSync(bytes)) : bytes;
      headers.set("content-length", String(body.length));
      headers.set("content-type", "application/octet-stream");
      if (isGzip) headers.set("content-encoding", "gzip");
      return new Response(body, { headers });
    };
    const given = answer();
    asked.push(`${given.status} ${user} ${pathname}${search}`);
    return Promise.resolve(given);
  };
  return { images, users, asked, send };
}

interface Opened {
  folder: string;
  core: ReturnType<typeof imageCore>;
  cache: ImageCache;
  /** another cache in the same folder, as after a restart */
  open(maxBytes: number, log?: Log): Promise<ImageCache>;
  get(
    pid: number,
    options?: { user?: string; encoding?: string; query?: string },
  ): Promise<Response>;
  /** names of the files that are kept */
  files(): string[];
}

async function withCache(maxBytes: number, test: (opened: Opened) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-images-" }), core = imageCore();
  const caches: ImageCache[] = [];
  const open: Opened["open"] = async (bytes, log) => {
    const opened = await ImageCache.open(folder, bytes, log);
    caches.push(opened);
    return opened;
  };
  const cache = await open(maxBytes);
  const get: Opened["get"] = async (
    pid,
    { user = "a", encoding, query = "file=t1w_file&v=1" } = {},
  ) => {
    const headers = new Headers({ authorization: user });
    if (encoding) headers.set("accept-encoding", encoding);
    const request = new Request(`http://core/api/v1/patients/image/viewer/${pid}?${query}`, {
      headers,
    });
    return await (cache.fetch(request, core.send) ?? core.send(request));
  };
  const files = () => [...Deno.readDirSync(folder)].map(({ name }) => name);
  for (const pid of [1, 2, 3, 4]) {
    core.images.set(`/api/v1/patients/image/viewer/${pid}`, noise());
  }
  try {
    await test({ folder, core, cache, open, get, files });
  } finally {
    for (const opened of caches) await opened.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** A file that was not there before, whole. */
const isImage = (name: string, known: string[]) => !name.endsWith(".part") && !known.includes(name);
const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer());

// covers: S-58
Deno.test("ImageCache gives an image from the disk after the core said that this user may see it", () =>
  withCache(1_000_000, async ({ core, get, files, cache }) => {
    const image = core.images.get("/api/v1/patients/image/viewer/1")!;
    assert.deepEqual(await bytesOf(await get(1)), new Uint8Array(image));
    await until(() => cache.size === 1);
    const again = await get(1, { user: "b" });
    assert.equal(again.headers.get("content-length"), "100000");
    assert.equal(again.headers.get("cache-control"), "private, max-age=31536000, immutable");
    assert.deepEqual(await bytesOf(again), new Uint8Array(image));
    const refused = await get(1, { user: "stranger" });
    assert.deepEqual([refused.status, await refused.text()], [403, "no"]);
    assert.deepEqual(core.asked.map((line) => line.slice(0, 5)), ["200 a", "304 b", "403 s"]);
    assert.equal(files().length, 1, "a stranger's refusal takes nothing from the others");
    // packed bytes are other bytes
    const packed = await get(1, { encoding: "gzip" });
    assert.equal(packed.headers.get("content-encoding"), "gzip");
    const sent = await bytesOf(packed);
    await until(() => cache.size === 2);
    const kept = await get(1, { encoding: "gzip" });
    assert.equal(kept.headers.get("content-encoding"), "gzip");
    assert.deepEqual(await bytesOf(kept), sent);
  }));

Deno.test("ImageCache keeps an image packed and unpacked, in whatever words either is asked for", () =>
  withCache(1_000_000, async ({ get, cache, core }) => {
    const image = new Uint8Array(core.images.get("/api/v1/patients/image/viewer/1")!);
    for (const encoding of ["gzip, deflate, br, zstd", "identity"]) {
      await bytesOf(await get(1, { encoding }));
    }
    await until(() => cache.size === 2);
    for (const encoding of ["br, gzip", "GZIP;q=0.5", "*", "x-anything, *;q=0, gzip"]) {
      const answer = await get(1, { encoding });
      assert.equal(answer.headers.get("content-encoding"), "gzip", encoding);
      await answer.body?.cancel();
    }
    for (const encoding of [undefined, "", "br", "gzip;q=0, *", "deflate, gzip; q=0.000"]) {
      assert.deepEqual(await bytesOf(await get(1, { encoding })), image, encoding);
    }
    assert.equal(cache.size, 2);
    assert.deepEqual(core.asked.map((line) => line.slice(0, 3)), [
      "200",
      "200",
      ...Array(9).fill("304"),
    ]);
  }));

// covers: S-58
Deno.test("ImageCache keeps what was used last, within its bound, also over a restart", () =>
  withCache(250_000, async ({ folder, core, open, get, files, cache }) => {
    const names: string[] = [];
    for (const pid of [1, 2, 1, 3]) {
      const isNew = pid !== 1 || names.length === 0;
      await bytesOf(await get(pid));
      if (!isNew) continue;
      // the third takes the place of the second, which was used before the first
      await until(() =>
        cache.size === Math.min(pid, 2) && files().some((name) => isImage(name, names))
      );
      names.push(files().find((name) => isImage(name, names))!);
    }
    await until(() => files().length === 2);
    assert.deepEqual(files().sort(), [names[0]!, names[2]!].sort());
    assert.ok(cache.sizeBytes <= 250_000);
    await Deno.writeTextFile(`${folder}/left.part`, "x");
    const next = await open(250_000);
    assert.equal(next.sizeBytes, cache.sizeBytes);
    assert.ok(!files().includes("left.part"));
    // when it was used is noted at the file
    for (const name of files()) await Deno.utime(`${folder}/${name}`, 1e9, 1e9);
    await bytesOf(await get(1));
    const smaller = await open(150_000);
    assert.ok(smaller.sizeBytes <= 150_000 && files().length === 1);
    core.asked.length = 0;
    const request = (pid: number) =>
      new Request(`http://core/api/v1/patients/image/viewer/${pid}?file=t1w_file&v=1`, {
        headers: { authorization: "a" },
      });
    for (const pid of [1, 2]) await bytesOf(await smaller.fetch(request(pid), core.send)!);
    assert.deepEqual(
      core.asked.map((line) => line.slice(0, 3)),
      ["304", "200"],
      "the latest used was kept",
    );
  }));

// covers: S-58
Deno.test("ImageCache never gives damaged bytes, those of another analysis, or those of a deleted study", () =>
  withCache(1_000_000, async ({ folder, core, get, files, cache }) => {
    const path = "/api/v1/patients/image/viewer/1", first = core.images.get(path)!;
    await bytesOf(await get(1));
    await until(() => cache.size === 1);
    // damaged before it is used, and after it was
    for (let i = 0; i < 2; i++) {
      const path = `${folder}/${files()[0]}`, before = (await Deno.stat(path)).mtime!;
      const file = await Deno.open(path, { write: true });
      await file.seek(-1, Deno.SeekMode.End);
      await file.write(new Uint8Array([first.at(-1)! ^ 1]));
      file.close();
      // the clock of the disk may stand still between two writes
      await Deno.utime(path, new Date(), new Date(before.getTime() + 10));
      assert.deepEqual(await bytesOf(await get(1)), new Uint8Array(first));
      await until(() => cache.size === 1);
      core.asked.length = 0;
      assert.deepEqual(await bytesOf(await get(1)), new Uint8Array(first));
      assert.ok(core.asked[0]!.startsWith("304"));
    }
    const second = noise();
    core.images.set(path, second);
    assert.deepEqual(await bytesOf(await get(1)), new Uint8Array(second));
    await until(() => cache.size === 1);
    core.images.delete(path);
    assert.equal((await get(1)).status, 404);
    assert.equal(files().length, 0);
  }));

Deno.test("ImageCache keeps no answer without a hash in its address, no part, and none that is not what it says", () =>
  withCache(1_000_000, async ({ core, open, get, files, cache: own }) => {
    await bytesOf(await get(1, { query: "file=t1w_file" }));
    const cache = await open(1_000_000);
    const address = "http://core/api/v1/patients/image/viewer/1?file=t1w_file&v=1";
    assert.equal(
      cache.fetch(new Request(address, { headers: { range: "bytes=0-1" } }), core.send),
      null,
    );
    assert.equal(cache.fetch(new Request("http://core/api/v1/patients/1?v=1"), core.send), null);
    const wrong = () =>
      Promise.resolve(
        new Response(new Uint8Array(10), {
          headers: { etag: `"${"0".repeat(64)}"`, "cache-control": "immutable" },
        }),
      );
    const noted: string[] = [];
    const watched = await open(1_000_000, (_level, message) => void noted.push(message));
    await bytesOf(await watched.fetch(new Request(address), wrong)!);
    await until(() => noted.length === 1);
    // given up half way: nothing is kept of it
    const reader = (await get(2)).body!.getReader();
    await reader.cancel();
    await bytesOf(await get(3));
    await until(() => own.size === 1);
    assert.equal(files().length, 1);
  }));

// covers: S-227
Deno.test("ImageCache keeps slices by their address, and no whole volume in their place", () =>
  withCache(10_000_000, async ({ core, get, cache }) => {
    const whole = core.images.get("/api/v1/patients/image/viewer/1")!;
    // a core that does not know slices sends all of them
    const query = "file=t1w_file&v=1", part = (slices: string) => `${query}&slices=${slices}`;
    for (let n = 0; n < 2; n++) {
      assert.deepEqual(await bytesOf(await get(1, { query: part("0-1") })), new Uint8Array(whole));
    }
    assert.equal(core.asked.filter((line) => line.startsWith("200")).length, 2);
    assert.equal(cache.size, 0);

    /** A core that sends the bytes 0-1, 2-3, … of the image as its slices. */
    const sent: string[] = [];
    const slicing = (request: Request) => {
      const slices = new URL(request.url).searchParams.get("slices");
      const [first, last] = slices?.split("-").map(Number) ?? [0, whole.length - 1];
      const etag = `"hash.${slices}"`,
        headers = new Headers({
          etag,
          "cache-control": "private, max-age=31536000, immutable",
          ...(slices && { [SLICES_HEADER]: `${slices}/${whole.length}` }),
        });
      const isKnown = request.headers.get("if-none-match") === etag;
      sent.push(`${isKnown ? 304 : 200} ${slices}`);
      return Promise.resolve(
        isKnown
          ? new Response(null, { status: 304, headers })
          : new Response(whole.slice(first, last! + 1), { headers }),
      );
    };
    const ask = async (query: string) => {
      const request = new Request(`http://core/api/v1/patients/image/viewer/1?${query}`);
      const answer = await cache.fetch(request, slicing)!;
      return [answer.headers.get(SLICES_HEADER), await bytesOf(answer)];
    };
    const of = `/${whole.length}`;
    for (let n = 0; n < 3; n++) {
      assert.deepEqual(await ask(part("0-1")), [`0-1${of}`, new Uint8Array(whole.slice(0, 2))]);
      assert.deepEqual(await ask(part("2-3")), [`2-3${of}`, new Uint8Array(whole.slice(2, 4))]);
      assert.deepEqual(await ask(query), [null, new Uint8Array(whole)]);
      await until(() => cache.size === 3);
    }
    assert.deepEqual(sent.toSorted().slice(0, 3), ["200 0-1", "200 2-3", "200 null"]);
    assert.ok(sent.slice(3).every((line) => line.startsWith("304")), `${sent}`);
  }));

Deno.test("ImageCache.close() waits until everything that passed is on the disk", () =>
  withCache(1_000_000, async ({ get, files, cache }) => {
    for (const pid of [1, 2, 3]) await bytesOf(await get(pid));
    await cache.close();
    assert.equal(cache.size, 3);
    assert.deepEqual([files().length, files().filter((name) => name.endsWith(".part"))], [3, []]);
  }));
