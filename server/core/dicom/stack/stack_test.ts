// covers: S-17, S-107
import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import {
  affineFromRows,
  applyAffine,
  compose,
  invert,
  type Shape,
  type Vec3,
} from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { ORIENTATIONS } from "@/server/commands/demo/phantom/grid.ts";
import { compareReadings, uncheckedClass } from "@/server/core/dicom/convert/convert_checks.ts";
import { type InstanceHeader, readInstance } from "@/server/core/dicom/read/instance.ts";
import { encodeNifti } from "@/server/core/dicom/read/nifti.ts";
import {
  buildVolume,
  type BuiltVolume,
  type Stack,
  stackOf,
} from "@/server/core/dicom/stack/build.ts";
import { outputGrid } from "@/server/core/dicom/stack/grid.ts";
import { bitFormatOf, valueOf } from "@/server/core/dicom/stack/pixels.ts";
import { decodeRle } from "@/server/core/dicom/stack/rle.ts";
import { stacksOf } from "@/server/core/dicom/stack/parts.ts";
import { checkByTwin } from "@/server/core/dicom/stack/twin.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const random = (() => {
  let state = 7;
  return (below: number) => (state = (state * 48271) % 2147483647) % below;
})();

Deno.test("valueOf() is the stored bits and no others, signed or not", () => {
  for (let n = 0; n < 5000; n++) {
    const bitsAllocated = n % 3 ? 16 : 8,
      bitsStored = 1 + random(bitsAllocated),
      isSigned = n % 2 === 0;
    const highBit = bitsStored - 1 + random(bitsAllocated - bitsStored + 1),
      bits = random(2 ** bitsAllocated);
    const format = bitFormatOf({ bitsAllocated, bitsStored, highBit, isSigned } as never);
    const digits = bits.toString(2).padStart(bitsAllocated, "0");
    const stored = digits.slice(
      bitsAllocated - 1 - highBit,
      bitsAllocated - highBit + bitsStored - 1,
    );
    const wanted = parseInt(stored, 2) - (isSigned && stored[0] === "1" ? 2 ** bitsStored : 0);
    assert.equal(
      valueOf(bits, format),
      wanted,
      JSON.stringify({ bits, bitsStored, highBit, isSigned }),
    );
  }
});

/** Simple PackBits encoder: repeated bytes become runs, other bytes single literals. */
function packBits(bytes: readonly number[]): number[] {
  const out: number[] = [];
  for (let at = 0; at < bytes.length;) {
    let run = 1;
    while (run < 128 && bytes[at + run] === bytes[at]) run++;
    out.push(...(run > 1 ? [257 - run, bytes[at]!] : [0, bytes[at]!]));
    at += run;
  }
  return out;
}

Deno.test("decodeRle() unpacks the high and the low bytes of 16-bit pixels, and says when they are short", () => {
  const values = Uint16Array.from({ length: 3000 }, (_, n) => n % 7 ? 300 : random(65536));
  const segments = [8, 0].map((shift) =>
    packBits([...values].map((value) => value >> shift & 255))
  );
  const header = new Uint8Array(64), view = new DataView(header.buffer);
  [2, 64, 64 + segments[0]!.length].forEach((number, at) => view.setUint32(4 * at, number, true));
  const packed = Uint8Array.from([...header, ...segments.flat()]);
  assert.deepEqual(decodeRle(packed, values.length, 2), values);
  assert.throws(() => decodeRle(packed, values.length + 1, 2), /ends after/);
  assert.throws(() => decodeRle(packed, values.length, 1), /2 segments/);
  assert.throws(() => decodeRle(packed.subarray(0, 10), values.length, 2), /0 segments/);
});

Deno.test("outputGrid() puts every voxel of a stack at its place in the patient, whatever the orientation", () => {
  const axis: Record<string, Vec3> = {
    L: [-1, 0, 0],
    R: [1, 0, 0],
    P: [0, -1, 0],
    A: [0, 1, 0],
    I: [0, 0, -1],
    S: [0, 0, 1],
  };
  const shape: Shape = [3, 4, 5], tilt = 0.1;
  for (const letters of ORIENTATIONS) {
    const columns = [...letters].map((letter, n) =>
      axis[letter]!.map((x, at) => (x + tilt * (at === n ? 0 : 0.3)) * (n + 1))
    );
    const rasFromIjk = affineFromRows<"Ras", "Ijk">(
      [0, 1, 2].map((r) => [...columns.map((c) => c[r]!), 7 * r]),
    );
    for (const is3d of [true, false]) {
      const grid = outputGrid(shape, rasFromIjk, is3d),
        fromStack = compose(invert(grid.rasFromIjk), rasFromIjk);
      for (let n = 0; n < 60; n++) {
        const voxel: Vec3 = [n % 3, Math.floor(n / 3) % 4, Math.floor(n / 12)];
        const [i, j, k] = applyAffine(fromStack, voxel).map(Math.round) as Vec3;
        const index = grid.start + voxel.reduce((sum, at, a) => sum + at * grid.steps[a]!, 0);
        assert.equal(index, i + grid.shape[0] * (j + grid.shape[1] * k) + 0, letters);
      }
      if (!is3d) continue;
      for (const a of [0, 1, 2]) {
        const column = [0, 1, 2].map((r) => grid.rasFromIjk[4 * a + r]!);
        assert.equal(
          column.indexOf(Math.max(...column.map(Math.abs))),
          a,
          `${letters} is not nearest to RAS`,
        );
      }
    }
  }
});

type ChangePixels = (view: DataView, header: InstanceHeader) => void;

/** Builds the volume of a phantom series. @param change Changes the pixels of each file. */
async function phantom(
  change: ChangePixels = () => {},
  changeHeader: (header: InstanceHeader, slice: number) => Partial<InstanceHeader> = () => ({}),
): Promise<{ stack: Stack; built: BuiltVolume }> {
  const folder = await Deno.makeTempDir();
  try {
    const sources = [];
    for (const [n, { fileName, bytes }] of phantomSeries("short", "STACK-1").entries()) {
      const path = `${folder}/${fileName}`, header = readInstance(bytes, fileName);
      change(new DataView(bytes.buffer, header.pixels!.offset), header);
      await Deno.writeFile(path, bytes);
      sources.push({ path, header: { ...header, ...changeHeader(header, n) } });
    }
    const stack = stackOf(sources), built = await buildVolume(stack);
    await checkByTwin(stack, built);
    return { stack, built };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Slices `from` to `to` along an axis of a volume, as dcm2niix would write them. */
function part(
  { voxels, shape, rasFromIjk }: Volume,
  axis: number,
  from: number,
  to: number,
): Volume {
  const out = [...shape] as Shape, first: Vec3 = [0, 0, 0];
  out[axis] = to - from;
  first[axis] = from;
  const kept = new Float32Array(out[0] * out[1] * out[2]);
  for (let n = 0; n < kept.length; n++) {
    const at = [n % out[0], Math.floor(n / out[0]) % out[1], Math.floor(n / out[0] / out[1])];
    at[axis]! += from;
    kept[n] = voxels[at[0]! + shape[0] * (at[1]! + shape[1] * at[2]!)]!;
  }
  const affine = rasFromIjk.slice() as Volume["rasFromIjk"],
    origin = applyAffine(rasFromIjk, first);
  for (const r of [0, 1, 2]) affine[12 + r] = origin[r]!;
  return { voxels: kept, shape: out, rasFromIjk: affine };
}

Deno.test("compareReadings() lets one factor pass, in any parts, and refuses everything else with both readings", async () => {
  const { stack, built } = await phantom(), { volume, grid: { sliceAxis } } = built;
  const slices = stack.slices.length, half = slices >> 1;
  const scaled = (factor: (k: number) => number): Volume => {
    const voxels = new Float32Array(volume.voxels.length), [nx, ny] = volume.shape;
    for (let n = 0; n < voxels.length; n++) {
      const at = [n % nx, Math.floor(n / nx) % ny, Math.floor(n / nx / ny)];
      voxels[n] = volume.voxels[n]! * factor(at[sliceAxis]!);
    }
    return { ...volume, voxels };
  };
  const verdict = (...outputs: Volume[]) => {
    try {
      compareReadings(stack, built, outputs.map(encodeNifti));
      return "agrees";
    } catch (error) {
      assert.ok(error instanceof AppError);
      assert.equal(error.details.reason, "readings_differ");
      assert.match(error.message, /here|dcm2niix/);
      return error.message;
    }
  };
  assert.equal(verdict(volume), "agrees");
  assert.equal(verdict(scaled(() => 0.25)), "agrees");
  assert.equal(
    verdict(part(volume, sliceAxis, half, slices), part(volume, sliceAxis, 0, half)),
    "agrees",
  );
  assert.match(verdict(part(volume, sliceAxis, 0, half)), /nothing in the place of slice/);
  assert.match(verdict(), /0 outputs/);
  assert.match(
    verdict(scaled((k) => k < half ? 1 : 1.1)),
    /have the mean .* here and .* in dcm2niix/,
  );
  assert.match(verdict(scaled(() => -1)), /the factor is -1/);
  const mirrored = volume.rasFromIjk.slice() as Volume["rasFromIjk"], last = volume.shape[0] - 1;
  for (const r of [0, 1, 2]) {
    mirrored[12 + r]! += last * mirrored[r]!;
    mirrored[r] = -mirrored[r]!;
  }
  assert.match(verdict({ ...volume, rasFromIjk: mirrored }), /values of slice|the factor/);
  const shifted = volume.rasFromIjk.slice() as Volume["rasFromIjk"];
  shifted[12]! += 1;
  assert.match(verdict({ ...volume, rasFromIjk: shifted }), /nothing in the place/);
  // exact positions leave no doubt about the step
  const stretched = volume.rasFromIjk.slice() as Volume["rasFromIjk"];
  for (const r of [0, 1, 2]) stretched[4 * sliceAxis + r]! *= 1.03;
  assert.match(verdict({ ...volume, rasFromIjk: stretched }), /nothing in the place/);
});

Deno.test("buildVolume() refuses a volume that is too large before it takes memory", async () => {
  const { stack } = await phantom(), { slices, ...grid } = stack;
  await assert.rejects(
    buildVolume({ ...grid, slices, shape: [4096, 4096, 1000] }),
    (error: AppError) =>
      error.details.reason === "volume_too_large" && error.details.millions === 16777,
  );
});

const eachPixel =
  (change: (value: number, column: number) => number): ChangePixels => (view, header) => {
    for (let at = 0; at < header.rows * header.columns; at++) {
      view.setInt16(2 * at, change(view.getInt16(2 * at, true), at % header.columns), true);
    }
  };

Deno.test("buildVolume() inverts MONOCHROME1, makes padding dark, and scales each slice by its own slope", async () => {
  const { built: { volume: plain } } = await phantom(), lowest = plain.voxels.toSorted()[0]!;
  const inverted = await phantom(
    eachPixel((value) => 4095 - value),
    () => ({ photometric: "MONOCHROME1" }),
  );
  assert.deepEqual(inverted.built.volume.voxels, plain.voxels.map((value) => value - lowest));
  const padded = await phantom(
    eachPixel((value, column) => column < 3 ? 4095 : value),
    () => ({ padding: [4095, 4095] }),
  );
  const wrong = padded.built.volume.voxels.filter((value, at) =>
    value !== plain.voxels[at] && value !== lowest
  );
  assert.deepEqual([padded.built.background, wrong.length], [lowest, 0]);
  const dark = await phantom(undefined, () => ({ padding: [0, 0] }));
  assert.deepEqual(dark.built.volume.voxels, plain.voxels, "padding that is dark stays");
  const slopeOf = (n: number) => 1 + n % 3;
  const scaled = await phantom(undefined, ({ frames }, n) => ({
    frames: frames.map((frame) => ({ ...frame, slope: slopeOf(n), intercept: 5 })),
  }));
  const { grid: { sliceAxis, shape: [nx, ny] }, volume } = scaled.built;
  const slopes = scaled.stack.slices.map(({ frame }) => frame.slope);
  assert.deepEqual(
    volume.voxels,
    Float32Array.from(plain.voxels, (value, at) => {
      const ijk = [at % nx, Math.floor(at / nx) % ny, Math.floor(at / nx / ny)];
      return value * slopes[ijk[sliceAxis]!]! + 5;
    }),
  );
});

Deno.test("uncheckedClass() names the classes on which dcm2niix fails, and no other series", async () => {
  const { stack } = await phantom();
  const classOf = (change: Partial<InstanceHeader>, hasFragments = false, hasOutput = true) => {
    const slices = stack.slices.map((slice) => ({
      ...slice,
      source: { ...slice.source, header: { ...slice.source.header, ...change } },
    }));
    return uncheckedClass({ ...stack, slices }, hasFragments, hasOutput);
  };
  const rle = { frameCount: 64, frames: Array(64).fill({}), transferSyntax: "1.2.840.10008.1.2.5" };
  assert.equal(classOf({}), null);
  assert.equal(classOf({}, false, false), null);
  assert.equal(classOf({}, true), "fragments");
  assert.equal(classOf(rle, false, false), "compressed_frames");
  assert.equal(classOf(rle), null);
  assert.equal(classOf({ frameCount: 2 }), "other_frames");
  assert.equal(classOf({ hasUnknownSequence: true }), "unknown_sequence");
  assert.equal(classOf({ bitsAllocated: 16, bitsStored: 12, highBit: 15 }), "high_bit");
  const [first, ...others] = stack.slices, frame = { ...first!.frame, slope: 2 };
  // dcm2niix uses the slope of each single-frame file, so it must agree
  const slopeClassOf = (change: Partial<InstanceHeader>) => {
    const source = { ...first!.source, header: { ...first!.source.header, ...change } };
    return uncheckedClass(
      { ...stack, slices: [{ ...first!, source, frame }, ...others] },
      false,
      true,
    );
  };
  assert.equal(slopeClassOf({}), null);
  assert.equal(slopeClassOf({ manufacturer: "Philips Medical Systems" }), "slope_by_frame");
  const bytes = { bitsAllocated: 8, bitsStored: 8, highBit: 7 };
  assert.equal(classOf({ ...bytes, isSigned: true }), "signed_bytes");
  const pixels = { offset: 0, sizeBytes: 1, isBigEndian: true, isInWords: true, isFloat: false };
  assert.equal(classOf({ ...bytes, isSigned: false, pixels }), "exchanged_bytes");
  const numbers = (numberOf: (at: number) => number) => {
    const slices = stack.slices.map((slice, at) => ({
      ...slice,
      source: first!.source,
      frame: { ...slice.frame, number: numberOf(at) },
    }));
    return uncheckedClass({ ...stack, slices }, false, true);
  };
  assert.equal(numbers((at) => at), null);
  assert.equal(numbers((at) => stack.slices.length - 1 - at), null);
  assert.equal(numbers((at) => at % 2 ? at : stack.slices.length + at), "frame_order");
});

Deno.test("stacksOf() joins halves that came under two Series UIDs, and none of different frames of reference", () => {
  const files = phantomSeries("short", "HALVES").map(({ fileName, bytes }) => (
    { fileName, header: readInstance(bytes, fileName) }
  ));
  const half = files.length >> 1;
  const halves = (change: Partial<InstanceHeader>) =>
    stacksOf(
      files.map((file, at) =>
        at < half ? file : { ...file, header: { ...file.header, seriesUid: "1.2.3.4", ...change } }
      ),
    ).map((stack) => stack.length);
  assert.ok(files[0]!.header.frameOfReferenceUid);
  assert.deepEqual(halves({}), [files.length]);
  // with another frame of reference, the head may have moved: positions are not comparable
  assert.deepEqual(halves({ frameOfReferenceUid: "1.2.3.5" }), [half, files.length - half]);
  assert.deepEqual(halves({ frameOfReferenceUid: "" }), [half, files.length - half]);
});
