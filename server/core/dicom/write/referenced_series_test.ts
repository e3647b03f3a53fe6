import assert from "node:assert/strict";
import {
  type Acquisition,
  TIMING,
  writeAcquisition,
} from "@/server/commands/demo/phantom/acquisitions.ts";
import { readInstance } from "@/server/core/dicom/read/instance.ts";
import { sourceSeriesOf } from "@/server/core/dicom/read/source_series.ts";
import { parseStored, sourceHead } from "@/server/core/dicom/read/stored_file.ts";
import { referencedSeries } from "@/server/core/dicom/write/derived_object.ts";

Deno.test("referencedSeries() names each image under the series that it came in", async () => {
  const acquisition: Acquisition = { name: "t1", ...TIMING.mprage, slices: 6 };
  const files = writeAcquisition(acquisition, 1, 1).map(({ bytes }) => bytes);
  const headers = files.map((bytes) => readInstance(bytes, "")),
    other = headers[0]!.seriesUid.replace(/.$/, "0");
  // the second half under a Series Instance UID of its own
  const divided = files.map((bytes, n) => {
    const text = new TextDecoder("latin1").decode(bytes), changed = bytes.slice();
    for (let at = -1; n >= 3 && (at = text.indexOf(headers[n]!.seriesUid, at + 1)) >= 0;) {
      changed[at + other.length - 1] = "0".charCodeAt(0);
    }
    return changed;
  });
  assert.notEqual(other, headers[0]!.seriesUid);
  const source = await sourceSeriesOf((async function* () {
    for (const bytes of divided) yield sourceHead(parseStored(bytes, false), undefined);
  })());
  const references = referencedSeries(source, "ReferencedSOPSequence");
  assert.deepEqual(
    references.map((
      item,
    ) => [item.SeriesInstanceUID, (item.ReferencedSOPSequence as unknown[]).length]),
    [[headers[0]!.seriesUid, 3], [other, 3]],
  );
});
