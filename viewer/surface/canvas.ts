import { createCanvasPresenter } from "@/viewer/slices/present_canvas.ts";
import type { CreateSurfacePresenter } from "@/viewer/surface/presenter.ts";

/** Maximum number of pixels for supersampling (four samples each), limited by memory and time. */
const SMOOTH_PIXELS = 1_500_000;

/** Presenter that renders with the kernel and Canvas2D: works without a GPU. */
export const createCanvasSurface: CreateSurfacePresenter = (canvas, _mesh, kernel) => {
  const presenter = createCanvasPresenter(canvas, () => {});
  return {
    kind: "canvas",
    draw(camera, width, height, quality) {
      const parts = quality === "coarse" ? 2 : 1;
      const w = Math.ceil(width / parts), h = Math.ceil(height / parts);
      kernel.draw(camera, w, h, quality === "smooth" && w * h <= SMOOTH_PIXELS);
      presenter.present(kernel.pixels(), w, h);
    },
    coloursChanged() {},
    close: () => presenter.close(),
  };
};
