import { axesOfCommissures, type HeadAxes } from "@/model/linear/head_axes.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import type { ComparableList } from "@/model/schema/reading/comparables.ts";
import type { Grid } from "@/viewer/grid.ts";
import { momentsOf } from "@/viewer/reading/moments.ts";
import { axesOfHippocampi, longAxis, turnedGrid } from "@/viewer/reading/oblique.ts";
import type { Oblique } from "@/viewer/session/compare/source.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";

const HIPPOCAMPI = REGIONS.filter(({ part }) => part === "Hippocampus").map(({ label }) => label);

/** Region of the images shown in the panes at zoom 1, voxel indices. */
function fieldBox({ grid, scene: { field } }: ViewerSession): number[] {
  return [0, 1, 2].flatMap((axis) => {
    const half = field.extentMm[axis]! / grid.spacingMm[axis]! / 2, last = grid.shape[axis]! - 1;
    const middle = field.centreIjk[axis]!;
    return [Math.max(middle - half, 0), Math.min(middle + half, last)];
  });
}

/**
 * Oblique grid of a study along the commissures or hippocampi; `null` without a hippocampus.
 * Call `startReading` first.
 */
export function obliqueGrid(
  session: ViewerSession,
  along: Oblique,
  commissures: NonNullable<ComparableList["commissures"]>,
): Grid | null {
  let axes: HeadAxes | null = axesOfCommissures(commissures);
  if (along === "hippocampi") {
    const { composer, grid } = session;
    const sides = composer?.has("labels")
      ? HIPPOCAMPI.map((label) => longAxis(momentsOf(composer, grid, label), grid))
      : [];
    const foundAxes = sides.filter((side) => side !== null);
    axes = foundAxes.length > 0 ? axesOfHippocampi(foundAxes, axes) : null;
  }
  return axes && turnedGrid(session.grid, axes, fieldBox(session));
}
