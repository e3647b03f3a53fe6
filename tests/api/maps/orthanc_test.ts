// covers: S-121, S-222
// Parametric maps there and back: Debian's Orthanc stores them by C-STORE and by STOW-RS, from series of each kind.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import dicomParser from "dicom-parser";
import { getSentResults, savePeer } from "@/client/api/connections/connections.ts";
import type { Vec3 } from "@/model/geometry.ts";
import { axes, type Grid, PLANES, tilted } from "@/server/commands/demo/phantom/grid.ts";
import { KOREAN_PATIENT, type SeriesOptions } from "@/server/commands/demo/phantom/dicom/series.ts";
import { insertOutbox } from "@/server/core/connections/storage/outbox.ts";
import { acceptScanner } from "@/tests/sites/norms/accepted_scanner.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { LateGate } from "@/tests/sites/connections/gate_site.ts";
import { noOrthanc, type Orthanc, startOrthanc } from "@/tests/sites/connections/orthanc.ts";
import { noPython, runPython } from "@/tests/sites/connections/python_peers.ts";
import {
  analysedPhantom,
  BOXES,
  CORTEX,
  studyFiles,
  T1,
  thicknessCode,
  voxelCentre,
} from "@/tests/sites/dicom_study.ts";
import { until } from "@/tests/sites/until.ts";

const KINDS = ["thickness", "percentiles"] as const;
/** Series with reversed columns, rows or slices; the patient position of the phantom stays. */
const SOURCES: Readonly<Record<string, { grid: Grid; options?: Partial<SeriesOptions> }>> = {
  axial: { grid: { ...T1, directions: axes(PLANES.axial) } },
  // columns from left to right, and slices from the top
  mirrored: { grid: { ...T1, directions: axes("RPI") } },
  oblique: { grid: { ...T1, directions: tilted(axes(PLANES.coronal), [8, -5, 11]) } },
  enhanced: { grid: T1, options: { isEnhanced: true } },
};

const LEFT_HIPPOCAMPUS = 19, RIGHT_HIPPOCAMPUS = 20;
const isIn = (label: number, at: Vec3) =>
  at.every((mm, axis) => Math.abs(mm - BOXES[label]!.centre[axis]!) <= BOXES[label]!.half[axis]!);

/** Pixels of a map: everything after the header of its last element. */
function pixelsOf(bytes: Uint8Array): Buffer {
  const { elements } = dicomParser.parseDicom(bytes);
  const { dataOffset, length } = elements.x7fe00008!;
  return Buffer.from(bytes.subarray(dataOffset, dataOffset + length));
}

/** Files of an instance of Orthanc. */
async function storedMaps(orthanc: Orthanc, studyUid: string): Promise<Uint8Array<ArrayBuffer>[]> {
  const found = await orthanc.post<string[]>(
    "/tools/find",
    JSON.stringify({
      Level: "Instance",
      Query: { StudyInstanceUID: studyUid, SOPClassUID: "1.2.840.10008.5.1.4.1.1.30" },
    }),
  );
  return await Promise.all(
    found.map(async (id) => await (await fetch(`${orthanc.url}/instances/${id}/file`)).bytes()),
  );
}

/** Each voxel's value is at its place in the patient, by highdicom. */
async function checkPlaces(bytes: Uint8Array, kind: string): Promise<void> {
  const path = await Deno.makeTempFile({ suffix: ".dcm" });
  try {
    await Deno.writeFile(path, bytes);
    const { voxels } = await runPython<{ voxels: [number, number, number, number][] }>(
      "read_map.py",
      path,
    );
    assert.ok(voxels.length > 50);
    const values = new Map<number, Set<number>>();
    for (const [x, y, z, value] of voxels) {
      const centre = voxelCentre([x, y, z]);
      if (kind === "THICKNESS") {
        // planted on the right, thicker towards right, front and top
        assert.ok(isIn(CORTEX, centre), `${x} ${y} ${z}`);
        assert.equal(value, Math.fround(thicknessCode(centre) / 51), `${x} ${y} ${z}`);
      } else {
        const label = x < 0 ? LEFT_HIPPOCAMPUS : RIGHT_HIPPOCAMPUS;
        assert.ok(isIn(label, centre), `${x} ${y} ${z}`);
        values.set(label, (values.get(label) ?? new Set()).add(value));
      }
    }
    if (kind === "THICKNESS") return;
    // one percentile on each side, and not the same
    const [left, right] = [LEFT_HIPPOCAMPUS, RIGHT_HIPPOCAMPUS].map((l) => [...values.get(l)!]);
    assert.deepEqual([left!.length, right!.length], [1, 1]);
    assert.notEqual(left![0], right![0]);
  } finally {
    await Deno.remove(path);
  }
}

Deno.test({
  name:
    `Orthanc gives maps of axial, mirrored, oblique and enhanced series back as they were, right on the right ${noOrthanc}`,
  ignore: noOrthanc !== "",
  fn: () => {
    const gate = new LateGate();
    return withCore(async (test) => {
      const { api, core, dataDir } = test;
      const { port } = await gate.open(dataDir), orthanc = await startOrthanc(port);
      const db = await openBeside(dataDir);
      try {
        const dicom = { ae_title: "PACS", host: "127.0.0.1", port: orthanc.dicomPort };
        const peers = [
          await savePeer(api, null, { name: "C-STORE", kind: "dicom", config: dicom }),
          await savePeer(api, null, {
            name: "STOW-RS",
            kind: "dicomweb",
            config: { url: `${orthanc.url}/dicom-web` },
          }),
        ];
        for (const [n, [name, { grid, options }]] of Object.entries(SOURCES).entries()) {
          const patient = { ...KOREAN_PATIENT, patientId: `SP-${name}` };
          const files = studyFiles({ ...options, patient }, grid);
          const pid = await analysedPhantom(test, files);
          await acceptScanner(test, pid);
          const entries = KINDS.map((kind) => ({ peerId: peers[n % 2]!, pid, run: "1,2", kind }));
          await insertOutbox(db, entries, "2026-01-06T10:00:00Z");
          const sent = await until(async () => {
            const { results } = await getSentResults(api, pid);
            return results.some(({ state }) => state === "waiting" || state === "sending")
              ? null
              : results;
          });
          assert.deepEqual(sent.map(({ state }) => state), ["sent", "sent"], name);
          const studyUid = dicomParser.parseDicom(files[0]!.bytes).string("x0020000d")!;
          const stored = await storedMaps(orthanc, studyUid);
          assert.equal(stored.length, KINDS.length, name);
          for (const bytes of stored) {
            const dataSet = dicomParser.parseDicom(bytes), kind = dataSet.string("x00700080")!;
            const own = await core.fetch(
              new Request(`http://core/api/v1/patients/${pid}/dicom/${kind.toLowerCase()}`, {
                headers: { authorization: `Bearer ${api.token}` },
              }),
            );
            assert.ok(pixelsOf(bytes).equals(pixelsOf(await own.bytes())), `${name} ${kind}`);
            if (noPython === "") await checkPlaces(bytes, kind);
          }
        }
      } finally {
        await db.destroy();
        await orthanc.close();
        await gate.close();
      }
    }, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
  },
});
