import { type DicomFile, fileHead } from "@/server/core/dicom/write/dataset_writer.ts";

const EXPLICIT_LE = "1.2.840.10008.1.2.1";
const DEFLATED = "1.2.840.10008.1.2.1.99";

/** A file in Deflated Explicit VR Little Endian (PS3.5 A.5), in chunks. */
export async function* deflatedChunks(file: DicomFile): AsyncGenerator<Uint8Array> {
  const { sopClassUid, sopInstanceUid } = file;
  const headBytes = fileHead(sopClassUid, sopInstanceUid, EXPLICIT_LE).length;
  yield fileHead(sopClassUid, sopInstanceUid, DEFLATED);
  function* dataSet() {
    let passed = 0;
    for (const chunk of file.chunks()) {
      yield chunk.subarray(Math.min(chunk.length, Math.max(0, headBytes - passed)));
      passed += chunk.length;
    }
  }
  let bytes = 0;
  for await (
    const piece of ReadableStream.from(dataSet()).pipeThrough(new CompressionStream("deflate-raw"))
  ) {
    bytes += piece.length;
    yield piece;
  }
  if (bytes % 2 === 1) yield new Uint8Array(1);
}
