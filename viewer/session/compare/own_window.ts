import { batch, effect, type ReadonlySignal, signal } from "@preact/signals-react";
import { type PageScale, pageWindow } from "@/viewer/session/scales.ts";
import type { ViewerSession, Windowed } from "@/viewer/session/session.ts";
import { DEFAULT_WINDOW } from "@/viewer/scene.ts";

/**
 * Separate window/level for compared images of another kind (T1w or FLAIR) than the study's.
 * Compared images of the same kind share the study's window/level.
 */
export class OwnWindow implements Windowed {
  readonly windowWidth = signal<number>(DEFAULT_WINDOW.width);
  readonly windowLevel = signal<number>(DEFAULT_WINDOW.level);
  readonly scale = signal<PageScale | null>(null);
  readonly setWindow: ViewerSession["setWindow"];
  /** Whether the compared images use the separate window. */
  readonly isTheirs = signal(false);
  /**
   * Whether toolbar and pointer control this window: the compared images are in front or last used.
   */
  readonly isOther = signal(false);

  constructor(private readonly session: ViewerSession) {
    this.setWindow = session.setWindow;
  }

  get width(): number {
    return this.windowWidth.peek();
  }
  get level(): number {
    return this.windowLevel.peek();
  }

  /** Sets the window for newly shown images, from the image header. */
  open(scale: PageScale | null, isTheirs: boolean): void {
    batch(() => {
      this.isTheirs.value = isTheirs;
      this.scale.value = scale;
      this.#reset();
    });
  }

  #reset(): void {
    const { width, level } = pageWindow(this.scale.peek());
    this.setWindow(width, level);
  }

  /**
   * Directs toolbar and pointer to the window of the last used half of the screen.
   * @returns a function that stops the tracking of the last used half.
   */
  follow(isFlipped: ReadonlySignal<boolean>): () => void {
    const { session } = this, stop = new AbortController();
    const use = ({ target }: Event) => {
      const pane = target instanceof Element && target.closest("[data-plane],[data-other-plane]");
      if (pane) this.isOther.value = pane.hasAttribute("data-other-plane");
    };
    // registered before the panes' own handlers, which stop some events
    for (const event of ["pointerdown", "focusin"]) {
      document.addEventListener(event, use, { capture: true, signal: stop.signal });
    }
    session.onReset = () => this.#reset();
    const stops = [
      effect(() => {
        if (session.compareLayout.value === "flip") this.isOther.value = isFlipped.value;
      }),
      effect(() => {
        session.windowed.value = this.isTheirs.value && this.isOther.value ? this : session;
      }),
    ];
    return () => {
      stop.abort();
      stops.forEach((each) => each());
      session.onReset = () => {};
      session.windowed.value = session;
    };
  }
}
