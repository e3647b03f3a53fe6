/**
 * Formats of packed files (archives), with offset and first bytes, by which they are recognised.
 */
const SIGNATURES: readonly (readonly [string, number, readonly number[]])[] = [
  ["ZIP", 0, [0x50, 0x4b, 0x03, 0x04]],
  ["gzip", 0, [0x1f, 0x8b, 0x08]],
  ["7z", 0, [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ["RAR", 0, [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07]],
  ["bzip2", 0, [0x42, 0x5a, 0x68]],
  ["xz", 0, [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ["Zstandard", 0, [0x28, 0xb5, 0x2f, 0xfd]],
  ["tar", 257, [0x75, 0x73, 0x74, 0x61, 0x72]],
];

/**
 * Name of the format of a packed file; `null` for any other file.
 *
 * @param bytes Beginning of the file, of a file without the DICOM prefix.
 */
export const packedFormat = (bytes: Uint8Array): string | null =>
  SIGNATURES.find(([, at, signature]) => signature.every((byte, n) => bytes[at + n] === byte))
    ?.[0] ?? null;
