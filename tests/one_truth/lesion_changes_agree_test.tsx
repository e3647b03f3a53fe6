// Changed lesions: before + change = now on every row, the counts are those of the rows, and report,
// viewer, table and SR print the same figures.
import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { lesionCountSentence, lesionCountsOf } from "@/model/measured/lesion_counts.ts";
import { LESION_SITES } from "@/model/regions/lesion_site.ts";
import { lesionSearchText, lesionSiteText } from "@/model/text/lesions/lesion_place.ts";
import { Random } from "@/model/random.ts";
import type { LesionChangeKind, LesionChangeList } from "@/model/schema/reading/lesion_changes.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { lesionChangeText } from "@/model/text/report/report_lesion_changes.ts";
import { lesionChangeBodiesOf } from "@/report/sheets/lesion_change_sheet.ts";
import { excelRowOf, exportColumnsOf } from "@/server/core/exports/service/excel_columns.ts";
import { changeStructures } from "@/server/core/exports/service/lesion_change_results.ts";
import { changeFigures } from "@/server/core/reading/service/lesion_changes.ts";
import { fullReport, LESION_CHANGES } from "@/server/core/reports/service/report_fixture.ts";
import { subjectOf } from "@/tests/one_truth/in_dicom.ts";
import { ChangeRows } from "@/viewer/panels/lesion_changes.tsx";

const KINDS = ["new", "enlarging", "shrinking", "gone"] as const;
const SEEDS = 300, MOST_LESIONS = 4, LARGEST_MM3 = 4000;

/** Two results of sufficient grade, measured by one engine. */
const SOUND = { isReliable: true, isSameMethod: true };

/** A random comparison as the engine may return it, also with volumes that contradict the kind. */
function comparisonOf(seed: number): LesionChangeList {
  const random = new Random(seed), whole = (below: number) => Math.floor(random.uniform() * below);
  const volume = () => random.uniform() * LARGEST_MM3;
  const lesions = Array.from({ length: whole(MOST_LESIONS + 1) }, (_, lesion) => {
    const kind: LesionChangeKind = KINDS[whole(KINDS.length)]!;
    const stored = {
      kind,
      isSure: random.uniform() < 0.6,
      beforeMm3: kind === "new" ? 0 : volume(),
      afterMm3: kind === "gone" ? 0 : volume(),
    };
    return {
      lesion,
      kind,
      ...changeFigures(stored, SOUND),
      centre_ras_mm: [lesion, 0, 0] as [number, number, number],
      place: {
        site: LESION_SITES[whole(LESION_SITES.length)]!,
        lobe: "frontal" as const,
        side: "L" as const,
      },
      is_confirmed: [null, null, true, false][whole(4)]!,
      decided_at: null,
      decided_by: "Dr. Reader",
    };
  });
  return {
    prior: { pid: 3, study_date: "2024-01-01" },
    state: "compared",
    counted: { before: whole(30), after: whole(30) },
    lesions,
  };
}

const COMPARISONS = Array.from({ length: SEEDS }, (_, seed) => comparisonOf(seed));
const accepted = ({ lesions }: LesionChangeList) =>
  lesions.filter(({ is_confirmed }) => is_confirmed !== false);

/** Rows of the report: number, earlier volume, current volume, change. */
function inReport(changes: LesionChangeList): [string, string, string, string][] {
  const flair_longitudinal = { ...LESION_CHANGES, changes };
  const [body] = lesionChangeBodiesOf({ ...fullReport("en"), flair_longitudinal });
  return body!.blocks.flatMap((block) =>
    block.kind === "table" && block.columns.at(-1)!.label === lesionChangeText.changed.en
      ? block.rows.map(({ cells }) =>
        [0, 4, 5, 6].map((at) => cells[at]!.text!) as [string, string, string, string]
      )
      : []
  );
}

const numberOf = (printed: string): number => Number(printed.replace("−", "-"));

Deno.test("before + change = now on every row, as it is printed", () => {
  let rows = 0;
  for (const changes of COMPARISONS) {
    for (const [number, before, after, changed] of inReport(changes)) {
      const sum = (numberOf(before) + numberOf(changed)).toFixed(2);
      assert.equal(sum, after, `lesion ${number}: ${before} ${changed}`);
      rows++;
    }
  }
  assert.ok(rows > SEEDS, `${rows} rows`);
});

Deno.test("report, viewer and SR print the same volumes of a changed lesion", () => {
  for (const changes of COMPARISONS) {
    const printed = new Map(inReport(changes).map(([number, ...figures]) => [number, figures]));
    const structures = changeStructures({
      subject: subjectOf("REGIONS", []),
      lesions: accepted(changes),
      labels: new Uint8Array(),
      isUnreliable: false,
    });
    const html = renderToStaticMarkup(
      <ChangeRows
        lesions={changes.lesions}
        changes={changes}
        current={0}
        onGo={() => {}}
        language="en"
      />,
    );
    accepted(changes).forEach(({ lesion }, at) => {
      const [before, after] = printed.get(String(lesion + 1))!;
      // covers: S-136
      assert.equal(structures[at]!.measurements[0]!.kind, "lesion_volume");
      assert.equal(structures[at]!.measurements[0]!.value.toFixed(2), after);
      const row = html.split(
        "<li>",
      )[changes.lesions.findIndex((one) => one.lesion === lesion) + 1]!;
      assert.ok(row.includes(`${before} → ${after}\u00a0mL`), row);
    });
  }
});

Deno.test("the counts are those of the rows, in the sentence and in the table, and are reconciled", () => {
  const fields = KINDS.map((kind) => `lesions_${kind}` as const);
  const columns = exportColumnsOf({
    fields: [...fields, "lesions_possible", "lesions_confirmed"],
    measures: [],
    parts: [],
  });
  const row = {
    pid: 1,
    patient_age: 40,
    patient_sex: "female",
    label_list: [],
  } as unknown as PatientRow;
  let unexplained = 0;
  for (const changes of COMPARISONS) {
    const counts = lesionCountsOf(changes), { sure } = counts;
    const counted = accepted(changes).filter(({ is_confirmed, is_sure }) =>
      is_confirmed ?? is_sure
    );
    for (const kind of KINDS) {
      assert.equal(sure[kind], counted.filter((lesion) => lesion.kind === kind).length);
    }
    assert.equal(counts.possible, accepted(changes).length - counted.length);
    const { before, after } = changes.counted!;
    assert.ok(
      [1, -1].some((sign) => before + sure.new - sure.gone + sign * counts.unexplained === after),
    );
    const sentence = lesionCountSentence(changes, "en");
    assert.ok(
      sentence.startsWith(`Lesions: ${before} before, ${after} now. Changes: ${sure.new} new, `),
    );
    assert.equal(sentence.includes(`(${counts.unexplained})`), counts.unexplained > 0);
    unexplained += Number(counts.unexplained > 0);
    const { possible, confirmed } = counts;
    const cells = excelRowOf(columns, {
      row,
      results: null,
      flair: null,
      changes: { since: "2024-01-01", kinds: sure, possible, confirmed },
    });
    assert.deepEqual(cells, [...KINDS.map((kind) => sure[kind]), possible, confirmed]);
  }
  assert.ok(unexplained > 0 && unexplained < SEEDS);
});

Deno.test("a change that its volumes contradict, or beside a result of grade C, is no sure one", () => {
  const growing = { kind: "enlarging" as const, isSure: true, beforeMm3: 360, afterMm3: 1650 };
  assert.deepEqual(changeFigures(growing, SOUND), {
    is_sure: true,
    changed_ml: 1.29,
    before_ml: 0.36,
    after_ml: 1.65,
  });
  assert.equal(changeFigures({ ...growing, afterMm3: 350 }, SOUND).is_sure, false);
  assert.equal(changeFigures({ ...growing, kind: "shrinking" }, SOUND).is_sure, false);
  const ofGradeC = changeFigures(growing, { ...SOUND, isReliable: false });
  assert.deepEqual([ofGradeC.is_sure, ofGradeC.changed_ml], [false, null]);
});

Deno.test("no change of a volume is given between results that measured lesions in different ways", () => {
  const growing = { kind: "enlarging", isSure: true, beforeMm3: 360, afterMm3: 1654 } as const;
  // the images show growth, even if another method outlines less: the change stays certain, without
  // a figure
  const outlinedLess = { ...growing, afterMm3: 350 };
  assert.ok(changeFigures(outlinedLess, { ...SOUND, isSameMethod: false }).is_sure);
  assert.deepEqual(changeFigures(growing, { ...SOUND, isSameMethod: false }), {
    is_sure: true,
    changed_ml: null,
    before_ml: 0.36,
    after_ml: 1.65,
  });
});

/** Table of changes by place in the report: numbers of each row, by column head. */
function placesInReport(changes: LesionChangeList): Map<string, Map<string, string>> {
  const flair_longitudinal = { ...LESION_CHANGES, changes };
  const [body] = lesionChangeBodiesOf({ ...fullReport("en"), flair_longitudinal });
  return new Map(
    body!.blocks.flatMap((block) =>
      block.kind === "table" && block.columns[0]!.label === lesionChangeText.byPlace.en
        ? block.rows.map(({ cells: [name, ...cells] }) =>
          [
            name!.text!,
            new Map(cells.map(({ text }, at) => [block.columns[at + 1]!.label, text!])),
          ] as const
        )
        : []
    ),
  );
}

// covers: S-135
Deno.test("changes by place are those of the rows, sure and uncertain ones apart", () => {
  let unsearched = 0;
  for (const changes of COMPARISONS) {
    const table = placesInReport(changes), shown = accepted(changes);
    assert.equal(table.size, shown.length === 0 ? 0 : KINDS.length + 1);
    if (table.size === 0) continue;
    for (const site of LESION_SITES) {
      const there = shown.filter(({ place }) => place!.site === site);
      const isSure = ({ is_confirmed, is_sure }: (typeof shown)[number]) => is_confirmed ?? is_sure;
      const numbers = [
        ...KINDS.map((kind) => there.filter((one) => one.kind === kind && isSure(one)).length),
        there.filter((one) => !isSure(one)).length,
      ];
      const printed = [
        ...KINDS.map((kind) => lesionChangeText[kind].en),
        lesionChangeText.notCounted.en,
      ].map((row) => table.get(row)!.get(lesionSiteText[site].en));
      if (there.length > 0) assert.deepEqual(printed, numbers.map(String));
      else if (site === "deep_grey") assert.ok(printed.every((text) => text === undefined));
      else if (site === "infratentorial") {
        unsearched++;
        assert.ok(printed.every((text) => text === lesionSearchText.notSearched.en));
      } else assert.deepEqual(printed, numbers.map(String));
    }
  }
  assert.ok(unsearched > 0);
  // without the place of one change, the table is omitted
  const [first] = COMPARISONS.filter((changes) => accepted(changes).length > 1);
  const lesions = first!.lesions.map(({ place: _, ...lesion }) => lesion);
  assert.equal(placesInReport({ ...first!, lesions }).size, 0);
});
