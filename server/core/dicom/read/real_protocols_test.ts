// Protocols of real scans as acceptance reads them. covers: S-150
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import claims from "@/model/acceptance/claims.json" with { type: "json" };
import { largestVoxelMm } from "@/model/acceptance/assess.ts";
import { protocolName, scannerName } from "@/server/core/dicom/read/protocol.ts";
import { parseStored } from "@/server/core/dicom/read/stored_file.ts";

const HERE = new URL("../../../../../shared/data/scans", import.meta.url).pathname;
const SCANS = `${Deno.env.get("SULCUS_SCANS") ?? HERE}/`;
const FOLDERS = ["t1_dicom_adult_philips", "t1_dicom_child_siemens"].filter((name) =>
  existsSync(SCANS + name)
);

Deno.test({
  name: "the voxels of real scans are read from their protocol, and within the claim",
  ignore: FOLDERS.length === 0,
  fn: () => {
    for (const folder of FOLDERS) {
      const [file] = [...Deno.readDirSync(SCANS + folder)].filter(({ name }) =>
        name.endsWith(".dcm")
      ).map((
        { name },
      ) => name).sort();
      const { dataSet } = parseStored(Deno.readFileSync(`${SCANS}${folder}/${file}`), false);
      const voxelMm = largestVoxelMm(protocolName(dataSet));
      assert.ok(voxelMm !== null && voxelMm <= claims.largest_voxel_mm, `${folder}: ${voxelMm}`);
      assert.notEqual(scannerName(dataSet), "", folder);
    }
  },
});
