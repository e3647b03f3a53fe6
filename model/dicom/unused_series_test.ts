// covers: S-17
import assert from "node:assert/strict";
import { derivationOf } from "@/model/dicom/unused_series.ts";

Deno.test("derivationOf() takes no fat or opposed-phase image of a Dixon series for a T1w", () => {
  const partOf = (...imageType: string[]) =>
    derivationOf({ seriesDescription: "t1_vibe_dixon", protocolName: "", imageType });
  for (const part of ["FAT", "FAT_FRACTION", "OPP_PHASE", "OUT_PHASE", "F", "FF", "OP"]) {
    assert.equal(partOf("DERIVED", "PRIMARY", "DIXON", part), part);
  }
  for (const part of ["WATER", "IN_PHASE", "W", "IP", "M", "ND"]) {
    assert.equal(partOf("DERIVED", "PRIMARY", "DIXON", part), undefined);
  }
});
