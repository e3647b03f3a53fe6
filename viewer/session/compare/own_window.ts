import { batch, effect, type ReadonlySignal, signal } from "@preact/signals-react";
import { type PageScale, pageWindow } from "@/viewer/session/scales.ts";
import type { ViewerSession, Windowed } from "@/viewer/session/session.ts";
import { DEFAULT_WINDOW } from "@/viewer/scene.ts";

/**
 * The window of images that stand beside the study's and are of another kind; those of its kind
 * share the study's.
 */
export class OwnWindow implements Windowed {
  readonly windowWidth = signal<number>(DEFAULT_WINDOW.width);
  readonly windowLevel = signal<number>(DEFAULT_WINDOW.level);
  readonly scale = signal<PageScale | null>(null);
  readonly setWindow: ViewerSession["setWindow"];
  /** Whether the compared images use it. */
  readonly isTheirs = signal(false);
  /**
   * Whether toolbar and pointer set it: the half of the compared images was used last, or is in
   * front.
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

  /** Other images are shown: their window is their header's at first. */
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
   * Lets toolbar and pointer set the window of the half that is used, and a reset reset both.
   * @returns stops it.
   */
  follow(isFlipped: ReadonlySignal<boolean>): () => void {
    const { session } = this, stop = new AbortController();
    const use = ({ target }: Event) => {
      const pane = target instanceof Element && target.closest("[data-plane],[data-other-plane]");
      if (pane) this.isOther.value = pane.hasAttribute("data-other-plane");
    };
    // before the panes' own handlers, which stop some events
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
