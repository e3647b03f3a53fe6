// Images of the viewer's panes within the HTML page, displayed before a script runs.

/** Size of all viewer panes together, CSS px, and device pixels per CSS pixel. */
export interface PanesRoom {
  width: number;
  height: number;
  ratio: number;
}

/** Size of the panes in a window of 1280 × 910 with the side panel open. */
export const USUAL_ROOM: PanesRoom = { width: 960, height: 742, ratio: 1 };

/** Session cookie with the last size of this browser's viewer panes. */
export const ROOM_COOKIE = "viewer_room";
/**
 * Limits of the pane size: CSS px, device pixels per CSS pixel, and total device pixels (a 5120 ×
 * 2880 screen has fewer). Needed because clients can forge the cookie.
 */
const MOST_PX = 4096, MOST_RATIO = 4, MOST_DEVICE_PX = 1 << 24;

/** Formats a size for the cookie: "960x742x1". */
export const roomText = ({ width, height, ratio }: PanesRoom): string =>
  `${Math.round(width)}x${Math.round(height)}x${Number(ratio.toFixed(3))}`;

/** Parses the size in the cookie; `null` for an invalid text. */
export function roomOf(text: string | undefined): PanesRoom | null {
  const match = /^(\d{1,4})x(\d{1,4})x(\d(?:\.\d{1,3})?)$/.exec(text ?? "");
  const [width = 0, height = 0, ratio = 0] = match?.slice(1).map(Number) ?? [];
  const isRoom = Math.min(width, height) >= 64 && Math.max(width, height) <= MOST_PX &&
    ratio >= 0.25 && ratio <= MOST_RATIO && width * height * ratio ** 2 <= MOST_DEVICE_PX;
  return isRoom ? { width, height, ratio } : null;
}

/** Region of the volume that fills the panes at zoom 1. */
export interface FirstField {
  /** First and last voxel index on each axis, [i0, i1, j0, j1, k0, k1]. */
  bounds: readonly number[];
  /** margin around the region on every side, mm */
  marginMm: number;
}
