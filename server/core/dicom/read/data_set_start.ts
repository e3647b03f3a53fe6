/** Number of bytes of a Part 10 file that contain the length of the meta information. */
const META_LENGTH_END = 144;

/** Position in a file at which the data set begins, after the meta information. */
export function dataSetStart(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isPart10 = bytes.length >= META_LENGTH_END &&
    new TextDecoder().decode(bytes.subarray(128, 132)) === "DICM";
  return isPart10 ? META_LENGTH_END + view.getUint32(140, true) : 0;
}
