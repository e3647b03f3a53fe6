// covers: S-121, S-222
// Maps of thickness and percentiles at other systems, read by highdicom: places, values, units.
import assert from "node:assert/strict";
import dicomParser, { type DataSet } from "dicom-parser";
import { getSentResults } from "@/client/api/connections/connections.ts";
import { addStroke, changeStrokes } from "@/client/api/reading/strokes.ts";
import { getPatient, getPatientRow, updatePatient } from "@/client/api/studies/patients.ts";
import { affineFromRowMajor, applyAffine, invert, type Vec3 } from "@/model/geometry.ts";
import { acceptScanner } from "@/tests/sites/norms/accepted_scanner.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { until } from "@/tests/sites/until.ts";
import { noDcmqi, noPython, runPython } from "@/tests/sites/connections/python_peers.ts";
import { objectsOf, sendingTest } from "@/tests/sites/connections/sending_site.ts";
import {
  analysedPhantom,
  BOXES,
  CORTEX,
  studyFiles,
  T1_RESULTS,
  thicknessCode,
  voxelCentre,
} from "@/tests/sites/dicom_study.ts";

const MAP = "1.2.840.10008.5.1.4.1.1.30";

interface ReadMap {
  shape: number[];
  /** right, anterior, superior mm, and the value */
  voxels: [number, number, number, number][];
  is_as_stored: boolean;
  unit: string[];
  quantity: string[];
  padding: string[];
  sources: string[];
  derivation: string;
  description: string;
  software: string[];
  frame_of_reference: string;
}

const pathOf = (paths: readonly string[], label: string) =>
  paths.find((path) =>
    objectsOf([path]).get(MAP)?.some((dataSet) => dataSet.string("x00700080") === label)
  )!;

/** Label of the phantom's box that contains a point with a margin; 0: none. */
const boxOf = (at: Vec3, marginMm = 0): number =>
  Number(
    Object.entries(BOXES).find(([, { centre, half }]) =>
      at.every((mm, axis) => Math.abs(mm - centre[axis]!) <= half[axis]! + marginMm)
    )?.[0] ?? 0,
  );

sendingTest(
  `each voxel of a thickness map has the viewer's value at its place, left and right kept ${noPython}`,
  async (test, send) => {
    const pid = await analysedPhantom(test, studyFiles());
    const paths = await send(pid, { results: ["thickness"] });
    const map = await runPython<ReadMap>("read_map.py", pathOf(paths, "THICKNESS"));
    assert.ok(map.voxels.length > 50, `${map.voxels.length} voxels`);
    for (const [x, y, z, value] of map.voxels) {
      const centre = voxelCentre([x, y, z]);
      assert.equal(boxOf(centre), CORTEX, `${x} ${y} ${z}`);
      assert.equal(value, Math.fround(thicknessCode(centre) / 51), `${x} ${y} ${z}`);
    }
    // the values' mean is the region's thickness in tables and report
    const mean = map.voxels.reduce((sum, [, , , value]) => sum + value, 0) / map.voxels.length;
    assert.ok(Math.abs(mean - T1_RESULTS.thicknessMm[CORTEX]!) < 0.02, `${mean} mm`);
    assert.deepEqual([map.unit, map.quantity], [["UCUM", "mm"], ["CORTTHICK"]]);
    assert.deepEqual([map.padding, map.is_as_stored], [["nan", "nan"], true]);
    assert.match(map.derivation, /^sulcus-engine 0\.1\.0\./);
    assert.ok(map.software.includes("sulcus-engine 0.1.0"));
    if (noDcmqi === "") {
      const other = await runPython<Pick<ReadMap, "voxels">>(
        "read_map_dcmqi.py",
        pathOf(paths, "THICKNESS"),
      );
      assert.equal(other.voxels.length, map.voxels.length);
      for (const [x, y, z, value] of other.voxels) {
        assert.equal(value, Math.fround(thicknessCode(voxelCentre([x, y, z])) / 51));
      }
    }
  },
  noPython !== "",
);

sendingTest(
  `a percentile map has the table's percentile in each region, and no value where none is determined ${noPython}`,
  async (test, send) => {
    const { api } = test, pid = await analysedPhantom(test, studyFiles());
    await acceptScanner(test, pid);
    const paths = await send(pid, { results: ["percentiles", "thickness", "regions"] });
    const map = await runPython<ReadMap>("read_map.py", pathOf(paths, "PERCENTILES"));
    const { t1_result } = await getPatient(api, pid);
    const percentiles = new Map(t1_result!.flatMap((row) =>
      row.part_index.map((label, at) => {
        const side = row.part_index.length === 1 ? "total" : at === 0 ? "left" : "right";
        return [label, row[`np_icv_${side}`]] as const;
      })
    ));
    const found = new Map<number, Set<number>>();
    for (const [x, y, z, value] of map.voxels) {
      const label = boxOf(voxelCentre([x, y, z]));
      found.set(label, (found.get(label) ?? new Set()).add(value));
    }
    const shown = Object.keys(BOXES).map(Number).filter((label) => percentiles.get(label) != null);
    assert.deepEqual([...found.keys()].sort(), shown);
    assert.ok(shown.length > 0 && shown.length < Object.keys(BOXES).length, String(shown));
    for (const [label, values] of found) {
      assert.deepEqual([...values], [Math.fround(percentiles.get(label)!)], String(label));
    }
    assert.deepEqual([map.unit, map.quantity], [["UCUM", "%"], ["121415", "118565006"]]);
    assert.match(
      map.derivation,
      /healthy people of the same age, sex and head size: NOMIS \(FreeSurfer 6\)\. The norms are not/,
    );
    assert.match(map.derivation, /Labels were not corrected by hand\..*Potvin O.*\.25\.428063\.$/);
    assert.equal(map.description, "Sulcus: volume percentiles, NOMIS, no site correction");
  },
  noPython !== "",
);

const namedBy = (one: DataSet) =>
  (one.elements.x0008114a?.items ?? []).map(({ dataSet }) => dataSet!.string("x00081155"));
const uidOf = (one: DataSet) => one.string("x00080018");

sendingTest(
  "corrected labels, an undone correction and another patient name send both maps again, each names the former one",
  async (test, send, received) => {
    const { api, dataDir } = test, pid = await analysedPhantom(test, studyFiles());
    await acceptScanner(test, pid);
    const known = new Set<string>();
    const fresh = (paths: readonly string[]) => {
      const added = paths.filter((path) => !known.has(path));
      for (const path of added) known.add(path);
      const found = objectsOf(added).get(MAP) ?? [];
      return new Map(found.map((one) => [one.string("x00700080"), one]));
    };
    const kinds = ["THICKNESS", "PERCENTILES"];
    let before = fresh(await send(pid, { results: ["thickness", "percentiles"] }));
    assert.deepEqual([...before.keys()].sort(), kinds.toSorted());
    const db = await openBeside(dataDir);
    try {
      const ijkFromRas = invert(affineFromRowMajor<"Ras", "Ijk">(T1_RESULTS.rasFromIjkRows));
      const [i, j, k] = applyAffine(ijkFromRas, BOXES[19]!.centre).map(Math.round);
      const [nx, ny] = T1_RESULTS.shape;
      const runs = [i! + nx * (j! + ny * k!), 3];
      for (
        const change of [
          () => addStroke(api, pid, { series: "t1", runs, value: 0 }),
          () => changeStrokes(api, pid, "t1", "undo"),
          async () => {
            const row = await getPatientRow(api, pid);
            await updatePatient(api, pid, {
              patient_id: row.patient_id,
              patient_name: "Kim Saeromi",
              patient_sex: row.patient_sex!,
              patient_birthdate: row.patient_birthdate!,
              study_date: row.study_date!,
            });
          },
        ]
      ) {
        await change();
        await db.updateTable("outbox").set({ lease_ms: null }).where("state", "=", "waiting")
          .execute();
        const files = await until(async () => {
          const { results } = await getSentResults(api, pid);
          return results.every(({ state }) => state === "sent") ? received() : null;
        });
        const after = fresh(files);
        for (const kind of kinds) {
          assert.deepEqual(namedBy(after.get(kind)!), [uidOf(before.get(kind)!)], kind);
          assert.notEqual(uidOf(after.get(kind)!), uidOf(before.get(kind)!), kind);
        }
        before = after;
      }
      assert.match(before.get("THICKNESS")!.string("x00100010")!, /Saeromi/);
    } finally {
      await db.destroy();
    }
  },
);

sendingTest(
  "maps for research have no name, no ID and no UID of the hospital",
  async (test, send) => {
    const files = studyFiles(), pid = await analysedPhantom(test, files);
    await acceptScanner(test, pid);
    const sent = objectsOf(
      await send(pid, { results: ["thickness", "percentiles"], research: true }),
    );
    const maps = sent.get(MAP)!, own = dicomParser.parseDicom(files[0]!.bytes);
    assert.equal(maps.length, 2);
    for (const map of maps) {
      assert.match(map.string("x00100020")!, /^ANON-/);
      const text = new TextDecoder("latin1").decode(map.byteArray);
      for (
        const secret of [
          "SP-0001",
          "Kim",
          "Haneul",
          own.string("x0020000d")!,
          own.string("x00080018")!,
        ]
      ) {
        assert.ok(!text.includes(secret), secret);
      }
    }
  },
);
