import type { Shape } from "@/model/geometry.ts";
import type { FirstField } from "@/model/viewer/first_picture.ts";
import type { PaneSize } from "@/server/edge/first_picture/pane_sizes.ts";
import type { Plane, Scene } from "@/viewer/scene.ts";

/** Serialisable description of a view, from which a worker renders the view's panes. */
export interface PictureView {
  shape: Shape;
  /** affine to RAS mm from voxel index, row-major */
  affine: readonly number[];
  /** sizes of the panes, and device pixels per CSS pixel */
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
  /** visible values of the overlay, 256 flags; `null`: no overlay */
  shownValues: readonly number[] | null;
}

/** Slices of one volume through a point, one across each voxel axis; rows as stored. */
export interface CrossedSlices {
  slices: readonly [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
  /** bounding box of the labels, or of the head in an image; `null`: empty */
  bounds: number[] | null;
}

/** Picture of one pane: image, and overlay as SVG elements. */
export interface DrawnPane extends PaneSize {
  png: Uint8Array<ArrayBuffer>;
  /** SVG elements in device pixels of the pane */
  marks: string;
}

/** View, voxels and field of the pictures to be rendered. */
export interface PictureOrder {
  view: PictureView;
  base: CrossedSlices;
  overlay: CrossedSlices | null;
  field: FirstField | null;
}

/** Server-rendered pictures, as the page embeds them. */
export interface FirstPictures {
  planes: readonly Plane[];
  /** HTML of each pane: image and overlay */
  html: Partial<Record<Plane, string>>;
  /** region of the volume that is shown; `null`: the whole volume */
  field: FirstField | null;
}
