/**
 * Compresses DICOM files as High-Throughput JPEG 2000 by OpenJPH, for tests. The product decodes by
 * OpenJPEG: encoder and decoder share no code.
 */
import openJph from "@cornerstonejs/codec-openjph/wasmjs";
import dicomParser from "dicom-parser";

interface Encoder {
  getDecodedBuffer(image: Record<string, number | boolean>): Uint8Array;
  setQuality(isReversible: boolean, quantizationStep: number): void;
  setProgressionOrder(order: number): void;
  encode(): void;
  getEncodedBuffer(): Uint8Array;
  delete(): void;
}
type Factory = (
  options: { wasmBinary: Uint8Array },
) => Promise<{ HTJ2KEncoder: new () => Encoder }>;

/** Transfer syntax UID, quantisation step of lossy images, and number of the progression order. */
export interface Htj2k {
  uid: string;
  step: number;
  order: number;
}
export const HTJ2K: Readonly<Record<"lossless" | "rpcl" | "lossy", Htj2k>> = {
  lossless: { uid: "1.2.840.10008.1.2.4.201", step: 0, order: 0 },
  rpcl: { uid: "1.2.840.10008.1.2.4.202", step: 0, order: 2 },
  lossy: { uid: "1.2.840.10008.1.2.4.203", step: 0.00001, order: 2 },
};

const program = import.meta.resolve("@cornerstonejs/codec-openjph/wasm");
let loading: ReturnType<Factory> | undefined;

/** Code stream of one frame of grey pixels. */
async function encoded(
  pixels: Uint8Array,
  image: { width: number; height: number; bitsPerSample: number; isSigned: boolean },
  { step, order }: Htj2k,
): Promise<Uint8Array> {
  loading ??= (openJph as unknown as Factory)({ wasmBinary: Deno.readFileSync(new URL(program)) });
  const encoder = new (await loading).HTJ2KEncoder();
  try {
    encoder.getDecodedBuffer({ ...image, componentCount: 1, isUsingColorTransform: false })
      .set(pixels);
    encoder.setQuality(step === 0, step);
    encoder.setProgressionOrder(order);
    encoder.encode();
    return encoder.getEncodedBuffer().slice();
  } finally {
    encoder.delete();
  }
}

/** An item or delimiter of encapsulated pixel data (PS3.5 A.4). */
function item(element: number, bytes: Uint8Array = new Uint8Array()): Uint8Array {
  const out = new Uint8Array(8 + bytes.length + bytes.length % 2), view = new DataView(out.buffer);
  view.setUint16(0, 0xfffe, true);
  view.setUint16(2, element, true);
  view.setUint32(4, out.length - 8, true);
  out.set(bytes, 8);
  return out;
}

/**
 * A file with its frames compressed, each in one fragment, and a table without offsets.
 * @param bytes File in Explicit VR Little Endian; its pixels are its last element.
 * @param edit Changes a code stream after encoding.
 */
export async function asHtj2k(
  bytes: Uint8Array,
  syntax: Htj2k,
  edit = (stream: Uint8Array) => stream,
): Promise<Uint8Array<ArrayBuffer>> {
  const dataSet = dicomParser.parseDicom(bytes), pixels = dataSet.elements.x7fe00010!;
  const [height, width, bitsPerSample] = ["x00280010", "x00280011", "x00280101"]
    .map((tag) => dataSet.uint16(tag)!) as [number, number, number];
  const isSigned = dataSet.uint16("x00280103") === 1;
  const sizeBytes = height * width * dataSet.uint16("x00280100")! / 8;
  const frames = [];
  for (let at = 0; at + sizeBytes <= pixels.length; at += sizeBytes) {
    const start = pixels.dataOffset + at, frame = bytes.subarray(start, start + sizeBytes);
    const stream = await encoded(frame, { height, width, bitsPerSample, isSigned }, syntax);
    frames.push(item(0xe000, edit(stream)));
  }
  const { dataOffset, length } = dataSet.elements.x00020010!;
  const uid = new TextEncoder().encode(syntax.uid + "\0".repeat(syntax.uid.length % 2));
  const meta = Uint8Array.from([...bytes.subarray(0, dataOffset - 2), uid.length, 0, ...uid]);
  const view = new DataView(meta.buffer);
  view.setUint32(140, view.getUint32(140, true) + uid.length - length, true);
  // header of the pixels: tag, "OB", two unused bytes, undefined length
  const head = Uint8Array.of(0xe0, 0x7f, 0x10, 0, 0x4f, 0x42, 0, 0, 0xff, 0xff, 0xff, 0xff);
  return new Uint8Array(Buffer.concat([
    meta,
    bytes.subarray(dataOffset + length, pixels.dataOffset - 12),
    head,
    item(0xe000),
    ...frames,
    item(0xe0dd),
  ]));
}
