import type { MarkContext } from "@/viewer/slices/marks/pane_marks.ts";

const ANCHORS: Record<string, string> = { left: "start", center: "middle", right: "end" };
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<"]/g, (sign) => ESCAPES[sign]!);

/** Canvas-like context that records lines and texts as SVG elements. */
export class SvgContext implements MarkContext {
  font = "10px sans-serif";
  textAlign: CanvasTextAlign = "left";
  /** the only line style that annotations use */
  textBaseline: CanvasTextBaseline = "alphabetic";
  lineJoin: CanvasLineJoin = "miter";
  lineWidth = 1;
  strokeStyle: string | CanvasGradient | CanvasPattern = "#000";
  fillStyle: string | CanvasGradient | CanvasPattern = "#000";
  #path = "";
  #elements: string[] = [];

  /** SVG elements that were recorded so far. */
  get svg(): string {
    return this.#elements.join("");
  }

  beginPath(): void {
    this.#path = "";
  }
  moveTo(x: number, y: number): void {
    this.#path += `M${x} ${y}`;
  }
  lineTo(x: number, y: number): void {
    this.#path += `L${x} ${y}`;
  }
  stroke(): void {
    this.#elements.push(
      `<path fill="none" d="${this.#path}" stroke="${
        escaped(String(this.strokeStyle))
      }" stroke-width="${this.lineWidth}" stroke-linejoin="${this.lineJoin}"/>`,
    );
  }
  strokeText(words: string, x: number, y: number): void {
    const line = `fill="none" stroke="${
      escaped(String(this.strokeStyle))
    }" stroke-width="${this.lineWidth}" stroke-linejoin="${this.lineJoin}"`;
    this.#write(words, x, y, line);
  }
  fillText(words: string, x: number, y: number): void {
    this.#write(words, x, y, `fill="${escaped(String(this.fillStyle))}"`);
  }

  #write(words: string, x: number, y: number, look: string): void {
    const [, weight, size, family] = /^(?:(\d+) )?([\d.]+)px (.*)$/.exec(this.font) ?? [];
    if (words === "") return;
    this.#elements.push(
      `<text xml:space="preserve" x="${x}" y="${y}" text-anchor="${
        ANCHORS[this.textAlign] ?? "start"
      }" font-size="${size}"` +
        `${weight ? ` font-weight="${weight}"` : ""} font-family="${
          escaped(family ?? "")
        }" ${look}>` +
        `${escaped(words)}</text>`,
    );
  }
}
