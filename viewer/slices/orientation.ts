import type { Grid } from "@/viewer/grid.ts";
import { acrossAxis, type Convention, downAxis, type Plane } from "@/viewer/scene.ts";

/** Orientation letters at the four edges of a pane; the patient's directions. */
export interface OrientationMarks {
  left: string;
  right: string;
  top: string;
  bottom: string;
}

const LETTERS = [["R", "L"], ["A", "P"], ["S", "I"]] as const;
/** Sine of 15°: a direction that deviates more from an axis is named by two letters. */
const SECOND_LETTER = Math.sin(Math.PI / 12);

/**
 * Letters of a direction in RAS, strongest first: "L", or "LA" if more than 15° to the front.
 * @see PS3.3 C.7.6.1.1.1, Patient Orientation.
 */
export function directionLetters(ras: readonly number[]): string {
  const length = Math.hypot(...ras);
  return [0, 1, 2]
    .map((axis) => ({ axis, cosine: (ras[axis] ?? 0) / length }))
    .filter((c) => Math.abs(c.cosine) > SECOND_LETTER)
    .sort((a, b) => Math.abs(b.cosine) - Math.abs(a.cosine))
    .map((c) => LETTERS[c.axis]![c.cosine > 0 ? 0 : 1])
    .join("");
}

/**
 * Orientation letters of a pane from the grid's directions.
 * Flipped and oblique grids are therefore marked correctly.
 */
export function marksOf(grid: Grid, plane: Plane, convention: Convention): OrientationMarks {
  const direction = (screen: { ras: number; sign: number }, sense: 1 | -1) => {
    const axis = grid.voxelAxis[screen.ras]!,
      sign = screen.sign * grid.voxelSign[screen.ras]! * sense;
    return directionLetters([0, 1, 2].map((r) => sign * grid.rasFromIjk[axis * 4 + r]!));
  };
  const across = acrossAxis(plane, convention), down = downAxis(plane);
  return {
    left: direction(across, -1),
    right: direction(across, 1),
    top: direction(down, -1),
    bottom: direction(down, 1),
  };
}
