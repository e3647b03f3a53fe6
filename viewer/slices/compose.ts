import { initSync, SliceComposer } from "@/wasm/pkg/kernels/bind_browser.js";
import { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import {
  TABLE_SIZE,
  writeLesionColours,
  writeRegionColours,
  writeThicknessColours,
} from "@/viewer/colours.ts";
import {
  type Overlay,
  type PaneMapping,
  type Scene,
  VIEWER_TYPES,
  type ViewerType,
} from "@/viewer/scene.ts";

/** The 8-bit volumes of a patient's grid, in the kernel's order. */
export const SLOTS = ["t1w", "labels", "thickness", "flair", "lesions"] as const;
export type Slot = (typeof SLOTS)[number];

/** Base and overlay of each tab, as in the kernel's table. */
export const LAYERS: Readonly<Record<ViewerType, { base: Slot; overlay: Slot }>> = {
  parcellation: { base: "t1w", overlay: "labels" },
  corticalThickness: { base: "t1w", overlay: "thickness" },
  wmh: { base: "flair", overlay: "lesions" },
};

/** Memory page size of the machine, bytes. */
const PAGE = 4096;

/**
 * Writes voxels into a zero-initialised volume of {@link Composer}, from voxel `offset` on.
 * Pages of zeros are skipped: an untouched page uses no memory, and most of a label map is air.
 */
export function writeVoxels(volume: Uint8Array, offset: number, voxels: Uint8Array): void {
  const start = volume.byteOffset + offset;
  for (let at = 0, end = 0; at < voxels.length; at = end) {
    end = at + PAGE - (start + at) % PAGE;
    const page = voxels.subarray(at, end);
    let zeros = 0;
    while (zeros < page.length && page[zeros] === 0) zeros++;
    if (zeros < page.length) volume.set(page, offset + at);
  }
}

/** The kernel with one patient's volumes in memory. Composing is one call and allocates nothing. */
export interface Composer {
  readonly shape: Shape;
  /**
   * A volume as the kernel's view, [nx, ny, nz], i fastest; zero-initialised on first use.
   * Do not keep the view across other calls: it becomes empty when memory grows.
   *
   * @throws {AppError} `engine.unsupported_input` for insufficient memory.
   */
  volume(slot: Slot): Uint8Array;
  has(slot: Slot): boolean;
  /** Frees the memory of a volume. */
  drop(slot: Slot): void;
  /** The voxels of the label map; empty until loaded. */
  readonly labels: Uint8Array;
  /**
   * Colour table of an overlay, 256 little-endian RGBA words; changes apply to the next compose.
   */
  table(type: ViewerType): Uint32Array;
  /** Shows or hides one value (0..255) of an overlay; value 0 is never visible. */
  setVisible(type: ViewerType, value: number, isVisible: boolean): void;
  /** @throws {RangeError} for an unknown pane, or insufficient memory. */
  sizePane(pane: number, width: number, height: number): void;
  /** Composes a pane in the size given last, with the scene's layer, window and opacity. */
  compose(pane: number, mapping: PaneMapping, scene: Scene): void;
  /** RGBA pixels of a pane, rows from the top; valid until memory grows. */
  pixels(pane: number): Uint8ClampedArray<ArrayBuffer>;
  /** Frees the memory; the composer must not be used afterwards. */
  close(): void;
  /** Internal objects for viewer/voxel_kernels.ts. */
  readonly kernel: SliceComposer;
  readonly memory: WebAssembly.Memory;
  /** Sets the geometry of a pane for the kernel's next calls. */
  setMapping(mapping: PaneMapping): void;
}

const NONE = new Uint8Array();

let memory: WebAssembly.Memory | null = null;

/** Opacity for the kernel, from 0..100 %; 0 when the overlay is hidden. */
const opacityByte = (overlay: Overlay): number =>
  overlay.isVisible ? Math.round(Math.min(Math.max(overlay.opacityPercent, 0), 100) * 2.55) : 0;

const refusal = (voxels: number) =>
  new AppError(
    "engine.unsupported_input",
    "Cannot show the volume: it is too large or memory is short",
    {
      reason: "viewer.volume_size",
      voxels,
    },
  );

/**
 * Creates a composer without volumes.
 *
 * @param module The compiled kernels; the page uses one instance.
 * @throws {AppError} `engine.unsupported_input` for an empty or invalid shape.
 */
export function createComposer(module: WebAssembly.Module, shape: Shape): Composer {
  memory ??= initSync({ module }).memory;
  const instance = memory, voxels = shape[0] * shape[1] * shape[2];
  const kernel = shape.every((n) => Number.isSafeInteger(n) && n > 0)
    ? SliceComposer.create(...shape)
    : undefined;
  if (!kernel) throw refusal(voxels);
  const addresses = {
    tables: kernel.tables_address(),
    visible: kernel.visible_address(),
    mapping: kernel.mapping_address(),
  };
  const places = new Map<Slot, number>();

  // views are detached when the memory grows, and recreated only then
  let buffer: ArrayBufferLike | null = null;
  let mappingView = new Float64Array(), visibleView = new Uint8Array();
  const tableViews: Uint32Array[] = [], volumeViews = new Map<Slot, Uint8Array>();
  const paneViews: (Uint8ClampedArray<ArrayBuffer> | undefined)[] = [], paneBytes: number[] = [];
  const refresh = () => {
    if (buffer === instance.buffer) return;
    buffer = instance.buffer;
    mappingView = new Float64Array(buffer, addresses.mapping, 9);
    visibleView = new Uint8Array(buffer, addresses.visible, VIEWER_TYPES.length * TABLE_SIZE);
    for (const at of VIEWER_TYPES.keys()) {
      tableViews[at] = new Uint32Array(buffer, addresses.tables + at * TABLE_SIZE * 4, TABLE_SIZE);
    }
    volumeViews.clear();
    paneViews.length = 0;
  };
  const volume = (slot: Slot): Uint8Array => {
    let address = places.get(slot);
    if (address === undefined) {
      address = kernel.volume_address(SLOTS.indexOf(slot));
      if (address === 0) throw refusal(voxels);
      places.set(slot, address);
    }
    refresh();
    let view = volumeViews.get(slot);
    if (!view) volumeViews.set(slot, view = new Uint8Array(instance.buffer, address, voxels));
    return view;
  };
  const setMapping = (mapping: PaneMapping) => {
    refresh();
    mappingView.set(mapping.origin, 0);
    mappingView.set(mapping.du, 3);
    mappingView.set(mapping.dv, 6);
  };
  refresh();
  writeRegionColours(tableViews[VIEWER_TYPES.indexOf("parcellation")]!);
  writeThicknessColours(tableViews[VIEWER_TYPES.indexOf("corticalThickness")]!);
  writeLesionColours(tableViews[VIEWER_TYPES.indexOf("wmh")]!);
  return {
    shape,
    volume,
    has: (slot) => places.has(slot),
    drop(slot) {
      if (places.delete(slot)) kernel.drop_volume(SLOTS.indexOf(slot));
      volumeViews.delete(slot);
    },
    get labels() {
      return places.has("labels") ? volume("labels") : NONE;
    },
    table(type) {
      refresh();
      return tableViews[VIEWER_TYPES.indexOf(type)]!;
    },
    setVisible(type, value, isVisible) {
      refresh();
      visibleView[VIEWER_TYPES.indexOf(type) * TABLE_SIZE + value] = isVisible ? 1 : 0;
    },
    sizePane(pane, width, height) {
      if (!kernel.size_pane(pane, width, height)) {
        throw new RangeError(`Cannot size pane ${pane}: ${width} × ${height}`);
      }
      paneBytes[pane] = width * height * 4;
      paneViews[pane] = undefined;
    },
    compose(pane, mapping, scene) {
      setMapping(mapping);
      kernel.compose(
        pane,
        VIEWER_TYPES.indexOf(scene.type),
        scene.window.width,
        scene.window.level,
        scene.isOutlined ? 0 : opacityByte(scene.overlays[scene.type]),
      );
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
    kernel,
    memory: instance,
    setMapping,
  };
}
