import type { PresenterKind } from "@/viewer/slices/presenter.ts";
import type { SurfaceCamera } from "@/viewer/surface/camera.ts";
import type { SurfaceKernel, SurfaceMesh } from "@/viewer/surface/kernel.ts";

/**
 * How fine a frame is: `coarse` while a slow machine turns the surface, `fine` while a fast one
 * does, `smooth` at rest.
 */
type Quality = "coarse" | "fine" | "smooth";

/** Draws the surface on one canvas; every presenter gives the same look. */
export interface SurfacePresenter {
  readonly kind: PresenterKind;
  /** Draws the view of a camera; `width` × `height` device pixels of the pane. */
  draw(camera: SurfaceCamera, width: number, height: number, quality: Quality): void;
  /** The kernel's colours were written. */
  coloursChanged(): void;
  close(): void;
}

/** @param onLost The GPU went away: this canvas will show nothing more, take a new one. */
export type CreateSurfacePresenter = (
  canvas: HTMLCanvasElement,
  mesh: SurfaceMesh,
  kernel: SurfaceKernel,
  onLost: () => void,
) => SurfacePresenter;
