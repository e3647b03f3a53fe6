// A folder of many MR slices for the upload benchmark: real headers, and noisy ramps as pixels.
import { mkdirSync, writeFileSync } from "node:fs";
import { type Element, writeInstance } from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";

/** Slices per study, and side of a slice in pixels: 100 files of 0.2 MB. */
export const SLICES = 100, SIDE = 320;

function elementsOf(study: number, slice: number): Element[] {
  const root = `1.2.826.0.1.3680043.9.7.${study + 1}`;
  return [
    [0x00080008, "CS", ["ORIGINAL", "PRIMARY", "M", "ND", "NORM"]],
    [0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.4"],
    [0x00080018, "UI", `${root}.1.${slice + 1}`],
    [0x00080020, "DA", "20260105"],
    [0x00080060, "CS", "MR"],
    [0x00080070, "LO", "SIEMENS"],
    [0x0008103e, "LO", "T1 MPRAGE"],
    [0x00100010, "PN", `Kim^Number${study}=金^하늘`],
    [0x00100020, "LO", `LOAD-${study}`],
    [0x00100030, "DA", "19580312"],
    [0x00100040, "CS", "F"],
    [0x00180020, "CS", ["GR", "IR"]],
    [0x00180023, "CS", "3D"],
    [0x00180050, "DS", "1.6"],
    [0x00180080, "DS", "2300"],
    [0x00180081, "DS", "2.98"],
    [0x00180082, "DS", "900"],
    [0x0020000d, "UI", root],
    [0x0020000e, "UI", `${root}.1`],
    [0x00200011, "IS", "1"],
    [0x00200013, "IS", String(slice + 1)],
    [0x00200032, "DS", ["-120", "-120", String(slice * 1.6 - 80)]],
    [0x00200037, "DS", ["1", "0", "0", "0", "1", "0"]],
    [0x00280030, "DS", ["0.75", "0.75"]],
    [0x00281052, "DS", "0"],
    [0x00281053, "DS", "1"],
  ];
}

/** Writes `studies` × {@link SLICES} files, one folder per study. @returns the size in bytes. */
export function writeStudies(folder: string, studies: number): number {
  const pixels = new Uint16Array(SIDE * SIDE);
  let bytes = 0;
  for (let study = 0; study < studies; study++) {
    mkdirSync(`${folder}/patient${study}`, { recursive: true });
    for (let slice = 0; slice < SLICES; slice++) {
      for (let i = 0; i < pixels.length; i++) {
        pixels[i] = ((i % SIDE) + slice + (Math.imul(i + slice, 2654435761) >>> 29)) & 4095;
      }
      const file = writeInstance(
        elementsOf(study, slice),
        { rows: SIDE, columns: SIDE, pixels },
        "explicit",
        "ISO_IR 192",
      );
      writeFileSync(`${folder}/patient${study}/${slice}.dcm`, file);
      bytes += file.length;
    }
  }
  return bytes;
}
