// Report pages as small grey pictures, and their difference.
import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";
import { PNG } from "pngjs";
import { renderPdf } from "@/report/pdf/pdf.ts";
import { GOLDEN_PICTURES, type GoldenCase } from "@/tests/golden/report_cases.ts";

/** A page in grey levels 0..15, row by row from the top. */
export interface GreyPage {
  width: number;
  height: number;
  grey: Uint8Array;
}

const FOLDER = new URL("./report/", import.meta.url);
const DPI = 44, LEVELS = 16, COLUMNS = 4;
/** Edge of the compared squares, px, in which letters may be shifted slightly. */
const CELL = 4;
/** Mean difference in grey levels from which a square counts as different. */
const CELL_LEVELS = 1.5;
/** Maximum fraction of different squares on a page. */
export const TOLERANCE = 0.004;

/** URL of a report's reference picture. */
export const goldenUrl = (name: string): URL => new URL(`${name}.png`, FOLDER);

/** Draws every page of a report by poppler. */
export async function drawPages({ report }: GoldenCase): Promise<GreyPage[]> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-pages-" });
  try {
    await Deno.writeFile(`${folder}/report.pdf`, await renderPdf(report, GOLDEN_PICTURES));
    const args = ["-r", String(DPI), "-gray", `${folder}/report.pdf`, `${folder}/page`];
    const { success, stderr } = await new Deno.Command("pdftoppm", { args }).output();
    if (!success) throw new Error(`pdftoppm cannot draw: ${new TextDecoder().decode(stderr)}`);
    const names = [...Deno.readDirSync(folder)].map((entry) => entry.name).filter((name) =>
      name.endsWith(".pgm")
    );
    return names.sort().map((name) => pageOf(Deno.readFileSync(`${folder}/${name}`)));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Parses a picture in pdftoppm's PGM format. */
function pageOf(pgm: Uint8Array): GreyPage {
  const [, width, height] = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(
    new TextDecoder("latin1").decode(pgm.slice(0, 40)),
  )!
    .map(Number) as [number, number, number];
  const grey = pgm.slice(pgm.length - width * height).map((value) =>
    Math.round(value * (LEVELS - 1) / 255)
  );
  return { width, height, grey };
}

/** Arranges pages of equal size in a grid with {@link COLUMNS} columns. */
function sheetOf(pages: readonly GreyPage[]): GreyPage {
  const { width, height } = pages[0]!, rows = Math.ceil(pages.length / COLUMNS);
  const columns = Math.min(COLUMNS, pages.length);
  const grey = new Uint8Array(width * columns * height * rows).fill(LEVELS - 1);
  pages.forEach((page, n) => {
    const left = n % COLUMNS * width, top = Math.floor(n / COLUMNS) * height;
    for (let y = 0; y < height; y++) {
      grey.set(page.grey.subarray(y * width, (y + 1) * width), (top + y) * width * columns + left);
    }
  });
  return { width: width * columns, height: height * rows, grey };
}

/** Splits a grid made by {@link encodePages}; includes the blank places at the end. */
export function decodePages(png: Uint8Array, { width, height }: GreyPage): GreyPage[] {
  const sheet = PNG.sync.read(Buffer.from(png)), columns = Math.floor(sheet.width / width);
  return Array.from({ length: columns * Math.floor(sheet.height / height) }, (_, n) => {
    const grey = new Uint8Array(width * height),
      left = n % columns * width,
      top = Math.floor(n / columns) * height;
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        grey[y * width + x] = Math.round(
          sheet.data[4 * ((top + y) * sheet.width + left + x)]! * (LEVELS - 1) / 255,
        );
      }
    }
    return { width, height, grey };
  });
}

/** Encodes pages in a grid as a PNG with 16 grey levels. */
export function encodePages(pages: readonly GreyPage[]): Uint8Array<ArrayBuffer> {
  const { width, height, grey } = sheetOf(pages), stride = 1 + Math.ceil(width / 2);
  const raw = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      raw[y * stride + 1 + (x >> 1)]! |= grey[y * width + x]! << (x % 2 === 0 ? 4 : 0);
    }
  }
  const header = new Uint8Array(13), view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = 4;
  const chunk = (type: string, bytes: Uint8Array) => {
    const out = new Uint8Array(12 + bytes.length), at = new DataView(out.buffer);
    at.setUint32(0, bytes.length);
    out.set(new TextEncoder().encode(type), 4);
    out.set(bytes, 8);
    at.setUint32(8 + bytes.length, crc32(out.subarray(4, 8 + bytes.length)));
    return out;
  };
  const parts = [
    new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(raw, { level: 9 })),
    chunk("IEND", new Uint8Array()),
  ];
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

/** Fraction of different squares on two pages, 0..1. */
export function differenceOf(a: GreyPage, b: GreyPage): number {
  if (a.width !== b.width || a.height !== b.height) return 1;
  const columns = Math.floor(a.width / CELL), rows = Math.floor(a.height / CELL);
  let different = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (let y = row * CELL; y < (row + 1) * CELL; y++) {
        for (let x = column * CELL; x < (column + 1) * CELL; x++) {
          sum += a.grey[y * a.width + x]! - b.grey[y * a.width + x]!;
        }
      }
      if (Math.abs(sum) / CELL ** 2 > CELL_LEVELS) different++;
    }
  }
  return different / (columns * rows);
}

/** Reference page, current page and differences side by side. */
export function comparison(kept: GreyPage, now: GreyPage): Uint8Array<ArrayBuffer> {
  const grey = kept.grey.map((value, at) => LEVELS - 1 - Math.abs(value - (now.grey[at] ?? 0)));
  return encodePages([kept, now, { ...kept, grey }]);
}
