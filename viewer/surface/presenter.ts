import type { PresenterKind } from "@/viewer/slices/presenter.ts";
import type { SurfaceCamera } from "@/viewer/surface/camera.ts";
import type { SurfaceKernel, SurfaceMesh } from "@/viewer/surface/kernel.ts";

/**
 * Quality of a frame: `coarse` during rotation on a slow machine,
 * `fine` on a fast one, `smooth` at rest.
 */
type Quality = "coarse" | "fine" | "smooth";

/** Renders the surface on one canvas; all presenters give the same appearance. */
export interface SurfacePresenter {
  readonly kind: PresenterKind;
  /** Renders the view of a camera; `width` × `height` device pixels of the pane. */
  draw(camera: SurfaceCamera, width: number, height: number, quality: Quality): void;
  /** Called when the kernel's colours were written. */
  coloursChanged(): void;
  close(): void;
}

/** @param onLost Called when the GPU was lost: this canvas cannot be used any more. */
export type CreateSurfacePresenter = (
  canvas: HTMLCanvasElement,
  mesh: SurfaceMesh,
  kernel: SurfaceKernel,
  onLost: () => void,
) => SurfacePresenter;
