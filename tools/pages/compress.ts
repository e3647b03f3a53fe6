import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { filesUnder } from "@/tools/pages/source_files.ts";

const gz = promisify(gzip), br = promisify(brotliCompress);
/**
 * memLevel values to try, which set the block size of gzip: large blocks are best for most files,
 * small blocks for files with mixed content.
 */
const MEM_LEVELS = [5, 6, 9];

/**
 * Writes `.gz` and `.br` beside every script, stylesheet, picture and WASM file of a folder.
 * @returns gzip size of each file in bytes, by path in the folder.
 */
export async function compressUnder(folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const files = (await Array.fromAsync(filesUnder(folder))).filter((file) =>
    /\.(js|css|svg|wasm)$/.test(file)
  );
  await Promise.all(files.map(async (file) => {
    const bytes = await Deno.readFile(file);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    const [brotli, ...zips] = await Promise.all([
      br(bytes, { params }),
      ...MEM_LEVELS.map((memLevel) => gz(bytes, { level: 9, memLevel })),
    ]);
    const zipped = zips.reduce((best, each) => each.length < best.length ? each : best);
    sizes.set(file.slice(folder.length + 1), zipped.length);
    await Promise.all([Deno.writeFile(file + ".gz", zipped), Deno.writeFile(file + ".br", brotli)]);
  }));
  return sizes;
}
