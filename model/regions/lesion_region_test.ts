import assert from "node:assert/strict";
import { affineFromRows, applyAffine, type Shape } from "@/model/geometry.ts";
import { lesionRegion } from "@/model/regions/lesion_region.ts";
import { isCortex, REGIONS } from "@/model/regions/regions.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

const SHAPE: Shape = [24, 20, 12];
const RAS = affineFromRows<"Ras", "Ijk">([[-1, 0.1, 0, 20], [0.1, 1, 0, -9], [0, 0, 3, -15]]);
const WHITE = REGIONS.find(({ group }) => group === "white matter")!.label;

Deno.test("lesionRegion() is the cortex nearest to a lesion in white matter, by mm", () => {
  const random = new Random(4);
  for (let n = 0; n < 40; n++) {
    const labels = new Uint8Array(24 * 20 * 12).fill(WHITE);
    const cortex = Array.from({ length: 5 }, () => {
      const ijk = SHAPE.map((size) => Math.floor(random.between(0, size))) as [
        number,
        number,
        number,
      ];
      const label = Math.floor(random.between(37, 105));
      labels[ijk[0] + 24 * (ijk[1] + 20 * ijk[2])] = label;
      return { label, ijk };
    });
    const at = SHAPE.map((size) => Math.floor(random.between(0, size))) as [number, number, number];
    const away = ({ ijk }: { ijk: number[] }) =>
      Math.hypot(
        ...ijk.map((index, axis) =>
          (index - at[axis]!) * [Math.hypot(1, 0.1), Math.hypot(1, 0.1), 3][axis]!
        ),
      );
    const least = Math.min(...cortex.map(away));
    const nearest = cortex.filter((one) => away(one) < least + 1e-9).map(({ ijk: [i, j, k] }) =>
      labels[i + 24 * (j + 20 * k)]
    );
    const found = lesionRegion(labels, SHAPE, RAS, applyAffine(RAS, at));
    assert.ok(nearest.includes(found!), `${found}, not ${nearest}`);
  }
});

Deno.test("lesionRegion() names a structure that the lesion lies in, and nothing far from the brain", () => {
  const labels = new Uint8Array(24 * 20 * 12), at: [number, number, number] = [10, 10, 6];
  const v = 10 + 24 * (10 + 20 * 6);
  assert.equal(lesionRegion(labels, SHAPE, RAS, applyAffine(RAS, at)), null);
  assert.equal(lesionRegion(labels, SHAPE, RAS, [900, 0, 0]), null);
  const labelOf = (group: string) => REGIONS.find((region) => region.group === group)!.label;
  labels[v + 1] = REGIONS.find(({ label }) => isCortex(label))!.label;
  for (const group of ["deep grey", "brain stem", "cerebellum", "corpus callosum"]) {
    labels[v] = labelOf(group);
    assert.equal(lesionRegion(labels, SHAPE, RAS, applyAffine(RAS, at)), labelOf(group));
  }
  // ventricles are no place for a lesion
  labels[v] = labelOf("ventricle");
  assert.equal(lesionRegion(labels, SHAPE, RAS, applyAffine(RAS, at)), labels[v + 1]);
});
