/**
 * Decodes compressed frames: JPEG by jpeg-js, lossless JPEG by JPEGLosslessDecoderJS,
 * JPEG-LS by CharLS, JPEG 2000 and HTJ2K by OpenJPEG (both WebAssembly), RLE by rle.ts.
 * Decoders are loaded on first use. They may crash on damaged bytes: use them only in a worker.
 */
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { decodeRle } from "@/server/core/dicom/stack/rle.ts";

export type StoredValues = Uint8Array | Uint16Array;
type FrameFormat = Pick<InstanceHeader, "columns" | "rows" | "bitsAllocated">;
type Decode = (bytes: Uint8Array, format: FrameFormat) => StoredValues;

/** Common interface of the decoders compiled to WebAssembly: CharLS and OpenJPEG. */
interface NativeDecoder {
  getEncodedBuffer(sizeBytes: number): Uint8Array;
  getDecodedBuffer(): Uint8Array;
  getFrameInfo(): { width: number; height: number; bitsPerSample: number; componentCount: number };
  decode(): void;
  delete(): void;
}
type Factory = (options: {
  wasmBinary: Uint8Array;
  print(): void;
  printErr(): void;
}) => Promise<Record<string, new () => NativeDecoder>>;

/** Markers of a frame header in JPEG, and of the image size in JPEG 2000. */
const START_OF_FRAME = new Set([
  ...[0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf],
  0xf7,
]);
const IMAGE_SIZE = 0x51;

/**
 * Columns and rows in the header of a compressed image, before decoding; `null` without header.
 */
function sizeOf(bytes: Uint8Array): [number, number] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 18 <= bytes.length;) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) at++;
    else if (START_OF_FRAME.has(marker)) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    else if (marker === IMAGE_SIZE) {
      return [view.getUint32(at + 6) - view.getUint32(at + 14), view.getUint32(at + 10)];
    } else at += 2 + view.getUint16(at + 2);
  }
  return null;
}

/** @throws {Error} if the image's size is not the header's, as a small file may claim gigabytes. */
function checkSize(bytes: Uint8Array, { columns, rows }: FrameFormat): void {
  const size = sizeOf(bytes);
  if (size?.[0] !== columns || size[1] !== rows) {
    throw new Error(
      `compressed image is ${size?.join(" × ") ?? "damaged"}, not ${columns} × ${rows}`,
    );
  }
}

/** @param program Location of the WebAssembly file. */
async function nativeDecoder(
  module: Promise<{ default: unknown }>,
  program: string,
  name: string,
): Promise<Decode> {
  const { default: factory } = await module as { default: Factory }, ignore = () => {};
  const wasmBinary = await Deno.readFile(new URL(program));
  const Decoder = (await factory({ wasmBinary, print: ignore, printErr: ignore }))[name]!;
  return (bytes, { columns, rows }) => {
    const decoder = new Decoder();
    try {
      decoder.getEncodedBuffer(bytes.length).set(bytes);
      decoder.decode();
      const { width, height, bitsPerSample, componentCount } = decoder.getFrameInfo();
      if (width !== columns || height !== rows || componentCount !== 1 || bitsPerSample > 16) {
        throw new Error(
          `decoded image is ${width} × ${height} × ${componentCount}, ${bitsPerSample} bits`,
        );
      }
      const decoded = decoder.getDecodedBuffer().slice();
      return bitsPerSample > 8 ? new Uint16Array(decoded.buffer, 0, columns * rows) : decoded;
    } finally {
      decoder.delete();
    }
  };
}

interface LosslessJpeg {
  Decoder: new () => {
    decode(buffer: ArrayBuffer, offset: number, sizeBytes: number): Uint8Array | Uint16Array;
  };
}

async function losslessDecoder(): Promise<Decode> {
  // default export, because the release is a CommonJS module
  const { default: { Decoder } } = await import("jpeg-lossless-decoder-js") as unknown as {
    default: LosslessJpeg;
  };
  return (bytes) => {
    // copied, because the decoder requires a buffer that starts at offset 0
    const { buffer } = bytes.slice();
    return new Decoder().decode(buffer, 0, bytes.length);
  };
}

async function lossyDecoder(): Promise<Decode> {
  const { default: jpeg } = await import("jpeg-js");
  return (bytes, { columns, rows }) => {
    const { data } = jpeg.decode(bytes, {
      useTArray: true,
      formatAsRGBA: false,
      tolerantDecoding: false,
    });
    return Uint8Array.from({ length: columns * rows }, (_, at) => data[3 * at]!);
  };
}

const jpegLs = () =>
  nativeDecoder(
    import("@cornerstonejs/codec-charls/decodewasmjs"),
    import.meta.resolve("@cornerstonejs/codec-charls/decodewasm"),
    "JpegLSDecoder",
  );
const jpeg2000 = () =>
  nativeDecoder(
    import("@cornerstonejs/codec-openjpeg/decodewasmjs"),
    import.meta.resolve("@cornerstonejs/codec-openjpeg/decodewasm"),
    "J2KDecoder",
  );

const LOADERS: Readonly<Record<string, () => Promise<Decode>>> = {
  "1.2.840.10008.1.2.4.50": lossyDecoder,
  "1.2.840.10008.1.2.4.57": losslessDecoder,
  "1.2.840.10008.1.2.4.70": losslessDecoder,
  "1.2.840.10008.1.2.4.80": jpegLs,
  "1.2.840.10008.1.2.4.81": jpegLs,
  "1.2.840.10008.1.2.4.90": jpeg2000,
  "1.2.840.10008.1.2.4.91": jpeg2000,
  "1.2.840.10008.1.2.4.201": jpeg2000,
  "1.2.840.10008.1.2.4.202": jpeg2000,
  "1.2.840.10008.1.2.4.203": jpeg2000,
};
const RLE = "1.2.840.10008.1.2.5";
const decoders = new Map<string, Promise<Decode>>();

/**
 * Stored values of a compressed frame, row by row; bits above Bits Stored are not masked.
 * @throws {Error} for damaged bytes, an unexpected size or an unknown transfer syntax.
 */
export async function decodeFrame(
  transferSyntax: string,
  bytes: Uint8Array,
  format: FrameFormat,
): Promise<StoredValues> {
  const count = format.columns * format.rows;
  if (transferSyntax === RLE) return decodeRle(bytes, count, format.bitsAllocated === 8 ? 1 : 2);
  const load = LOADERS[transferSyntax];
  if (!load) throw new Error(`no decoder for ${transferSyntax}`);
  checkSize(bytes, format);
  let decoder = decoders.get(transferSyntax);
  if (!decoder) decoders.set(transferSyntax, decoder = load());
  const values = (await decoder)(bytes, format);
  if (values.length !== count) throw new Error(`${values.length} values decoded, not ${count}`);
  return values;
}
