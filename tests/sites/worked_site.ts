// A site as in everyday use: studies in every state of the worklist. All names are invented.
import {
  type Affine,
  affineFromRows,
  applyAffine,
  compose,
  invert,
  type Shape,
} from "@/model/geometry.ts";
import { failAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import type { Database } from "@/server/core/database/database.ts";
import { setClaim } from "@/server/core/studies/storage/edit_claims.ts";
import { addToPatients, insertLabel } from "@/server/core/studies/storage/labels.ts";
import { writeReports, writeView } from "@/server/core/studies/storage/study_marks.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { volumesAt } from "@/server/core/reports/service/report_fixture.ts";
import { keptHead } from "@/server/commands/demo/phantom/kept_head.ts";
import { truthOn } from "@/server/commands/demo/phantom/truth.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { addReadStudy } from "@/tests/sites/read_study.ts";

const SHAPE: Shape = [88, 110, 88];
const RAS: Affine<"Ras", "Ijk"> = affineFromRows([[2, 0, 0, -87], [0, 2, 0, -125], [0, 0, 2, -80]]);
const ROWS = [2, 0, 0, -87, 0, 2, 0, -125, 0, 0, 2, -80, 0, 0, 0, 1];

export const COLLEAGUE = {
  email: "seo@hospital.test",
  password: "correct-horse-9",
  name: "Dr. Seo",
};

interface Row {
  id: string;
  name: string;
  sex: "male" | "female";
  age: number;
  study: string;
  /** z score of all labels, and of some labels */
  z?: number;
  of?: Readonly<Record<number, number>>;
  grade?: "A" | "B" | "C";
  /** lesion volume in mL; present if there is a FLAIR result */
  lesionsMl?: number;
  /** whether there is no T1w series */
  isFlairAlone?: boolean;
  state?: "failed" | "waiting" | "processing" | "ready";
  labels?: readonly string[];
  isRead?: boolean;
  isReported?: boolean;
  isEdited?: boolean;
}

const HIPPOCAMPI = (z: number) => ({ 19: z, 20: z - 0.2 });

/** Studies from oldest to newest; the first and the third from the end are of one patient. */
export const WORKED: readonly Row[] = [
  {
    id: "20481",
    name: "Kim Haneul / 김하늘",
    sex: "female",
    age: 70,
    study: "2024-11-12",
    z: -0.2,
    of: HIPPOCAMPI(-0.7),
    isRead: true,
    isReported: true,
  },
  {
    id: "18820",
    name: "Park Seojun / 박서준",
    sex: "male",
    age: 64,
    study: "2025-12-29",
    lesionsMl: 21.3,
    isFlairAlone: true,
  },
  {
    id: "20115",
    name: "Lee Minji / 이민지",
    sex: "female",
    age: 58,
    study: "2026-01-02",
    z: 0.3,
    lesionsMl: 2.1,
    labels: ["Memory clinic"],
    isRead: true,
    isReported: true,
  },
  {
    id: "20502",
    name: "Jung Woojin / 정우진",
    sex: "male",
    age: 77,
    study: "2026-01-02",
    state: "failed",
  },
  {
    id: "20519",
    name: "Smith Eleanor",
    sex: "female",
    age: 81,
    study: "2026-01-03",
    z: -0.4,
    grade: "C",
  },
  {
    id: "19973",
    name: "Choi Yuna / 최유나",
    sex: "female",
    age: 69,
    study: "2026-01-03",
    of: { 15: 2.6, 16: 2.4 },
    grade: "B",
    labels: ["Memory clinic", "Follow-up"],
  },
  {
    id: "20533",
    name: "Yoon Dahye / 윤다혜",
    sex: "female",
    age: 45,
    study: "2026-01-04",
    state: "ready",
  },
  {
    id: "20540",
    name: "Baek Hyun / 백현",
    sex: "male",
    age: 72,
    study: "2026-01-04",
    z: -0.1,
    lesionsMl: 6.4,
    isEdited: true,
  },
  {
    id: "20547",
    name: "García López María Fernanda",
    sex: "female",
    age: 66,
    study: "2026-01-05",
    state: "waiting",
  },
  {
    id: "20481",
    name: "Kim Haneul / 김하늘",
    sex: "female",
    age: 72,
    study: "2026-01-05",
    z: -0.4,
    of: HIPPOCAMPI(-2.6),
    lesionsMl: 4.2,
    labels: ["Memory clinic"],
  },
  {
    id: "20551",
    name: "Han Jiwoo / 한지우",
    sex: "male",
    age: 38,
    study: "2026-01-05",
    state: "processing",
  },
  {
    id: "20552",
    name: "Oh Sehun / 오세훈",
    sex: "male",
    age: 74,
    study: "2026-01-05",
    z: -0.3,
    of: HIPPOCAMPI(-1.7),
  },
];

/** Images of the phantom, with label map and lesions. */
function imagesOf() {
  const head = keptHead({ resolutionMm: 2, lesionsMl: [2.4, 1.5, 0.9] }),
    { labels } = truthOn(head, SHAPE, RAS);
  const headFromGrid = compose(invert(head.rasFromIjk), RAS),
    [nx, ny] = SHAPE,
    [hx, hy, hz] = head.shape;
  const t1 = new Uint8Array(labels.length),
    t2 = new Uint8Array(labels.length),
    lesions = new Uint8Array(labels.length);
  for (let v = 0; v < labels.length; v++) {
    const ijk = [v % nx, Math.floor(v / nx) % ny, Math.floor(v / (nx * ny))] as const;
    const [x, y, z] = applyAffine(headFromGrid, ijk).map(Math.round) as [number, number, number];
    if (x < 0 || y < 0 || z < 0 || x >= hx || y >= hy || z >= hz) continue;
    const at = x + hx * (y + hy * z);
    t1[v] = Math.min(255, head.t1[at]! / 5.2);
    t2[v] = Math.min(255, head.flair[at]! / 6);
    lesions[v] = labels[v] === 28 ? 2 : 0;
  }
  return { shape: SHAPE, rows: ROWS, t1, t2, labels, lesions };
}

/** Replaces the voxel counts of an analysis by realistic volumes. */
async function setResults(db: Database, pid: number, row: Row): Promise<void> {
  const { z = 0, of = {}, grade = "A", lesionsMl } = row;
  const change = async (kind: "t1" | "t2", results: Record<string, unknown>) => {
    const found = await db.selectFrom("analyses").select(["id", "results"]).where("pid", "=", pid)
      .where("kind", "=", kind).executeTakeFirst();
    if (!found) return;
    await db.updateTable("analyses").set({
      grade,
      results: JSON.stringify({ ...JSON.parse(found.results!), ...results }),
    }).where("id", "=", found.id).execute();
  };
  await change("t1", {
    // slightly different in each study
    volumesMm3: volumesAt((label) =>
      (of[label] ?? z) + Math.sin(label * 7 + pid) * (of[label] === undefined ? 0.5 : 0)
    ),
    icvMm3: 1_409_000,
    thicknessMm: Array.from(
      { length: 105 },
      (_, label) => label < 37 ? 0 : 2.2 + (label * 13 % 40) / 50,
    ),
    thicknessSidesMm: [2.51, 2.49],
    quality: {
      grade,
      warnings: grade === "A" ? [] : ["similarity_low"],
      subjectFromAtlasRows: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
    },
  });
  if (lesionsMl !== undefined) {
    await change("t2", {
      periMm3: lesionsMl * 600,
      deepMm3: lesionsMl * 400,
      whiteMatterMm3: 420_000,
      lesionCount: Math.round(lesionsMl * 2),
      lesions: undefined,
      icvMm3: 1_409_000,
      grade,
    });
  }
}

/** Fills the data folder of a stopped core. @returns study numbers as in {@link WORKED}. */
export async function fillWorklist(dataDir: string): Promise<number[]> {
  const images = imagesOf(), pids: number[] = [];
  for (const row of WORKED) {
    pids.push(
      await addReadStudy(dataDir, {
        images,
        hasFlair: row.lesionsMl !== undefined,
        patientId: row.id,
        patientName: row.name,
        sex: row.sex,
        age: row.age,
        birthDate: `${Number(row.study.slice(0, 4)) - row.age}-01-02`,
        studyDate: row.study,
        createdAt: `${row.study}T02:10:00Z`,
      }),
    );
  }
  const db = await openBeside(dataDir);
  const uid = (await db.selectFrom("users").select("id").executeTakeFirstOrThrow()).id;
  await addQuickUser(db, COLLEAGUE);
  const labels = new Map<string, number>();
  for (const [at, row] of WORKED.entries()) {
    const pid = pids[at]!, finished_at = `${row.study}T05:20:00Z`;
    await setResults(db, pid, row);
    await db.updateTable("analyses").set({ finished_at }).where("pid", "=", pid).execute();
    if (row.isFlairAlone) {
      await db.updateTable("patients").set({ t1_series_id: null, t1_analysis_id: null }).where(
        "pid",
        "=",
        pid,
      )
        .execute();
    }
    if (row.state === "ready") {
      await db.updateTable("patients").set({ t1_analysis_id: null }).where("pid", "=", pid)
        .execute();
    } else if (row.state) {
      await db.updateTable("analyses").set({ status: "processing", results: null, grade: null })
        .where(
          "pid",
          "=",
          pid,
        )
        .execute();
    }
    if (row.state === "failed") {
      const { id } = await db.selectFrom("analyses").select("id").where("pid", "=", pid)
        .executeTakeFirstOrThrow();
      const details = { reason: "field of view" };
      await failAnalysis(db, id, {
        code: "engine.unsupported_input",
        details,
        finishedAt: finished_at,
      });
    }
    for (const name of row.labels ?? []) {
      if (!labels.has(name)) labels.set(name, await insertLabel(db, name, name.toLowerCase()));
      await addToPatients(db, labels.get(name)!, [pid]);
    }
    if (row.isRead) await writeView(db, uid, pid, "2026-01-06T03:00:00Z");
    if (row.isReported) await writeReports(db, [pid], "2026-01-06T03:10:00Z");
  }
  await refreshFindings(db, pids);
  await db.destroy();
  return pids;
}

/** Adds temporary states of a running site: a running and a waiting analysis, and an edit claim. */
export async function setUnderWay(dataDir: string, pids: readonly number[]): Promise<void> {
  const db = await openBeside(dataDir);
  for (const [at, { state, isEdited }] of WORKED.entries()) {
    const pid = pids[at]!;
    if (state === "waiting" || state === "processing") {
      await db.updateTable("analyses").set({
        status: state,
        percent: state === "processing" ? 42 : 0,
      })
        .where("pid", "=", pid).execute();
    }
    if (isEdited) {
      const { id } = await db.selectFrom("users").select("id").where("email", "=", COLLEAGUE.email)
        .executeTakeFirstOrThrow();
      await setClaim(db, pid, id, Date.now() + 60_000);
    }
  }
  await db.destroy();
}
