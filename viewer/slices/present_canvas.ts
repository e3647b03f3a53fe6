import type { CreatePresenter } from "@/viewer/slices/presenter.ts";

/** Presenter with Canvas2D: works in every browser, with and without a GPU. */
export const createCanvasPresenter: CreatePresenter = (canvas) => {
  // a transparent canvas, because browsers draw text with coloured edges on an opaque canvas
  const context = canvas.getContext("2d");
  if (!context) throw new TypeError("Cannot present: this canvas has no 2D context");
  let image: ImageData | null = null, shown: Uint8ClampedArray | null = null;
  return {
    kind: "canvas",
    over: context,
    present(pixels, width, height) {
      if (width === 0 || height === 0) return;
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
      // an ImageData uses the kernel's pixels without a copy, and is reused until the view changes
      if (!image || shown !== pixels || image.width !== width || image.height !== height) {
        image = new ImageData(pixels, width, height);
        shown = pixels;
      }
      context.putImageData(image, 0, 0);
    },
    close() {
      image = shown = null;
    },
  };
};
