// The pictures of the panes that come with the viewer's page, before a script runs.

/** Room of the viewer's panes together, CSS px, and device pixels per CSS pixel. */
export interface PanesRoom {
  width: number;
  height: number;
  ratio: number;
}

/** Of a window of 1280 × 910, with the side panel open. */
export const USUAL_ROOM: PanesRoom = { width: 960, height: 742, ratio: 1 };

/** Name of the cookie with the room that this browser's viewer had last; gone with the browser. */
export const ROOM_COOKIE = "viewer_room";
/**
 * Largest room that pictures are made for, CSS px, the most device pixels per CSS pixel, and the
 * most device pixels in all (a screen of 5120 × 2880 has fewer): the cookie is the caller's word.
 */
const MOST_PX = 4096, MOST_RATIO = 4, MOST_DEVICE_PX = 1 << 24;

/** A room as the cookie has it: "960x742x1". */
export const roomText = ({ width, height, ratio }: PanesRoom): string =>
  `${Math.round(width)}x${Math.round(height)}x${Number(ratio.toFixed(3))}`;

/** The room of a cookie; `null` for any other text. */
export function roomOf(text: string | undefined): PanesRoom | null {
  const match = /^(\d{1,4})x(\d{1,4})x(\d(?:\.\d{1,3})?)$/.exec(text ?? "");
  const [width = 0, height = 0, ratio = 0] = match?.slice(1).map(Number) ?? [];
  const isRoom = Math.min(width, height) >= 64 && Math.max(width, height) <= MOST_PX &&
    ratio >= 0.25 && ratio <= MOST_RATIO && width * height * ratio ** 2 <= MOST_DEVICE_PX;
  return isRoom ? { width, height, ratio } : null;
}

/** The part of the volume that fills the panes at zoom 1. */
export interface FirstField {
  /** First and last voxel index on each axis, [i0, i1, j0, j1, k0, k1]. */
  bounds: readonly number[];
  /** Added on every side. */
  marginMm: number;
}
