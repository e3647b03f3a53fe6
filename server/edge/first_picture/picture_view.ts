import type { Shape } from "@/model/geometry.ts";
import type { FirstField } from "@/model/viewer/first_picture.ts";
import type { PaneSize } from "@/server/edge/first_picture/pane_sizes.ts";
import type { Plane, Scene } from "@/viewer/scene.ts";

/** A view of a study in numbers and words, from which a worker draws its panes. */
export interface PictureView {
  shape: Shape;
  /** RAS mm from voxel index, row-major. */
  affine: readonly number[];
  /** Sizes of the panes, and device pixels per CSS pixel. */
  panes: readonly PaneSize[];
  ratio: number;
  titles: Readonly<Record<Plane, string>>;
  crosshairMm: readonly number[];
  look: Pick<
    Scene,
    | "type"
    | "convention"
    | "window"
    | "scale"
    | "overlays"
    | "views"
    | "isCrosshairVisible"
    | "isOneScale"
  >;
  /** Values of the overlay that show, 256 flags; `null`: no overlay is drawn. */
  shownValues: readonly number[] | null;
}

/** Slices of one volume through a place, by the voxel axis across them; rows as stored. */
export interface CrossedSlices {
  slices: readonly [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
  /** Box of the labels, or of the head in an image; `null`: empty. */
  bounds: number[] | null;
}

/** One pane's picture: its image, and its marks as the elements of an SVG. */
export interface DrawnPane extends PaneSize {
  png: Uint8Array<ArrayBuffer>;
  /** SVG elements, device pixels of the pane. */
  marks: string;
}

/** View, voxels and field of the pictures that a worker draws. */
export interface PictureOrder {
  view: PictureView;
  base: CrossedSlices;
  overlay: CrossedSlices | null;
  field: FirstField | null;
}

/** Pictures as the page carries them. */
export interface FirstPictures {
  planes: readonly Plane[];
  /** HTML of each pane: an image, and its marks. */
  html: Partial<Record<Plane, string>>;
  /** `null`: the whole volume. */
  field: FirstField | null;
}
