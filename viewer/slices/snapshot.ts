/** Texts that are burned into a saved picture. */
export interface SnapshotText {
  /** First line: patient, or a note that the picture is anonymous. */
  identity: string;
  /** Second line of text: the displayed images. */
  subject: string;
  /** Right end of the second line: author and time of measurements. */
  source: string;
}

const LINE_PX = 20, PAD_PX = 10, BAND_PX = 2 * LINE_PX + PAD_PX;

/** A canvas on the page with its pixels, and its position in CSS pixels. */
interface Drawn {
  canvas: HTMLCanvasElement;
  box: { left: number; top: number; width: number; height: number };
}

/** Visible canvases inside an element, in drawing order. */
export function drawnIn(element: Element): Drawn[] {
  return [...element.querySelectorAll("canvas")]
    .map((canvas) => ({ canvas, box: canvas.getBoundingClientRect() }))
    .filter(({ canvas, box }) =>
      box.width > 0 && box.height > 0 && canvas.width > 0 &&
      getComputedStyle(canvas).visibility === "visible"
    );
}

/**
 * Combines all panes as displayed into one picture, below a band with texts.
 * Orientation letters and scale bars are part of the panes' canvases.
 *
 * @param frame  Bounding box of all panes, CSS px of the page.
 * @param ratio  Pixels of the picture per CSS px.
 */
export function compositeSnapshot(
  panes: readonly Drawn[],
  frame: Drawn["box"],
  words: SnapshotText,
  ratio: number,
): HTMLCanvasElement {
  const out = document.createElement("canvas");
  out.width = Math.round(frame.width * ratio);
  out.height = Math.round((frame.height + BAND_PX) * ratio);
  const context = out.getContext("2d")!;
  context.fillStyle = "#000";
  context.fillRect(0, 0, out.width, out.height);
  for (const { canvas, box } of panes) {
    context.drawImage(
      canvas,
      (box.left - frame.left) * ratio,
      (box.top - frame.top + BAND_PX) * ratio,
      box.width * ratio,
      box.height * ratio,
    );
  }
  context.fillStyle = "#111827";
  context.fillRect(0, 0, out.width, BAND_PX * ratio);
  const write = (text: string, line: number, align: CanvasTextAlign, isBold: boolean) => {
    context.font = `${isBold ? "600 " : ""}${
      13 * ratio
    }px Inter, "Segoe UI", "Noto Sans", "Sulcus Latin", "Noto Sans KR", "Sulcus Korean", system-ui, "Sulcus Scripts", sans-serif`;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.fillStyle = isBold ? "#f9fafb" : "#d1d5db";
    const x = align === "left" ? PAD_PX * ratio : out.width - PAD_PX * ratio;
    context.fillText(text, x, (PAD_PX / 2 + LINE_PX * (line + 0.5)) * ratio);
  };
  write(words.identity, 0, "left", true);
  write(words.subject, 1, "left", false);
  write(words.source, 1, "right", false);
  return out;
}

/** Encodes a canvas as a PNG file. */
export const pngOf = (canvas: HTMLCanvasElement): Promise<Blob> =>
  new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => blob ? resolve(blob) : reject(new RangeError("Cannot encode the picture")),
      "image/png",
    )
  );
