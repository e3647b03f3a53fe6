import type { Vec3 } from "@/model/geometry.ts";
import type { Hanging } from "@/model/schema/reading/hanging.ts";
import type { ViewerFile, ViewerVolume } from "@/model/schema/studies/viewer_files.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { type PanesRoom } from "@/model/viewer/first_picture.ts";
import type { ViewerPatient } from "@/model/viewer/viewer_patient.ts";
import { firstTab, VIEWER_TYPES, type ViewerType } from "@/model/viewer/viewer_tabs.ts";
import { paneSizes } from "@/server/edge/first_picture/pane_sizes.ts";
import type { PictureView } from "@/server/edge/first_picture/picture_view.ts";
import { type Division, layoutOf } from "@/viewer/layout.ts";
import { type Overlay, type Plane, PLANES } from "@/viewer/scene.ts";
import { applyView } from "@/viewer/session/address.ts";
import { ViewerSession } from "@/viewer/session/session.ts";
import { readView } from "@/viewer/view_address.ts";

/** Maximum number of voxels for which pictures are made: the worker holds one volume at a time. */
const MAX_VOXELS = 1 << 25;

/** The viewer page for which pictures are made. */
export interface PicturedPage {
  patient: ViewerPatient;
  volume: ViewerVolume;
  settings: { division: Division; hanging: Hanging };
  /** query of the page's address */
  search: URLSearchParams;
  language: Language;
  room: PanesRoom;
}

/** API paths of a study's files, and the view with which the page opens. */
export interface PicturedStudy {
  /** API paths of the image, and of the label map or lesions */
  files: readonly string[];
  view: PictureView;
  /** voxel indices of the slices that the panes show */
  at: Vec3;
  isFlair: boolean;
  isOverlayDrawn: boolean;
}

/** Path of a file on this site's API; for a remote address the documented path. */
function pathOf(pid: number, field: ViewerFile, address: string): string {
  const here = "http://core", url = URL.parse(address, here);
  return url?.origin === here && url.pathname.startsWith("/api/")
    ? url.pathname + url.search
    : `/api/v1/patients/image/viewer/${pid}?file=${field}`;
}

/**
 * View with which a page opens, by the page's own rules. `null` if the panes will differ from it:
 * another tab or layout in the address, a mosaic, measurements or a comparison.
 */
export function picturedStudy(page: PicturedPage): PicturedStudy | null {
  const { patient, volume, settings, search, language, room } = page, view = readView(search);
  const isCompared = search.has("compare") || settings.hanging.opens !== "nothing";
  if (isCompared || view.mosaic || view.measurements?.length) return null;
  const [nx, ny, nz] = volume.shape, type = firstTab(patient);
  if (type === null || !(nx * ny * nz > 0 && nx * ny * nz <= MAX_VOXELS)) return null;
  const titleOf = (plane: Plane) => textIn(viewerText[plane], language);
  const session = new ViewerSession(patient, volume, titleOf);
  session.division.value = settings.division;
  const rendered = JSON.stringify(layoutOf(session.layout));
  applyView(session, view);
  if (session.type.value !== type || JSON.stringify(layoutOf(session.layout)) !== rendered) {
    return null;
  }
  const { scene } = session, isFlair = type === "wmh";
  const shown = isFlair ? session.shownLesions.value : session.shownRegions.value;
  const isOverlayDrawn = scene.overlays[type].isVisible && shown.includes(1);
  const fields: ViewerFile[] = isFlair
    ? ["t2w_file", ...isOverlayDrawn ? ["t2w_mask_file" as const] : []]
    : ["t1w_file", "t1w_mask_file"];
  const paths = fields.map((field) => {
    const address = patient[field as keyof ViewerPatient];
    return typeof address === "string" ? pathOf(patient.pid, field, address) : null;
  });
  if (paths.includes(null)) return null;
  return {
    files: paths.filter((path) => path !== null),
    at: session.voxelAtCrosshair,
    isFlair,
    isOverlayDrawn,
    view: {
      shape: [nx, ny, nz],
      affine: volume.affine,
      panes: paneSizes(layoutOf(session.layout), room),
      ratio: room.ratio,
      titles: Object.fromEntries(PLANES.map((plane) => [plane, titleOf(plane)])) as Record<
        Plane,
        string
      >,
      crosshairMm: [...scene.crosshairMm],
      look: {
        type,
        convention: scene.convention,
        window: { width: scene.window.width, level: scene.window.level },
        scale: scene.scale && { slope: scene.scale.slope, intercept: scene.scale.intercept },
        overlays: Object.fromEntries(
          VIEWER_TYPES.map((kind) => [kind, { ...scene.overlays[kind] }]),
        ) as Record<ViewerType, Overlay>,
        views: structuredClone(scene.views),
        isCrosshairVisible: scene.isCrosshairVisible,
        isOneScale: scene.isOneScale,
      },
      shownValues: isOverlayDrawn ? [...shown] : null,
    },
  };
}
