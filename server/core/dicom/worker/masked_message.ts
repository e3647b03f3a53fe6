// Messages about de-identified images between processes.
import type { Affine, Shape } from "@/model/geometry.ts";
import type { FaceRegion } from "@/server/core/dicom/deidentify/face.ts";

/** A {@link FaceRegion} in serialisable form: numbers and bytes. */
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

/** A de-identified image with the new identifiers of that image. */
export interface MaskedFile {
  bytes: Uint8Array<ArrayBuffer>;
  seriesUid: string;
  sopClassUid: string;
  sopInstanceUid: string;
  transferSyntax: string;
}
