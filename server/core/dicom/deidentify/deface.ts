import { applyAffine } from "@/model/geometry.ts";
import { type FaceRegion, isFace } from "@/server/core/dicom/deidentify/face.ts";
import { isNativeSyntax, readHeader } from "@/server/core/dicom/read/instance.ts";
import { planesOf } from "@/server/core/dicom/read/plane.ts";
import { parseStored } from "@/server/core/dicom/read/stored_file.ts";

/**
 * Removes the face from an image file by setting pixels to 0; all other bytes stay unchanged.
 *
 * @param bytes A complete stored file; not modified.
 * @returns `null` for compressed pixels, as compressing again would also change the brain.
 * @throws {AppError} `engine.unsupported_input` for a damaged file.
 */
export function defacedFile(
  bytes: Uint8Array<ArrayBuffer>,
  { atlasFromRas, ijkFromRas, near, shape: [nx, ny, nz] }: FaceRegion,
): { bytes: Uint8Array<ArrayBuffer>; removed: number } | null {
  const header = readHeader(bytes, ""),
    { pixels, rows, columns, bitsAllocated, frameCount } = header;
  if (!pixels || !isNativeSyntax(header.transferSyntax) || header.samplesPerPixel !== 1) {
    return null;
  }
  if (bitsAllocated !== 8 && bitsAllocated !== 16) return null;
  const { dataSet } = parseStored(bytes, false),
    out = bytes.slice(),
    voxelBytes = bitsAllocated / 8;
  let removed = 0;
  for (const [frame, plane] of planesOf(dataSet, frameCount).entries()) {
    const [along, down] = plane.orientationLps, [stepDown, stepAlong] = plane.pixelSpacingMm;
    const rasAt = (i: number, j: number): [number, number, number] => {
      const [x, y, z] = [0, 1, 2].map((a) =>
        plane.positionLpsMm[a]! + i * stepAlong! * along![a]! + j * stepDown! * down![a]!
      );
      return [-x!, -y!, z!];
    };
    // along a slice, the position in the atlas changes by constant steps
    const [, y0, z0] = applyAffine(atlasFromRas, rasAt(0, 0));
    const [, y1, z1] = applyAffine(atlasFromRas, rasAt(1, 0)),
      [, y2, z2] = applyAffine(atlasFromRas, rasAt(0, 1));
    const start = pixels.offset + frame * rows * columns * voxelBytes;
    for (let v = 0; v < rows * columns; v++) {
      const i = v % columns, j = Math.floor(v / columns);
      const y = y0 + i * (y1 - y0) + j * (y2 - y0), z = z0 + i * (z1 - z0) + j * (z2 - z0);
      if (!isFace(y, z)) continue;
      const [a, b, c] = applyAffine(ijkFromRas, rasAt(i, j)).map(Math.round) as [
        number,
        number,
        number,
      ];
      const isInside = a >= 0 && b >= 0 && c >= 0 && a < nx && b < ny && c < nz;
      if (isInside && near[a + nx * (b + ny * c)] === 1) continue;
      out.fill(0, start + v * voxelBytes, start + (v + 1) * voxelBytes);
      removed++;
    }
  }
  return { bytes: out, removed };
}
