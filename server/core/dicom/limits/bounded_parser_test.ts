// covers: S-88
import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import { AppError } from "@/model/errors.ts";
import { parseFile, readHeader, readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import { MAX_DEPTH, MAX_ELEMENTS } from "@/server/core/dicom/limits/bounded_parser.ts";
import { headerOfFile } from "@/server/core/dicom/worker/file_header.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { withLongHeader } from "@/tests/sites/long_header.ts";

const EXPLICIT_LE = "1.2.840.10008.1.2.1",
  IMPLICIT_LE = "1.2.840.10008.1.2",
  EXPLICIT_BE = "1.2.840.10008.1.2.2";
const DEFLATED_LE = "1.2.840.10008.1.2.1.99", MB = 1 << 20, OPEN = 0xffffffff;
type Form = { isExplicit: boolean; isLittle: boolean };

const joined = (parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

/** Encodes an element with the length field that the VR requires. */
function element(
  tag: number,
  vr: string,
  value: Uint8Array,
  { isExplicit, isLittle }: Form,
  length = value.length,
) {
  const isLong = isExplicit && ["SQ", "UN", "OB"].includes(vr), isItem = tag >>> 16 === 0xfffe;
  const head = new Uint8Array(isLong ? 12 : 8), view = new DataView(head.buffer);
  view.setUint16(0, tag >>> 16, isLittle);
  view.setUint16(2, tag & 0xffff, isLittle);
  if (isItem || !isExplicit) view.setUint32(4, length, isLittle);
  else {
    head.set(new TextEncoder().encode(vr), 4);
    if (isLong) view.setUint32(8, length, isLittle);
    else view.setUint16(6, length, isLittle);
  }
  return joined([head, value]);
}

/** A Part 10 file with a data set. */
function part10(dataSet: Uint8Array, transferSyntax: string): Uint8Array<ArrayBuffer> {
  const form = { isExplicit: true, isLittle: true };
  const meta = element(
    0x00020010,
    "UI",
    new TextEncoder().encode(transferSyntax.padEnd(26, "\0").slice(0, 26)),
    form,
  );
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, meta.length, true);
  const start = joined([new Uint8Array(128), new TextEncoder().encode("DICM")]);
  return joined([start, element(0x00020000, "UL", length, form), meta, dataSet]);
}

const FORMS: readonly [string, Form][] = [
  [EXPLICIT_LE, { isExplicit: true, isLittle: true }],
  [IMPLICIT_LE, { isExplicit: false, isLittle: true }],
  [EXPLICIT_BE, { isExplicit: true, isLittle: false }],
];
const NONE = new Uint8Array(0);

/** Empty elements with different tags. */
function tinyElements(count: number, form: Form): Uint8Array {
  const bytes = new Uint8Array(8 * count), view = new DataView(bytes.buffer);
  for (let n = 0; n < count; n++) {
    view.setUint16(8 * n, 0x0011 + 2 * Math.floor(n / 0xe000), form.isLittle);
    view.setUint16(8 * n + 2, 0x1000 + n % 0xe000, form.isLittle);
    if (form.isExplicit) bytes.set([0x53, 0x48], 8 * n + 4);
  }
  return bytes;
}

/** Nested sequences, with defined or undefined lengths. */
function nested(depth: number, form: Form, isOpen: boolean): Uint8Array {
  let inner: Uint8Array = NONE;
  for (let level = 0; level < depth; level++) {
    const item = isOpen
      ? joined([element(0xfffee000, "", inner, form, OPEN), element(0xfffee00d, "", NONE, form)])
      : element(0xfffee000, "", inner, form);
    inner = isOpen
      ? joined([element(0x00081140, "SQ", item, form, OPEN), element(0xfffee0dd, "", NONE, form)])
      : element(0x00081140, "SQ", item, form);
  }
  return inner;
}

const reasonOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return `${error.code} ${error.details.reason ?? ""}`;
  }
  return "read";
};
const LIMITS = "upload.format_not_supported header_limits";

/** Reads a file with each function that takes complete files; all give the same result. */
function read(bytes: Uint8Array): string {
  const reasons = [() => parseFile(bytes, bytes.length), () => parseFile(bytes, bytes.length, true)]
    .map(
      reasonOf,
    );
  assert.equal(reasons[0], reasons[1]);
  return reasons[0]!;
}

Deno.test("a header may have 20,000 elements and items at all its levels, in each form", () => {
  for (const [syntax, form] of FORMS) {
    assert.equal(read(part10(tinyElements(MAX_ELEMENTS, form), syntax)), "read", syntax);
    assert.equal(read(part10(tinyElements(MAX_ELEMENTS + 1, form), syntax)), LIMITS, syntax);
    // the sequence and the item count as two elements
    for (
      const [count, answer] of [[MAX_ELEMENTS - 2, "read"], [MAX_ELEMENTS - 1, LIMITS]] as const
    ) {
      const item = element(0xfffee000, "", tinyElements(count, form), form);
      assert.equal(read(part10(element(0x00081140, "SQ", item, form), syntax)), answer, syntax);
    }
  }
  // a file without meta information, and elements within the meta information
  const [, form] = FORMS[0]!,
    uid = element(0x00080018, "UI", new TextEncoder().encode("1.2.3\0"), form);
  assert.equal(read(joined([uid, tinyElements(MAX_ELEMENTS - 1, form)])), "read");
  assert.equal(read(joined([uid, tinyElements(MAX_ELEMENTS, form)])), LIMITS);
  const meta = tinyElements(MAX_ELEMENTS + 1, form), view = new DataView(meta.buffer);
  for (let at = 0; at < meta.length; at += 8) view.setUint16(at, 2, true);
  assert.equal(read(joined([new Uint8Array(128), new TextEncoder().encode("DICM"), meta])), LIMITS);
});

Deno.test("a multi-frame object may have a hundred elements more for each frame that it declares", () => {
  for (const [syntax, form] of FORMS) {
    const frames = element(0x00080008, "IS", new TextEncoder().encode("400 "), form);
    new DataView(frames.buffer).setUint16(0, 0x0028, form.isLittle);
    new DataView(frames.buffer).setUint16(2, 0x0008, form.isLittle);
    const many = tinyElements(MAX_ELEMENTS + 39_999, form),
      more = tinyElements(MAX_ELEMENTS + 40_000, form);
    for (const bytes of [many, more]) {
      new DataView(bytes.buffer).setUint16(0, 0x0029, form.isLittle);
    }
    assert.equal(read(part10(joined([frames, many]), syntax)), "read", syntax);
    assert.equal(read(part10(joined([frames, more]), syntax)), LIMITS, syntax);
  }
});

Deno.test("sequences may be 32 levels deep, with and without lengths", () => {
  for (const [syntax, form] of FORMS) {
    for (const isOpen of [false, true]) {
      assert.equal(
        read(part10(nested(MAX_DEPTH, form, isOpen), syntax)),
        "read",
        `${syntax} ${isOpen}`,
      );
      for (const depth of [MAX_DEPTH + 1, 200]) {
        assert.equal(
          read(part10(nested(depth, form, isOpen), syntax)),
          LIMITS,
          `${syntax} ${depth} ${isOpen}`,
        );
      }
    }
    // deeper than the call stack of the parser allows
    const open = element(0x00081140, "SQ", element(0xfffee000, "", NONE, form, OPEN), form, OPEN);
    assert.equal(
      read(part10(joined(Array.from({ length: 9000 }, () => open)), syntax)),
      LIMITS,
      syntax,
    );
  }
});

Deno.test("compressed pixels may be in 100,000 pieces", () => {
  const form = { isExplicit: true, isLittle: true }, piece = element(0xfffee000, "", NONE, form);
  const fileOf = (count: number) => {
    const pieces = new Uint8Array(8 * count);
    for (let at = 0; at < pieces.length; at += 8) pieces.set(piece, at);
    const pixels = element(
      0x7fe00010,
      "OB",
      joined([pieces, element(0xfffee0dd, "", NONE, form)]),
      form,
      OPEN,
    );
    return part10(pixels, "1.2.840.10008.1.2.4.70");
  };
  for (const [count, reason] of [[100_001, "read"], [100_002, LIMITS]] as const) {
    const bytes = fileOf(count);
    assert.equal(reasonOf(() => parseFile(bytes, bytes.length, true)), reason);
  }
});

Deno.test("numbers, dates and character sets are not read from values of megabytes", () => {
  const form = { isExplicit: false, isLittle: true }, long = new Uint8Array(6 * MB).fill(0x5c);
  for (const tag of [0x00080005, 0x00080020, 0x00180050, 0x00200013, 0x00200032, 0x00281053]) {
    const bytes = part10(element(tag, "", long, form), IMPLICIT_LE), started = performance.now();
    readHeader(bytes, "");
    assert.ok(performance.now() - started < 1000, tag.toString(16));
  }
});

Deno.test("16 MB of tiny elements are refused at once, from a disk too, and by what they are", async () => {
  const [, form] = FORMS[0]!, tiny = tinyElements(2 * MB, form), path = await Deno.makeTempFile();
  const slice = phantomSeries("short", "LIMITS-1")[0]!.bytes;
  const files: [string, Uint8Array, string][] = [
    ["explicit", part10(tiny, EXPLICIT_LE), "header_limits"],
    ["deflated", part10(new Uint8Array(deflateRawSync(tiny)), DEFLATED_LE), "header_limits"],
    ["long", withLongHeader(slice, 8 * MB + 2), "header_limits"],
    ["cut", slice.subarray(0, slice.length - 8), "truncated"],
  ];
  try {
    for (const [name, bytes, reason] of files) {
      await Deno.writeFile(path, bytes);
      const started = performance.now();
      if (name !== "deflated") {
        await assert.rejects(
          readInstanceFile(path, name),
          (error: AppError) => error.details.reason === reason,
          name,
        );
      }
      if (name !== "cut") {
        await assert.rejects(
          headerOfFile(path),
          (error: AppError) => error.details.reason === reason,
          name,
        );
      }
      assert.ok(performance.now() - started < 2000, `${name} ${performance.now() - started}`);
    }
  } finally {
    await Deno.remove(path);
  }
});
