// covers: D1-5.12
import assert from "node:assert/strict";
import { crc32, deflateSync } from "node:zlib";
import { encode } from "jpeg-js";
import { PNG } from "pngjs";
import { encodePng } from "@/report/pdf/png.ts";
import { decodeLogo } from "@/server/core/accounts/service/logo.ts";
import { reencodeLogo } from "@/server/core/accounts/service/logo_pixels.ts";

const solid = (width: number, height: number, rgb: readonly number[]) =>
  Uint8Array.from({ length: 3 * width * height }, (_, i) => rgb[i % 3]!);
const pixel = (png: Uint8Array, x: number, y: number) => {
  const { width, data } = PNG.sync.read(Buffer.from(png));
  return [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)];
};

Deno.test("reencodeLogo() keeps the pixels of a PNG and nothing else of the file", () => {
  const png = encodePng(solid(40, 20, [200, 30, 10]), 40, 20);
  // a text chunk after the header of 33 bytes
  const note = Buffer.from("tEXtComment\0<script>alert(1)</script>"), ends = Buffer.alloc(8);
  ends.writeUInt32BE(note.length - 4, 0);
  ends.writeUInt32BE(crc32(note), 4);
  const made = reencodeLogo(
    Buffer.concat([
      png.subarray(0, 33),
      ends.subarray(0, 4),
      note,
      ends.subarray(4),
      png.subarray(33),
    ]),
  );
  assert.ok(!Buffer.from(made).includes("script"));
  const { width, height } = PNG.sync.read(Buffer.from(made));
  assert.deepEqual([width, height, pixel(made, 39, 19)], [40, 20, [200, 30, 10]]);
});

Deno.test("reencodeLogo() takes JPEG by its content and shrinks what is larger than a report needs", () => {
  const data = Buffer.from(
    Uint8Array.from({ length: 4 * 1500 * 300 }, (_, i) => [20, 120, 220, 255][i % 4]!),
  );
  const made = reencodeLogo(encode({ width: 1500, height: 300, data }, 90).data);
  const { width, height } = PNG.sync.read(Buffer.from(made));
  assert.deepEqual([width, height], [600, 120]);
  pixel(made, 300, 60).forEach((value, n) =>
    assert.ok(Math.abs(value - [20, 120, 220][n]!) <= 4, `${value}`)
  );
});

// covers: D1-5.11, S-78
Deno.test("reencodeLogo() refuses other content, damaged files, large files, and small files of huge pictures", () => {
  const png = encodePng(solid(4, 4, [0, 0, 0]), 4, 4), bomb = new Uint8Array(png);
  new DataView(bomb.buffer).setUint32(16, 60_000);
  const refused: [string, Uint8Array][] = [
    ["logo.format", Buffer.from("GIF89a..............................")],
    ["logo.format", new Uint8Array()],
    ["logo.format", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")],
    ["logo.format", png.subarray(0, 30)],
    ["logo.format", png.subarray(0, png.length - 20)],
    ["logo.format", Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xd9])],
    ["logo.too_large", bomb],
    ["logo.too_large", new Uint8Array((1 << 20) + 1)],
  ];
  for (const [code, bytes] of refused) assert.throws(() => reencodeLogo(bytes), { code });
});

/** A PNG of 8 × 8 RGBA pixels with the given unpacked rows; `interlace` 1: in seven passes. */
function pngOf(rows: Uint8Array, interlace: 0 | 1): Uint8Array {
  const chunk = (type: string, content: Uint8Array) => {
    const named = Buffer.concat([Buffer.from(type), content]), ends = Buffer.alloc(8);
    ends.writeUInt32BE(content.length, 0);
    ends.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
  };
  const header = Uint8Array.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 6, 0, 0, interlace]);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", new Uint8Array()),
  ]);
}
// rows of the seven passes of 8 × 8 pixels: 1, 1, 1, 2, 2, 4 and 4, of 1, 1, 2, 2, 4, 4 and 8 pixels
const INTERLACED_BYTES = 15 + 4 * 64;

// covers: S-78
Deno.test("reencodeLogo() takes an interlaced PNG, and unpacks none beyond the size of its image", () => {
  assert.equal(pixel(reencodeLogo(pngOf(new Uint8Array(INTERLACED_BYTES), 1)), 7, 7)[0], 255);
  for (const interlace of [0, 1] as const) {
    const bomb = pngOf(new Uint8Array(200_000_000), interlace), start = performance.now();
    assert.throws(() => reencodeLogo(bomb), { code: "logo.format" });
    const spent = performance.now() - start;
    assert.ok(spent < 2000, `${spent} ms`);
  }
});

/** A small JPEG; `sides` are the widths and heights that its frame headers declare, in order. */
function jpegOf(...sides: [number, number][]): Uint8Array {
  const made = encode({ width: 8, height: 8, data: Buffer.alloc(256, 99) }, 90).data;
  const at = made.indexOf(Buffer.from([0xff, 0xc0])), length = 2 + made.readUInt16BE(at + 2);
  const frames = sides.map(([width, height]) => {
    const frame = Buffer.from(made.subarray(at, at + length));
    frame.writeUInt16BE(height, 5);
    frame.writeUInt16BE(width, 7);
    return frame;
  });
  return Buffer.concat([made.subarray(0, at), ...frames, made.subarray(at + length)]);
}

// covers: S-78
Deno.test("reencodeLogo() decodes no JPEG with too many pixels, in whichever frame", () => {
  assert.equal(pixel(reencodeLogo(jpegOf([8, 8])), 7, 7).length, 3);
  for (
    const [code, ...sides] of [
      ["logo.too_large", [4097, 8]],
      ["logo.format", [8, 8], [4200, 4200]],
      ["logo.format", [8, 8], [65_535, 65_535]],
    ] as const
  ) {
    const start = performance.now();
    assert.throws(
      () => reencodeLogo(jpegOf(...sides.map(([w, h]) => [w, h] as [number, number]))),
      {
        code,
      },
    );
    const spent = performance.now() - start;
    assert.ok(spent < 1000, `${spent} ms`);
  }
});

// covers: S-78
Deno.test("decodeLogo() decodes in a worker, gives its reasons, and ends one that hangs", async () => {
  const png = encodePng(solid(4, 4, [1, 2, 3]), 4, 4);
  assert.deepEqual(pixel(await decodeLogo(png), 3, 3), [1, 2, 3]);
  await assert.rejects(decodeLogo(jpegOf([4097, 4096])), { code: "logo.too_large" });
  await assert.rejects(decodeLogo(new Uint8Array((1 << 20) + 1)), { code: "logo.too_large" });
  await assert.rejects(decodeLogo(Buffer.from("GIF89a")), { code: "logo.format" });
  const script = new URL("data:text/javascript,self.onmessage=()=>{}");
  await assert.rejects(decodeLogo(png, { script, timeoutMs: 500 }), { code: "logo.format" });
});
