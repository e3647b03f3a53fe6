import { type Acquisition, writeAcquisition } from "@/server/commands/demo/phantom/acquisitions.ts";

/** A patient name as raw bytes, and the character set that the file declares. */
interface RawName {
  /** declared character set; `null`: none */
  charset: string | null;
  bytes: readonly number[];
}

/** Converts a string to bytes, one byte per character. */
export const bytesOf = (latin1: string): number[] => Array.from(latin1, (c) => c.charCodeAt(0));

/** Replaces or removes an element of an explicit little-endian file. */
function replaced(file: string, tag: string, vr: string, value: string | null): string {
  const header = tag + vr, at = file.indexOf(header);
  if (at < 0) throw new Error(`the file has no ${vr} element with this tag`);
  const length = file.charCodeAt(at + 6) + 256 * file.charCodeAt(at + 7);
  const padded = value === null || value.length % 2 === 0 ? value : value + " ";
  const element = padded === null
    ? ""
    : header + String.fromCharCode(padded.length & 255, padded.length >> 8) + padded;
  return file.slice(0, at) + element + file.slice(at + 8 + length);
}

/** Slices of a series with the patient name given as raw bytes. */
export function namedSeries(
  acquisition: Acquisition,
  study: number,
  { charset, bytes }: RawName,
): ReturnType<typeof writeAcquisition> {
  return writeAcquisition(acquisition, study, 1).map((file) => {
    const declared = replaced(
      Buffer.from(file.bytes).toString("latin1"),
      "\x08\0\x05\0",
      "CS",
      charset,
    );
    const renamed = replaced(declared, "\x10\0\x10\0", "PN", String.fromCharCode(...bytes));
    return { ...file, bytes: new Uint8Array(Buffer.from(renamed, "latin1")) };
  });
}
