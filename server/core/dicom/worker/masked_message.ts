// Messages about de-identified images, which processes exchange.
import type { Affine, Shape } from "@/model/geometry.ts";
import type { FaceRegion } from "@/server/core/dicom/deidentify/face.ts";

/** A {@link FaceRegion} as numbers and bytes, which can be sent to another process. */
export interface FaceMessage {
  atlasFromRas: readonly number[];
  ijkFromRas: readonly number[];
  near: Uint8Array;
  shape: Shape;
}

export const faceMessage = (
  { atlasFromRas, ijkFromRas, near, shape }: FaceRegion,
): FaceMessage => ({
  atlasFromRas: [...atlasFromRas],
  ijkFromRas: [...ijkFromRas],
  near,
  shape,
});

/** Inverse of {@link faceMessage}. */
export const faceOf = ({ atlasFromRas, ijkFromRas, near, shape }: FaceMessage): FaceRegion => ({
  atlasFromRas: Float64Array.from(atlasFromRas) as Affine<"Ras", "Ras">,
  ijkFromRas: Float64Array.from(ijkFromRas) as Affine<"Ijk", "Ras">,
  near,
  shape,
});

/** A de-identified image, and its new identifiers. */
export interface MaskedFile {
  bytes: Uint8Array<ArrayBuffer>;
  seriesUid: string;
  sopClassUid: string;
  sopInstanceUid: string;
  transferSyntax: string;
}
