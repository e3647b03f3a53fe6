/**
 * Widths of U+0020–U+007E in Noto Sans KR, the font of PDF and page, thousandths of the font size.
 * Source: the font files in `report/pdf/fonts` (SIL Open Font License).
 */
const REGULAR =
  "224 323 474 555 555 921 680 278 338 338 467 555 278 347 278 392 555 555 555 555 555 555 555 555 555 555 278 278 555 555 555 474 946 608 657 638 688 589 552 689 728 293 535 646 543 812 723 742 633 742 635 596 599 721 575 878 573 531 603 338 392 338 555 559 606 563 618 510 620 554 325 564 607 275 275 552 284 926 610 606 620 620 388 468 377 607 521 802 498 521 475 338 270 338 555";
const BOLD =
  "227 370 574 590 590 963 740 325 378 378 507 590 325 370 325 387 590 590 590 590 590 590 590 590 590 590 325 325 590 590 590 514 1007 641 681 656 714 615 585 717 757 330 568 686 578 853 749 770 667 770 682 624 625 748 619 915 627 580 613 378 387 378 590 567 626 591 644 527 644 581 372 597 640 304 306 604 315 964 641 626 644 644 437 495 421 637 576 863 562 574 511 378 296 378 590";
const widthsOf = (list: string) => list.split(" ").map((width) => Number(width) / 1000);
const WIDTHS = { regular: widthsOf(REGULAR), bold: widthsOf(BOLD) };
/**
 * Widths of other characters, relative to the font size.
 * Accented Latin, Greek and Cyrillic have the width of their widest letter, so that names fit.
 */
const OTHER = 0.62, ACCENTED = 0.78, CYRILLIC = 1.07, HANGUL = 0.92, WIDE = 1;
/** Signs and ligatures as wide as the font size, among narrower characters. */
const WIDE_SIGNS = new Set("§©±¶¼½¾×÷ÆŒ");

/** Width of a character relative to the font size. */
function letterWidth(letter: string, widths: readonly number[]): number {
  const code = letter.codePointAt(0)!;
  if (code === 0xa0) return widths[0]!;
  if (WIDE_SIGNS.has(letter)) return WIDE;
  return widths[code - 0x20] ??
    (code >= 0x370 && code < 0x530
      ? CYRILLIC
      : code >= 0xc0 && code < 0x250
      ? ACCENTED
      : code < 0x2018
      ? OTHER
      : code >= 0xac00 && code <= 0xd7a3
      ? HANGUL
      : WIDE);
}

/** Width of a text on one line, points. */
function textWidth(text: string, size: number, isBold: boolean): number {
  const widths = isBold ? WIDTHS.bold : WIDTHS.regular;
  let sum = 0;
  for (const letter of text) sum += letterWidth(letter, widths);
  return sum * size;
}

/**
 * Positions where a line may break: after a space or dash, if no closing mark follows ("not .dcm").
 * A line may also break between Han, kana or full-width letters.
 */
const PIECES = /(?<=[ –—-])(?![.,:;!?)\]}/])|(?<=\D\/)(?=\D)|(?<=[\u2e80-\u9fff\uff00-\uffef])/u;

/**
 * Number of lines of a text in a column. As in the PDF, words are not broken.
 * Only a word that is longer than the column is broken.
 * @param size Font size, points.
 * @param width Column width without its padding, points.
 */
export function linesOf(text: string, size: number, width: number, isBold = false): number {
  return text.split("\n").reduce(
    (lines, line) => lines + paragraphLines(line, size, width, isBold),
    0,
  );
}

/** Cache of line counts by column and paragraph: layouts measure the same text many times. */
const counted = new Map<string, Map<string, number>>();
const MAX_COLUMNS = 200, MAX_PARAGRAPHS = 1000;

function paragraphLines(line: string, size: number, width: number, isBold: boolean): number {
  const column = `${size} ${width} ${isBold}`;
  let ofColumn = counted.get(column);
  if (!ofColumn) {
    if (counted.size >= MAX_COLUMNS) counted.clear();
    counted.set(column, ofColumn = new Map());
  }
  let lines = ofColumn.get(line);
  if (lines === undefined) {
    lines = textWidth(line, size, isBold) < width ? 1 : countLines(line, size, width, isBold);
    if (ofColumn.size >= MAX_PARAGRAPHS) ofColumn.clear();
    ofColumn.set(line, lines);
  }
  return lines;
}

function countLines(line: string, size: number, width: number, isBold: boolean): number {
  let lines = 1, used = 0;
  for (const piece of line.split(PIECES)) {
    const word = textWidth(piece.trimEnd(), size, isBold);
    if (used > 0 && used + word > width) {
      lines++;
      used = 0;
    }
    const broken = Math.max(0, Math.ceil(word / width) - 1);
    lines += broken;
    used += textWidth(piece, size, isBold) - broken * width;
  }
  return lines;
}
