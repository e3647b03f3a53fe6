// An independent reader of XLSX: the package is installed only here (tests/package.json).
import { Buffer } from "node:buffer";
import { Unzip, UnzipInflate } from "fflate";
import readWorkbook from "read-excel-file/node";

/** Name and rows of a sheet, by default the first; empty cells are `null`. */
export async function readSheet(bytes: Uint8Array, place = 0) {
  const sheet = (await readWorkbook(Buffer.from(bytes), { trim: false }))[place];
  if (!sheet) throw new TypeError("a workbook without that sheet");
  return sheet;
}

/** XML of the first sheet, as a stream of decompressed pieces. */
export async function* xlsxPieces(file: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder(), pieces: string[] = [];
  const unzip = new Unzip((part) => {
    if (part.name !== "xl/worksheets/sheet1.xml") return;
    part.ondata = (error, bytes, isLast) => {
      if (error) throw error;
      pieces.push(decoder.decode(bytes, { stream: !isLast }));
    };
    part.start();
  });
  unzip.register(UnzipInflate);
  for await (const bytes of file) {
    unzip.push(bytes);
    yield* pieces.splice(0);
  }
  unzip.push(new Uint8Array(0), true);
  yield* pieces.splice(0);
}
