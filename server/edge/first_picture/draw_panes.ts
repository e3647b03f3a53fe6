import { affineFromRowMajor, type Shape } from "@/model/geometry.ts";
import { encodeImage } from "@/server/edge/first_picture/png.ts";
import type {
  CrossedSlices,
  DrawnPane,
  PictureOrder,
} from "@/server/edge/first_picture/picture_view.ts";
import { SvgContext } from "@/server/edge/first_picture/svg_context.ts";
import { gridOf } from "@/viewer/grid.ts";
import { createPaneMapping, createScene, mapPane, setField } from "@/viewer/scene.ts";
import { createComposer, LAYERS } from "@/viewer/slices/compose.ts";
import { annotate } from "@/viewer/slices/marks/annotate.ts";
import { marksOf } from "@/viewer/slices/orientation.ts";

/** Maximum total size of the rendered images, bytes, because the page waits for the images. */
export const MAX_PICTURE_BYTES = 200_000;

/**
 * Renders the panes of a view with the same kernels and overlays as the page's canvases.
 * Images that are too large in total are rendered at half or a quarter of the size.
 *
 * @throws {AppError} `engine.unsupported_input` for insufficient memory.
 */
export function drawPanes(module: WebAssembly.Module, order: PictureOrder): DrawnPane[] {
  for (const scale of [1, 0.5]) {
    const panes = drawAt(module, order, scale);
    if (panes.reduce((sum, { png }) => sum + png.length, 0) <= MAX_PICTURE_BYTES) return panes;
  }
  return drawAt(module, order, 0.25);
}

function drawAt(
  module: WebAssembly.Module,
  { view, base, overlay, field }: PictureOrder,
  scale: number,
): DrawnPane[] {
  const grid = gridOf([...view.shape], affineFromRowMajor<"Ras", "Ijk">(view.affine));
  const scene = Object.assign(createScene(grid), view.look, {
    crosshairMm: Float64Array.from(view.crosshairMm),
  });
  if (field) setField(scene, grid, field.bounds, field.marginMm);
  const layers = LAYERS[view.look.type], ratio = view.ratio * scale;
  return view.panes.map((pane) => {
    const width = Math.max(Math.round(pane.width * scale), 1);
    const height = Math.max(Math.round(pane.height * scale), 1);
    const mapping = createPaneMapping(pane.plane);
    mapPane(mapping, scene, grid, width, height);
    const { through } = mapping, svg = new SvgContext();
    const annotation = {
      marks: marksOf(grid, pane.plane, scene.convention),
      title: view.titles[pane.plane],
      caption: "",
    };
    annotate(svg, mapping, scene, grid, annotation, ratio);
    // the kernel gets a volume of the pane's slice only, which is all that it needs
    const shape = view.shape.map((n, axis) => axis === through ? 1 : n) as Shape;
    const composer = createComposer(module, shape);
    try {
      const sliceOf = ({ slices }: CrossedSlices) => slices[through as 0 | 1 | 2];
      composer.volume(layers.base).set(sliceOf(base));
      if (overlay && view.shownValues) {
        composer.volume(layers.overlay).set(sliceOf(overlay));
        for (const [value, flag] of view.shownValues.entries()) {
          if (value > 0) composer.setVisible(scene.type, value, flag === 1);
        }
      }
      mapping.origin[through] = 0;
      composer.sizePane(0, width, height);
      composer.compose(0, mapping, scene);
      const png = encodeImage(composer.pixels(0), width, height);
      return { plane: pane.plane, width, height, png, marks: svg.svg };
    } finally {
      composer.close();
    }
  });
}
