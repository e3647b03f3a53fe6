import dicomParser from "dicom-parser";
import type { Head } from "@/server/commands/demo/phantom/head_types.ts";
import { keptHead } from "@/server/commands/demo/phantom/kept_head.ts";
import {
  COARSE_GRID,
  KOREAN_PATIENT,
  makeSeries,
  type SeriesOptions,
} from "@/server/commands/demo/phantom/dicom/series.ts";

let head: Head | undefined;

export interface PhantomFile {
  fileName: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * A small series of the 2 mm head. `"short"` lacks the top of the head, so that the engine refuses
 * it after about two seconds; `"whole"` can be analysed.
 */
export function phantomSeries(
  extent: "short" | "whole",
  patientId: string,
  wanted: Partial<SeriesOptions> = {},
): PhantomFile[] {
  head ??= keptHead({ resolutionMm: 2 });
  const grid = extent === "short" ? COARSE_GRID : {
    ...COARSE_GRID,
    shape: [80, 88, 80] as [number, number, number],
    centreRasMm: [0, -14, 6] as [number, number, number],
    spacingMm: [2.8, 2.8, 2.8] as [number, number, number],
  };
  const patient = { ...KOREAN_PATIENT, patientId };
  const { files } = makeSeries(head, {
    grid,
    sliceThicknessMm: grid.spacingMm[2],
    patient,
    ...wanted,
  });
  return files.map(({ fileName, bytes }) => ({ fileName, bytes: new Uint8Array(bytes) }));
}

/** Inserts an accession number before the modality element. */
export function withAccession(
  bytes: Uint8Array<ArrayBuffer>,
  accession: string,
): Uint8Array<ArrayBuffer> {
  const at =
    dicomParser.parseDicom(bytes, { untilTag: "x7fe00010" }).elements.x00080060!.dataOffset - 8;
  const value = new TextEncoder().encode(accession.length % 2 === 0 ? accession : `${accession} `);
  const element = Uint8Array.of(8, 0, 0x50, 0, 0x53, 0x48, value.length, 0, ...value);
  return new Uint8Array(Buffer.concat([bytes.subarray(0, at), element, bytes.subarray(at)]));
}
