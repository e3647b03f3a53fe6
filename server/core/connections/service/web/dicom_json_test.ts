// covers: S-121
import assert from "node:assert/strict";
import { dicomJson } from "@/server/core/dicom/read/dicom_json.ts";
import { parseOwn } from "@/server/core/dicom/read/own_file.ts";
import { dicomFile } from "@/server/core/dicom/write/dataset_writer.ts";

Deno.test("dicomJson() leaves numbers out that JSON has not, in items too, and keeps all others", () => {
  const [bytes] = dicomFile({
    SOPClassUID: "1.2",
    SOPInstanceUID: "1.3",
    SeriesInstanceUID: "1.4",
    FloatPixelPaddingValue: NaN,
    FloatPixelPaddingRangeLimit: 2.5,
    RealWorldValueMappingSequence: [{
      DoubleFloatRealWorldValueFirstValueMapped: -Infinity,
      RealWorldValueSlope: 0.5,
    }],
  }).chunks();
  const text = JSON.stringify(dicomJson(parseOwn(bytes!), undefined)), json = JSON.parse(text);
  assert.ok(!text.includes("null"), text);
  assert.equal(json["00280122"], undefined);
  assert.deepEqual(json["00280124"], { vr: "FL", Value: [2.5] });
  assert.deepEqual(json["00409096"].Value, [{ "00409225": { vr: "FD", Value: [0.5] } }]);
});
