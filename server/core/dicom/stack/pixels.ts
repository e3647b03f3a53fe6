import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { isNativeSyntax } from "@/server/core/dicom/read/instance.ts";
import { conflictError } from "@/server/core/dicom/read/verdict.ts";
import { methodConflict } from "@/server/core/dicom/limits/transfer_syntax.ts";
import { parseStored } from "@/server/core/dicom/read/stored_file.ts";
import { decodeFrame, type StoredValues } from "@/server/core/dicom/stack/codecs.ts";
import { compressedFrame } from "@/server/core/dicom/stack/fragments.ts";

/** Reads the frames of a file one by one, with a single frame in memory. */
export interface FrameReader {
  /** Stored values, row by row, including unused bits. @param number Frame number from 0. */
  read(number: number): Promise<StoredValues>;
  close(): void;
}

async function readAt(file: Deno.FsFile, offset: number, sizeBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(sizeBytes);
  await file.seek(offset, Deno.SeekMode.Start);
  for (let at = 0; at < sizeBytes;) {
    const count = await file.read(bytes.subarray(at));
    if (count === null) throw new Error(`file ends after ${at} of ${sizeBytes} bytes of a frame`);
    at += count;
  }
  return bytes;
}

async function nativeReader(path: string, header: InstanceHeader): Promise<FrameReader> {
  const file = await Deno.open(path), { offset, isBigEndian, isInWords } = header.pixels!;
  const count = header.columns * header.rows, bytesPerPixel = header.bitsAllocated / 8;
  return {
    async read(number) {
      const start = number * count * bytesPerPixel, sizeBytes = count * bytesPerPixel;
      if (!isBigEndian || (bytesPerPixel === 1 && !isInWords)) {
        const bytes = await readAt(file, offset + start, sizeBytes);
        return bytesPerPixel === 1 ? bytes : new Uint16Array(bytes.buffer, 0, count);
      }
      // swaps the bytes of 16-bit words; an 8-bit frame may begin or end in the middle of a word
      const first = start & ~1, end = start + sizeBytes + 1 & ~1;
      const bytes = await readAt(file, offset + first, end - first);
      for (let at = 0; at < bytes.length; at += 2) {
        [bytes[at], bytes[at + 1]] = [bytes[at + 1]!, bytes[at]!];
      }
      return bytesPerPixel === 1
        ? bytes.subarray(start - first, start - first + count)
        : new Uint16Array(bytes.buffer, 0, count);
    },
    close: () => file.close(),
  };
}

async function compressedReader(path: string, header: InstanceHeader): Promise<FrameReader> {
  const { dataSet } = parseStored(await Deno.readFile(path), true);
  return {
    async read(number) {
      const bytes = compressedFrame(dataSet, header.frameCount, number);
      if (!bytes) throw new Error(`frame ${number} has no bytes`);
      const conflict = methodConflict(header.transferSyntax, bytes);
      if (conflict) throw conflictError(conflict);
      return await decodeFrame(header.transferSyntax, bytes, header);
    },
    close() {},
  };
}

/**
 * Opens a file of an accepted series; the caller must close it.
 * @throws errors of the disk and of the parser.
 */
export const openFrames = (path: string, header: InstanceHeader): Promise<FrameReader> =>
  isNativeSyntax(header.transferSyntax)
    ? nativeReader(path, header)
    : compressedReader(path, header);

/** Bit layout of a pixel (PS3.5 §8.1.1). */
export interface BitFormat {
  shift: number;
  mask: number;
  /** value of the sign bit; 0 for unsigned pixels */
  sign: number;
}

export function bitFormatOf(
  { bitsAllocated, bitsStored, highBit, isSigned }: InstanceHeader,
): BitFormat {
  const stored = bitsStored >= 1 && bitsStored <= bitsAllocated ? bitsStored : bitsAllocated;
  const high = highBit >= stored - 1 && highBit < bitsAllocated ? highBit : stored - 1;
  return {
    shift: high + 1 - stored,
    mask: 2 ** stored - 1,
    sign: isSigned ? 2 ** (stored - 1) : 0,
  };
}

/** Value of a pixel: unused bits are masked, and the sign is extended. */
export const valueOf = (bits: number, { shift, mask, sign }: BitFormat): number => {
  const value = (bits >> shift) & mask;
  return value & sign ? value - mask - 1 : value;
};
