export const PRESENTER_KINDS = ["canvas", "regl"] as const;
export type PresenterKind = (typeof PRESENTER_KINDS)[number];

/**
 * Puts composed pixels on one canvas, unchanged: every presenter shows the same pixels (≤ 1 of
 * 255).
 */
export interface Presenter {
  readonly kind: PresenterKind;
  /**
   * Draws over the presented pixels, on the same canvas; `null` when that takes a canvas of its
   * own.
   */
  readonly over: CanvasRenderingContext2D | null;
  /** RGBA rows from the top, `width` × `height` device pixels; the canvas takes that size. */
  present(pixels: Uint8ClampedArray<ArrayBuffer>, width: number, height: number): void;
  close(): void;
}

/** @param onLost The GPU went away: this canvas will show nothing more, take a new one. */
export type CreatePresenter = (canvas: HTMLCanvasElement, onLost: () => void) => Presenter;
