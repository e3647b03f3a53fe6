import type { Shape } from "@/model/geometry.ts";

/** Splits a mask into 26-connected components: one list of voxel indices per lesion. */
export function lesionComponents(mask: Uint8Array, [nx, ny, nz]: Shape): number[][] {
  const unvisited = new Set<number>();
  for (let voxel = 0; voxel < mask.length; voxel++) if (mask[voxel] !== 0) unvisited.add(voxel);
  const components: number[][] = [];
  for (const start of unvisited) {
    unvisited.delete(start);
    const component = [start];
    for (let visited = 0; visited < component.length; visited++) {
      const at = component[visited]!,
        i = at % nx,
        j = Math.floor(at / nx) % ny,
        k = Math.floor(at / (nx * ny));
      for (let c = Math.max(0, k - 1); c <= Math.min(nz - 1, k + 1); c++) {
        for (let b = Math.max(0, j - 1); b <= Math.min(ny - 1, j + 1); b++) {
          for (let a = Math.max(0, i - 1); a <= Math.min(nx - 1, i + 1); a++) {
            const neighbour = a + nx * (b + ny * c);
            if (unvisited.delete(neighbour)) component.push(neighbour);
          }
        }
      }
    }
    components.push(component);
  }
  return components;
}
