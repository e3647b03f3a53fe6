// covers: D1-7.18
import assert from "node:assert/strict";
import { boundaryOf, readMultipart } from "@/server/wire/multipart.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

interface ReadPart {
  name: string;
  fileName: string | null;
  text: string;
}

/** A body in chunks of the given size. */
const streamOf = (bytes: Uint8Array, size: number) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) {
        controller.enqueue(bytes.subarray(at, at + size));
      }
      controller.close();
    },
  });

async function readAll(bytes: Uint8Array, contentType: string, size = 7): Promise<ReadPart[]> {
  const parts: ReadPart[] = [];
  for await (const part of readMultipart(streamOf(bytes, size), contentType)) {
    const chunks = [];
    for await (const chunk of part.body) chunks.push(chunk);
    parts.push({
      name: part.name,
      fileName: part.fileName,
      text: Buffer.concat(chunks).toString("latin1"),
    });
  }
  return parts;
}

async function formBody(form: FormData): Promise<[Uint8Array, string]> {
  const request = new Request("http://x/", { method: "POST", body: form });
  return [new Uint8Array(await request.arrayBuffer()), request.headers.get("content-type")!];
}

Deno.test("readMultipart() reads what FormData writes, whatever the chunks", async () => {
  const form = new FormData();
  const binary = new Uint8Array(1000).map((_, i) => (i * 7) & 255);
  form.append("dicom_files", new Blob([binary]), '폴더/im "1".dcm');
  form.append("series_type", "t1");
  form.append("dicom_files", new Blob([]), "empty");
  form.append("dicom_files", new Blob(["\r\n--\r\n----"]), "dashes");
  const [bytes, type] = await formBody(form);
  for (const size of [1, 2, 3, 17, 64, 100_000]) {
    const parts = await readAll(bytes, type, size);
    assert.deepEqual(parts.map((p) => [p.name, p.fileName, p.text.length]), [
      ["dicom_files", '폴더/im "1".dcm', 1000],
      ["series_type", null, 2],
      ["dicom_files", "empty", 0],
      ["dicom_files", "dashes", 10],
    ], `chunks of ${size}`);
    assert.equal(parts[0]!.text, Buffer.from(binary).toString("latin1"));
  }
});

Deno.test("readMultipart() skips what the reader leaves of a part", async () => {
  const form = new FormData();
  form.append("a", new Blob(["x".repeat(500)]), "one");
  form.append("b", new Blob(["y"]), "two");
  const [bytes, type] = await formBody(form);
  const names = [];
  for await (const part of readMultipart(streamOf(bytes, 50), type)) {
    names.push(part.fileName);
    for await (const _ of part.body) break;
  }
  assert.deepEqual(names, ["one", "two"]);
});

Deno.test("readMultipart() refuses a body that ends early, at any byte", async () => {
  const form = new FormData();
  form.append("dicom_files", new Blob(["0123456789"]), "one");
  const [bytes, type] = await formBody(form);
  const whole = bytes.length - 4; // what follows the closing delimiter is of no account
  for (let length = 0; length < whole; length += 3) {
    await assert.rejects(
      readAll(bytes.subarray(0, length), type),
      { code: "input.invalid" },
      `${length} bytes`,
    );
  }
});

Deno.test("readMultipart() refuses a wrong boundary and endless headers", async () => {
  const form = new FormData();
  form.append("dicom_files", new Blob(["0123456789"]), "one");
  const [bytes] = await formBody(form);
  await assert.rejects(readAll(bytes, "multipart/form-data; boundary=other"), {
    code: "input.invalid",
  });
  const endless = Buffer.from("--b\r\n" + "x".repeat(100_000));
  await assert.rejects(readAll(endless, "multipart/form-data; boundary=b", 1000), {
    code: "input.invalid",
  });
});

Deno.test("boundaryOf() wants multipart/form-data with a boundary", () => {
  assert.equal(boundaryOf('multipart/form-data; boundary="a b"'), "a b");
  assert.equal(boundaryOf("Multipart/Form-Data; charset=utf-8; boundary=xyz"), "xyz");
  for (
    const type of [
      "",
      "text/plain; boundary=x",
      "multipart/form-data",
      "multipart/form-data; boundary=",
    ]
  ) {
    assert.throws(() => boundaryOf(type), { code: "input.invalid" }, type);
  }
});

/** A multipart/related body with the given contents of parts. */
const relatedBody = (contents: readonly Uint8Array[]) =>
  Buffer.concat([
    ...contents.flatMap((content) => [
      Buffer.from("--b\r\nContent-Type: application/dicom\r\n\r\n"),
      content,
      Buffer.from("\r\n"),
    ]),
    Buffer.from("--b--\r\n"),
  ]);
const RELATED = "multipart/related; boundary=b";

// covers: S-78
Deno.test("readMultipart() refuses more parts than the limit, and says what to do", async () => {
  const parts = (count: number) => relatedBody(Array(count).fill(new Uint8Array(3)));
  let count = 0;
  const read = async (bytes: Uint8Array) => {
    count = 0;
    for await (const _ of readMultipart(streamOf(bytes, 100), RELATED, 10)) count++;
  };
  await read(parts(10));
  assert.equal(count, 10);
  await assert.rejects(read(parts(11)), {
    code: "upload.too_many_parts",
    status: 413,
    details: { max_parts: 10, advice: "send fewer objects per request" },
  });
  assert.equal(count, 10, "the part beyond the limit is not given out");
});

Deno.test("readMultipart() takes time in proportion to the parts, whatever the chunks", async () => {
  for (const size of [500, 1 << 16, 1 << 30]) {
    const bodyOf = (count: number) => relatedBody(Array(count).fill(new Uint8Array(3)));
    const bodies = [1000, 10_000].map((count) => ({ count, bytes: bodyOf(count), best: Infinity }));
    // Other tests of a suite run beside this one and only lengthen a time: the shortest of several
    // readings, short and long in turn, is near that of a quiet machine.
    for (let n = 0; n < 8; n++) {
      for (const body of bodies) {
        const started = performance.now();
        assert.equal((await readAll(body.bytes, RELATED, size)).length, body.count);
        body.best = Math.min(body.best, performance.now() - started);
      }
    }
    const [few, many] = bodies.map(({ best }) => best / 1000);
    // ten times the parts; a reader that is quadratic in the parts takes a hundred times as long
    assert.ok(many! < 40 * few! + 0.1, `chunks of ${size}: ${few} s and ${many} s`);
  }
});

Deno.test("readMultipart() reads thousands of made-up parts as they were written", async () => {
  for (let seed = 1; seed <= 8; seed++) {
    const random = new Random(seed), upTo = (n: number) => Math.floor(random.uniform() * n);
    const pieces = ["", "\r\n", "--b", "\r\n--", "\r\n--a", "-", "\0", "x".repeat(200)];
    const contents = Array.from(
      { length: 1001 + upTo(2000) },
      () =>
        Buffer.from(Array.from({ length: upTo(4) }, () => pieces[upTo(pieces.length)]!).join("")),
    );
    // the delimiter itself ends a part
    const whole = contents.filter((content) => !content.includes("\r\n--b"));
    const bytes = relatedBody(whole), size = [1 + upTo(40), 1000, 1 << 16][upTo(3)]!;
    const parts = await readAll(bytes, RELATED, size);
    assert.deepEqual(parts.map(({ text }) => text), whole.map(String), `seed ${seed}`);
  }
});
