// covers: S-130
import assert from "node:assert/strict";
import { listPatients } from "@/client/api/studies/patients.ts";
import type { StudyFinding } from "@/model/schema/studies/patients.ts";
import { setFinding } from "@/server/core/studies/storage/findings.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addReadStudy } from "@/tests/sites/read_study.ts";

const SMALLER_LEFT: StudyFinding["first"] = {
  kind: "asymmetry",
  part: "Hippocampus",
  side: "L",
  certainty: "firm",
  percent: -24.6,
  rank: {
    percentile: 0.4,
    low: 0.1,
    high: 1.8,
    has_bands: true,
    level: 3,
    possible_level: 3,
    is_usual: false,
    doubt: null,
  },
  is_doubted: false,
};
const LESIONS: StudyFinding["first"] = {
  kind: "lesions",
  certainty: "firm",
  total: 12.5,
  peri: 9,
  deep: 3.5,
  fazekas_equivalent: 2,
  places: [],
};
const STORED: StudyFinding = {
  deviation: { brain_regions: "Hippocampus", side: "L", percentile: 2, is_usual: false },
  wmh: 12.5,
  fazekas_equivalent: 2,
  change: { key: "brain", percent: -1.2, since: "2025-11-02" },
  first: SMALLER_LEFT,
  more: 2,
};

type Status = "completed" | "processing";

coreTest(
  "the list has every part of a stored finding whose series has its result",
  async (site) => {
    const { api, dataDir } = site;
    const pid = await addReadStudy(dataDir, { hasFlair: true });
    const db = await openBeside(dataDir);
    const shown = async (finding: StudyFinding, t1: Status, flair: Status) => {
      await setFinding(db, pid, finding, { deviation: null, lesions: null });
      for (const [kind, status] of [["t1", t1], ["t2", flair]] as const) {
        await db.updateTable("analyses").set({ status })
          .where("pid", "=", pid).where("kind", "=", kind).execute();
      }
      return (await listPatients(api)).patients.find((row) => row.pid === pid)!.finding;
    };
    try {
      assert.deepEqual(await shown(STORED, "completed", "completed"), STORED);
      // a finding of a series under new analysis is neither shown nor counted
      const flairAgain = await shown(STORED, "completed", "processing");
      assert.deepEqual(flairAgain, { ...STORED, wmh: null, fazekas_equivalent: null, more: 0 });
      const t1Again = await shown(STORED, "processing", "completed");
      assert.deepEqual([t1Again?.first, t1Again?.more, t1Again?.wmh], [undefined, undefined, 12.5]);
      const ofLesions = { ...STORED, first: LESIONS };
      assert.deepEqual((await shown(ofLesions, "processing", "completed"))?.first, LESIONS);
      assert.equal((await shown(ofLesions, "completed", "processing"))?.first, undefined);
      assert.equal(await shown(STORED, "processing", "processing"), null);
    } finally {
      await db.destroy();
    }
  },
);
