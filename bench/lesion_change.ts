/**
 * Changed lesions between two FLAIR studies, against the truth: simulated pairs of two real heads
 * (new lesions of 10 to 500 mm³ in slices of 3 mm, or no change), and a real pair, changes drawn
 * by experts.
 *
 * deno task bench lesion_change [--pairs N] [--heads 07,26] [--json FILE]
 *
 * Default: two pairs with new lesions and two without, of patient 07, and the real pair; 5 minutes
 * on two cores. The comparison's constants were chosen on patient 26 with other seeds; patient 07
 * was not used for that.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Affine, affineFromRows, applyAffine, compose, invert } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { finish, optionOf, type Row } from "@/bench/record.ts";
import { atLeast, atMost, figure } from "@/bench/engine/measure.ts";
import { simulatePair } from "@/bench/lesion_changes/simulated_pair.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { runFlairChange } from "@/server/core/engine/flair_change.ts";
import type { FlairChangeResult } from "@/server/core/engine/result.ts";

const SCANS = fileURLToPath(new URL("../../shared/data/scans", import.meta.url));
const nifti = (path: string): Volume => decodeNifti(Deno.readFileSync(`${SCANS}/${path}`));
const compare = (visits: readonly [Volume, Volume]) => runFlairChange(visits, {});

/** Minimum size of lesions in the sensitivity, mm³; limits of sensitivity and of false lesions. */
const LEAST_MM3 = 30, SENSITIVITY_BAR = 0.8, FALSE_BAR = 1, REAL_BAR = 9;
/** Maximum distance between a planted lesion's surface and the centre of the found one, mm. */
const NEAR_MM = 3;

async function simulatedRows(patient: string, pairs: number): Promise<Row[]> {
  const flair = nifti(`ms_mni_patient${patient}/flair.nii.gz`),
    t1 = nifti(`ms_mni_patient${patient}/t1.nii.gz`);
  let planted = 0, found = 0, small = 0, smallFound = 0, wrong = 0, wrongStable = 0, seconds = 0;
  for (let n = 0; n < 2 * pairs; n++) {
    const isStable = n >= pairs,
      pair = simulatePair(flair, t1, 1000 + n, isStable),
      from = performance.now();
    console.error(`patient ${patient}, pair ${n + 1} of ${2 * pairs}`);
    const { lesions } = await compare(pair.visits), used = new Set<number>();
    seconds += (performance.now() - from) / 1000;
    for (const { centreMm, mm3 } of pair.planted) {
      const reach = Math.cbrt(mm3 * 0.75 / Math.PI) + NEAR_MM;
      const at = lesions.findIndex(({ kind, centreRasMm: [, mm] }) =>
        (kind === "new" || kind === "enlarging") &&
        Math.hypot(mm[0] - centreMm[0], mm[1] - centreMm[1], mm[2] - centreMm[2]) < reach
      );
      if (at >= 0) used.add(at);
      if (mm3 < LEAST_MM3) [small, smallFound] = [small + 1, smallFound + Number(at >= 0)];
      else [planted, found] = [planted + 1, found + Number(at >= 0)];
    }
    if (isStable) wrongStable += lesions.length;
    else wrong += lesions.length - used.size;
  }
  const name = `patient ${patient}, simulated`;
  return [
    atLeast(
      `${name}: found of ${planted} new lesions from ${LEAST_MM3} mm³ on`,
      found / planted,
      "1",
      SENSITIVITY_BAR,
    ),
    figure(`${name}: found of ${small} new lesions of 10 and 20 mm³`, smallFound / small, "1"),
    atMost(
      `${name}: false lesions a stable pair (${pairs} pairs)`,
      wrongStable / pairs,
      "1",
      FALSE_BAR,
    ),
    figure(`${name}: false lesions a pair with new ones (${pairs} pairs)`, wrong / pairs, "1"),
    figure(`${name}: a comparison takes`, seconds / (2 * pairs), "s"),
  ];
}

/** Reads an affine from an ITK transform file (LPS) as RAS mm → RAS mm. */
function itkTransform(path: string): Affine<"Ras", "Ras"> {
  const lines = Deno.readTextFileSync(`${SCANS}/${path}`).split("\n");
  const numbers = (at: number) => lines[at]!.split(/\s+/).slice(1).filter(Boolean).map(Number);
  const p = numbers(3), c = numbers(4), flip = [-1, -1, 1];
  const rows = [0, 1, 2].map((r) => {
    const m = p.slice(3 * r, 3 * r + 3);
    const t = p[9 + r]! + c[r]! - m.reduce((sum, v, a) => sum + v * c[a]!, 0);
    return [...m.map((v, a) => v * flip[r]! * flip[a]!), t * flip[r]!];
  });
  return affineFromRows<"Ras", "Ras">([...rows, [0, 0, 0, 1]]);
}

/** Number of the connected component (26 neighbours) of each voxel of a mask; 0: background. */
function partsOf({ voxels, shape: [nx, ny, nz] }: Volume): { part: Int32Array; sizes: number[] } {
  const part = new Int32Array(voxels.length), sizes = [0];
  for (let start = 0; start < part.length; start++) {
    if (!voxels[start] || part[start]) continue;
    const stack = [start], number = sizes.length;
    part[start] = number;
    sizes.push(0);
    for (let v = stack.pop(); v !== undefined; v = stack.pop()) {
      sizes[number]!++;
      const i = v % nx, j = Math.floor(v / nx) % ny, k = Math.floor(v / (nx * ny));
      for (let n = 0; n < 27; n++) {
        const [a, b, c] = [i + n % 3 - 1, j + Math.floor(n / 3) % 3 - 1, k + Math.floor(n / 9) - 1];
        if (a < 0 || b < 0 || c < 0 || a >= nx || b >= ny || c >= nz) continue;
        const at = a + nx * (b + ny * c);
        if (!voxels[at] || part[at]) continue;
        part[at] = number;
        stack.push(at);
      }
    }
  }
  return { part, sizes };
}

/** Number of changes drawn by experts that a found lesion overlaps. */
function touchedOf(patient: string, visits: readonly Volume[], { marks }: FlairChangeResult) {
  const truth = nifti(`${patient}/gt.nii.gz`),
    { part, sizes } = partsOf(truth),
    touched = new Set<number>();
  const [nx, ny] = truth.shape;
  visits.forEach((visit, n) => {
    const fromTruth = compose(
      compose(
        invert(visit.rasFromIjk),
        itkTransform(`${patient}/study${n + 1}_FLAIR_to_common_space.txt`),
      ),
      truth.rasFromIjk as unknown as Affine<"Ras", "Ras">,
    ) as unknown as Affine<"Ijk", "Ijk">;
    for (let v = 0; v < part.length; v++) {
      if (part[v] === 0) continue;
      const ijk = [v % nx, Math.floor(v / nx) % ny, Math.floor(v / (nx * ny))] as const;
      const [i, j, k] = applyAffine(fromTruth as unknown as Affine<"Ras", "Ras">, ijk).map(
        Math.round,
      ) as [
        number,
        number,
        number,
      ];
      const [mx, my, mz] = visit.shape;
      if (i < 0 || j < 0 || k < 0 || i >= mx || j >= my || k >= mz) continue;
      if (marks[n as 0 | 1][i + mx * (j + my * k)]) touched.add(part[v]!);
    }
  });
  return { touched: touched.size, parts: sizes.length - 1 };
}

async function realRows(patient: string): Promise<Row[]> {
  const visits = [
    nifti(`${patient}/study1_FLAIR.nii.gz`),
    nifti(`${patient}/study2_FLAIR.nii.gz`),
  ] as const;
  const result = await compare(visits), { touched, parts } = touchedOf(patient, visits, result);
  return [
    atLeast(`${patient}: touched of ${parts} drawn changes`, touched, "1", REAL_BAR),
    figure(`${patient}: lesions found`, result.lesions.length, "1"),
    figure(`${patient}: correlation of the visits`, result.ncc, "1"),
  ];
}

if (import.meta.main) {
  const pairs = Number(optionOf("pairs") ?? 2), heads = (optionOf("heads") ?? "07").split(",");
  const rows: Row[] = [];
  if (existsSync(SCANS)) {
    rows.push(...await realRows("ms_patient01"));
    for (const patient of heads) rows.push(...await simulatedRows(patient, pairs));
  }
  finish("lesion_change", `${pairs} pairs a head, ${heads.join(" and ")}`, rows);
}
