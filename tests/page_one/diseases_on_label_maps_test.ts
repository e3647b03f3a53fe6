// Diseases built on label maps of real heads: structures shrink or grow voxel by voxel, the volumes
// are those of the corrected map, and page one names the disease's structures and no other side.
// covers: D2-1.1, S-130
import assert from "node:assert/strict";
import { Random } from "@/model/random.ts";
import { regionOf } from "@/model/regions/regions.ts";
import type { Language } from "@/model/text.ts";
import { listHeads, readTruth } from "@/bench/truth/heads.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import type { AnalysisResults } from "@/server/core/analyses/storage/analyses.ts";
import { correctedResults } from "@/server/core/reading/service/corrected.ts";
import type { StoredStroke } from "@/server/core/reading/storage/strokes.ts";
import { reportInput, volumesAt } from "@/server/core/reports/service/report_fixture.ts";
import { buildReport } from "@/server/core/reports/service/report_model.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { suggestionOn } from "@/tests/page_one/printed_claims.ts";

const FOLDER = new URL("../../../shared/data/labelled", import.meta.url).pathname;
const hasHeads = (() => {
  try {
    return listHeads(FOLDER).length > 0;
  } catch {
    return false;
  }
})();
const why = hasHeads ? "" : " (skipped: no label maps beside the repository)";
const LABELS = 105, HEADS = 2;

/** A label map, one byte per voxel, i fastest. */
interface LabelMap {
  labels: Uint8Array;
  shape: readonly [number, number, number];
}

interface Disease {
  /** labels of the structures that change */
  changes: (label: number) => boolean;
  kind: "shrinks" | "grows";
  /** probability that a voxel at the border changes, once per layer */
  layers: readonly number[];
  /** patterns that the text of page one must match (`says`) and must not match (`never`) */
  says: Record<Language, readonly RegExp[]>;
  never: Record<Language, readonly RegExp[]>;
}

const isPart = (part: string, side: "L" | "R" | "") => (label: number) => {
  const region = regionOf(label);
  return region?.part === part && (side === "" || region.hemisphere === side);
};
const isGroup = (group: string, side: "L" | "R") => (label: number) => {
  const region = regionOf(label);
  return region?.group === group && region.hemisphere === side;
};

/** Words for a finding on the other side; in "left–right difference" no side is meant. */
const OTHER_SIDE = {
  L: { en: [/on the right/, /both/], ko: [/우측/, /양측/] },
  R: { en: [/on the left/, /both/], ko: [/좌측/, /양측/] },
};

/** Beginning of a sentence of findings, before the structures. */
const beginning = (key: keyof typeof conclusionText, language: Language): string =>
  conclusionText[key][language].split("{parts}")[0]!;

/** Pattern of a sentence on page one in which `part` is the first structure named. */
const named = (key: keyof typeof conclusionText, language: Language, part: string): RegExp =>
  new RegExp(RegExp.escape(`${beginning(key, language)}${part}`));

const SCLEROSIS = (side: "L" | "R"): Disease => ({
  changes: isPart("Hippocampus", side),
  kind: "shrinks",
  layers: [0.9],
  says: side === "L"
    ? {
      en: [named("lowLeft", "en", "hippocampus"), /hippocampus smaller on the left/],
      ko: [named("lowLeft", "ko", "해마"), /해마, 좌측이 더 작음/],
    }
    : {
      en: [named("lowRight", "en", "hippocampus"), /hippocampus smaller on the right/],
      ko: [named("lowRight", "ko", "해마"), /해마, 우측이 더 작음/],
    },
  never: OTHER_SIDE[side],
});

const DISEASES: Readonly<Record<string, Disease>> = {
  "hippocampal sclerosis on the left": SCLEROSIS("L"),
  "hippocampal sclerosis on the right": SCLEROSIS("R"),
  "normal pressure hydrocephalus": {
    changes: isPart("Lateral ventricle", ""),
    kind: "grows",
    layers: [1, 1, 1],
    says: { en: [/lateral ventricle/i], ko: [/측뇌실/] },
    never: { en: [/hippocamp/i], ko: [/해마/] },
  },
  "cerebellar atrophy": {
    changes: isPart("Cerebellar cortex", ""),
    kind: "shrinks",
    layers: [0.8, 0.6],
    says: {
      en: [named("lowBoth", "en", "cerebellar cortex")],
      ko: [named("lowBoth", "ko", "소뇌")],
    },
    never: { en: [/hippocamp/i], ko: [/해마/] },
  },
  "semantic dementia on the left": {
    changes: (label) =>
      isGroup("temporal", "L")(label) || isPart("Hippocampus", "L")(label) ||
      isPart("Amygdala", "L")(label),
    kind: "shrinks",
    layers: [0.6],
    says: {
      en: [named("lowLeft", "en", "temporal lobe")],
      ko: [named("lowLeft", "ko", "측두엽")],
    },
    never: OTHER_SIDE.L,
  },
};

/** Strokes that change the border of a disease's structures, one layer after the other. */
function strokesOf({ labels, shape }: LabelMap, disease: Disease): StoredStroke[] {
  const map = labels.slice(), random = new Random(1), isGrowing = disease.kind === "grows";
  const [nx, ny] = shape, steps = [1, -1, nx, -nx, nx * ny, -nx * ny];
  const isChanged = Array.from({ length: LABELS }, (_, label) => disease.changes(label));
  const runs = new Map<number, number[]>();
  for (const share of disease.layers) {
    const changed: [voxel: number, value: number][] = [];
    for (let voxel = nx * ny; voxel < map.length - nx * ny; voxel++) {
      if (isChanged[map[voxel]!] === isGrowing || isGrowing && map[voxel] === 0) continue;
      const beside = steps.map((step) => map[voxel + step]!)
        .find((label) => isChanged[label] === isGrowing);
      if (beside === undefined || random.uniform() >= share) continue;
      changed.push([voxel, isGrowing ? beside : 0]);
    }
    for (const [voxel, value] of changed) {
      map[voxel] = value;
      runs.set(value, runs.get(value) ?? []);
      runs.get(value)!.push(voxel, 1);
    }
  }
  const stroke = { analysisId: 1, createdAt: "2026-01-02T00:00:00Z", creator: "", isUndone: false };
  return [...runs].map(([value, runs], id) => ({ ...stroke, id, runs, value }));
}

/** Volumes of a label map, mm³ by label, before any correction. */
function volumesOf(labels: Uint8Array, mm3: number): number[] {
  const volumesMm3 = new Array<number>(LABELS).fill(0);
  for (const label of labels) volumesMm3[label]! += label > 0 ? mm3 : 0;
  return volumesMm3;
}

/** Sentences of page one for volumes, in a language. */
function pageOne(volumesMm3: number[], language: Language): string {
  const { analysis } = reportInput();
  const report = buildReport(
    reportInput({ language, pages: [1, 8], analysis: { ...analysis, volumesMm3 } }),
  );
  return reportSheetsOf(report).flatMap((sheet) => suggestionOn(sheet, language)).join(" ");
}

Deno.test({
  name: "page one names diseases built on label maps of real heads, and never the other side" + why,
  ignore: !hasHeads,
  fn() {
    const wrong: string[] = [];
    // without a disease, page one names no structure
    const healthy = pageOne(volumesAt(0), "en");
    assert.doesNotMatch(healthy, /smaller on/);
    for (
      const key of [
        "low",
        "lowLeft",
        "lowRight",
        "lowBoth",
        "high",
        "highLeft",
        "highRight",
        "highBoth",
      ] as const
    ) {
      assert.ok(!healthy.includes(beginning(key, "en")), key);
    }
    for (const head of listHeads(FOLDER).slice(0, HEADS)) {
      const { labels, volume: { shape, rasFromIjk } } = readTruth(head);
      const rows = [0, 1, 2, 3].flatMap((row) =>
        [0, 1, 2, 3].map((at) => rasFromIjk[at * 4 + row]!)
      );
      const whole = { labels, shape };
      const before = volumesOf(labels, 1);
      const original = { volumesMm3: before, rasFromIjkRows: rows } as unknown as AnalysisResults;
      for (const [name, disease] of Object.entries(DISEASES)) {
        const after = correctedResults(original, labels, strokesOf(whole, disease)).volumesMm3;
        // the disease's share of each structure, in a person with usual volumes
        const volumes = volumesAt(0).map((mm3, label) =>
          before[label]! > 0 ? mm3 * after[label]! / before[label]! : mm3
        );
        for (const language of ["en", "ko"] as const) {
          const text = pageOne(volumes, language);
          const isNamed = disease.says[language].every((words) => words.test(text));
          const other = disease.never[language].filter((words) => words.test(text));
          if (!isNamed || other.length > 0) wrong.push(`${head.name}, ${name}: ${text}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
  },
});
