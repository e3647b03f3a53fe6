import { PAD, writeText } from "@/viewer/slices/marks/pane_marks.ts";
import { type ArrivedSlices, missingParts } from "@/viewer/slices/arrival.ts";
import type { PaneMapping } from "@/viewer/scene.ts";

/**
 * Colours and distance of the hatched lines, CSS px: unlike any tissue, and letters stay readable.
 */
const GROUND = "#0b1b2b", LINES = "rgba(148,163,184,0.45)", STEP = 14;
/** Smallest missing part that has room for a text, CSS px. */
const MIN_ROOM = 22;

/** Rectangle in a pane: left, top, width and height, device pixels. */
type Box = [number, number, number, number];

/** Arrived slices of the volumes that a pane draws. */
interface Arriving {
  base: ArrivedSlices;
  /** arrived slices of the overlay; `null` for a hidden overlay */
  overlay: ArrivedSlices | null;
  /** number of slices of the volumes */
  size: number;
  /** scale of the screen, device pixels per CSS pixel */
  ratio: number;
  /** text printed over a slice or overlay that has not arrived, in the page's language */
  words: { slice: string; overlay: string };
}

/**
 * Covers the parts of a pane that show slices which have not arrived by a hatching, with a text on
 * the largest part. Also shows a text while the overlay of arrived slices is missing.
 */
export function drawMissing(
  context: CanvasRenderingContext2D,
  mapping: PaneMapping,
  { base, overlay, size, ratio, words }: Arriving,
): void {
  const { width, height } = mapping, canvas = { context, width, height, ratio };
  const boxes = boxesOf(mapping, base, size);
  if (boxes.length > 0) hatch(context, boxes, mapping, ratio);
  const largest = boxes.reduce<Box | null>((a, b) => a && area(a) >= area(b) ? a : b, null);
  const isCovered = largest !== null && area(largest) >= width * height;
  if (largest && Math.min(largest[2], largest[3]) >= MIN_ROOM * ratio) {
    const [x, y, w, h] = largest;
    // a quarter of the part's height below its top, where no orientation letters are
    writeText(canvas, words.slice, [x + w / 2, y + h / 4, "middle"], "center");
  }
  if (isCovered || !overlay || boxesOf(mapping, overlay, size).length === 0) return;
  const below = height - PAD * ratio - 2 * MIN_ROOM * ratio;
  writeText(canvas, words.overlay, [width / 2, below, "bottom"], "center");
}

const area = ([, , width, height]: Box): number => width * height;

function boxesOf(mapping: PaneMapping, arrived: ArrivedSlices, size: number): Box[] {
  const { isRows, parts } = missingParts(mapping, arrived, size), { width, height } = mapping;
  return parts.map(([first, end]) =>
    isRows ? [0, first, width, end - first] : [first, 0, end - first, height]
  );
}

function hatch(
  context: CanvasRenderingContext2D,
  boxes: readonly Box[],
  { width, height }: PaneMapping,
  ratio: number,
): void {
  context.save();
  context.beginPath();
  for (const box of boxes) context.rect(...box);
  context.clip();
  context.fillStyle = GROUND;
  context.fillRect(0, 0, width, height);
  context.strokeStyle = LINES;
  context.lineWidth = Math.max(1, ratio);
  context.beginPath();
  for (let x = -height; x < width; x += STEP * ratio) {
    context.moveTo(x, height);
    context.lineTo(x + height, 0);
  }
  context.stroke();
  context.restore();
}
