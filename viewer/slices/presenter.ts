export const PRESENTER_KINDS = ["canvas", "regl"] as const;
export type PresenterKind = (typeof PRESENTER_KINDS)[number];

/**
 * Shows composed pixels on one canvas, unchanged.
 * All presenters show equal pixels (difference ≤ 1 of 255).
 */
export interface Presenter {
  readonly kind: PresenterKind;
  /**
   * Context for drawing over the pixels on the same canvas;
   * `null` if annotations need a separate canvas.
   */
  readonly over: CanvasRenderingContext2D | null;
  /**
   * Shows RGBA rows from the top, `width` × `height` device pixels; sets the canvas to that size.
   */
  present(pixels: Uint8ClampedArray<ArrayBuffer>, width: number, height: number): void;
  close(): void;
}

/** @param onLost Called when the GPU was lost: this canvas cannot be used any more. */
export type CreatePresenter = (canvas: HTMLCanvasElement, onLost: () => void) => Presenter;
