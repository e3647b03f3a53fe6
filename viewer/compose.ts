import { initSync, SliceComposer } from "@/wasm/pkg/kernels/bind_browser.js";
import { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import { regionOf } from "@/model/regions.ts";
import type { Scene } from "@/viewer/scene.ts";
import type { PaneMapping } from "@/viewer/scene.ts";

/** Labels that a colour table holds. */
const TABLE_SIZE = 256;

/** The kernel with one patient's volumes in its memory. One compose is one call; it allocates nothing. */
export interface Composer {
  /** Label map as the kernel sees it; do not keep it across {@link sizePane}. */
  readonly labels: Uint8Array;
  setVisible(label: number, isVisible: boolean): void;
  /** @throws {RangeError} when there is no such pane, or memory is short. */
  sizePane(pane: number, width: number, height: number): void;
  /** Composes a pane of the size last given for it. */
  compose(pane: number, mapping: PaneMapping, scene: Scene): void;
  /** RGBA of a pane, rows from the top; valid until the next {@link sizePane}. */
  pixels(pane: number): Uint8ClampedArray<ArrayBuffer>;
  /** Gives the memory back; the composer is not used again. */
  close(): void;
}

let memory: WebAssembly.Memory | null = null;

/** Opacity 0..100 % as the kernel takes it, 0 when the overlay is hidden. */
const opacityByte = (overlay: Scene["overlay"]): number =>
  overlay.isVisible ? Math.round(Math.min(Math.max(overlay.opacityPercent, 0), 100) * 2.55) : 0;

/**
 * Copies the volumes into the kernel's memory, once.
 *
 * @param module The compiled kernels; one instance serves the page.
 * @param base   Intensities 0..255, [nx, ny, nz], i fastest.
 * @param labels Label map of the same shape, or `null`.
 * @throws {AppError} `engine.unsupported_input` when sizes disagree or memory is short.
 */
export function createComposer(
  module: WebAssembly.Module,
  shape: Shape,
  base: Uint8Array,
  labels: Uint8Array | null,
): Composer {
  memory ??= initSync({ module }).memory;
  const instance = memory, voxels = shape[0] * shape[1] * shape[2];
  const kernel = base.length === voxels && (labels === null || labels.length === voxels)
    ? SliceComposer.create(...shape)
    : undefined;
  if (!kernel) {
    throw new AppError(
      "engine.unsupported_input",
      "Cannot show the volume: sizes disagree or memory is short",
      {
        reason: "viewer.volume_size",
        voxels,
      },
    );
  }
  const addresses = {
    labels: kernel.labels_address(),
    visible: kernel.visible_address(),
    mapping: kernel.mapping_address(),
  };
  new Uint8Array(instance.buffer, kernel.base_address(), voxels).set(base);
  if (labels) new Uint8Array(instance.buffer, addresses.labels, voxels).set(labels);
  writeColours(new Uint32Array(instance.buffer, kernel.table_address(), TABLE_SIZE));

  // Views die when the memory grows; they are made again then, and only then.
  let buffer: ArrayBufferLike | null = null;
  let labelView = new Uint8Array(), visibleView = new Uint8Array(), mappingView = new Float64Array();
  const paneViews: (Uint8ClampedArray<ArrayBuffer> | undefined)[] = [], paneBytes: number[] = [];
  const refresh = () => {
    if (buffer === instance.buffer) return;
    buffer = instance.buffer;
    labelView = new Uint8Array(buffer, addresses.labels, voxels);
    visibleView = new Uint8Array(buffer, addresses.visible, TABLE_SIZE);
    mappingView = new Float64Array(buffer, addresses.mapping, 9);
    paneViews.length = 0;
  };
  return {
    get labels() {
      refresh();
      return labelView;
    },
    setVisible(label, isVisible) {
      refresh();
      visibleView[label] = isVisible ? 1 : 0;
    },
    sizePane(pane, width, height) {
      if (!kernel.size_pane(pane, width, height)) {
        throw new RangeError(`Cannot size pane ${pane}: ${width} × ${height}`);
      }
      paneBytes[pane] = width * height * 4;
      paneViews[pane] = undefined;
    },
    compose(pane, mapping, scene) {
      refresh();
      mappingView.set(mapping.origin, 0);
      mappingView.set(mapping.du, 3);
      mappingView.set(mapping.dv, 6);
      kernel.compose(pane, scene.window.width, scene.window.level, opacityByte(scene.overlay));
    },
    pixels(pane) {
      refresh();
      paneViews[pane] ??= new Uint8ClampedArray(
        instance.buffer as ArrayBuffer,
        kernel.pane_address(pane),
        paneBytes[pane] ?? 0,
      );
      return paneViews[pane]!;
    },
    close: () => kernel.free(),
  };
}

/** Colours of model/regions.ts as little-endian RGBA words. */
function writeColours(table: Uint32Array): void {
  for (let label = 0; label < TABLE_SIZE; label++) {
    const [r, g, b] = regionOf(label)?.rgb ?? [0, 0, 0];
    table[label] = (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
  }
}
