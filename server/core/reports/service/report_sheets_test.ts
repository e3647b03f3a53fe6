import type { LesionSite } from "@/model/regions/lesion_site.ts";
import { lesionFigure } from "@/model/text/lesions/lesion_figure.ts";
import { lesionSearchText } from "@/model/text/lesions/lesion_place.ts";
import assert from "node:assert/strict";
import { isDetermined } from "@/model/norms/rank_format.ts";
import { certType } from "@/model/schema/studies/study.ts";
import { byPriority } from "@/model/regions/brain_parts.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { isMeasured, PARTS } from "@/model/regions/regions.ts";
import { bandOfRank } from "@/model/norms/bands.ts";
import { fixed, formatPercentile, signed } from "@/report/model/format.ts";
import { MAIN_PAGE, REPORT_PAGES } from "@/model/report/pages.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { normalCdf, normOf, valueAt } from "@/model/norms/norms.ts";
import { checkupPageText } from "@/model/text/report/pages/checkup.ts";
import { coverPageText } from "@/model/text/report/pages/cover.ts";
import { icvPageText } from "@/model/text/report/pages/icv.ts";
import { longitudinalPageText } from "@/model/text/report/pages/longitudinal.ts";
import { mtaPageText } from "@/model/text/report/pages/mta.ts";
import { regionsPageText } from "@/model/text/report/pages/regions.ts";
import { type Language, LANGUAGES, textIn } from "@/model/text.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { wmhPageText } from "@/model/text/report/pages/wmh.ts";
import { readingList } from "@/model/text/report/pages/reading.ts";
import { scorePageText } from "@/model/text/report/pages/score.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { partName, REGION_GROUP_TEXT } from "@/model/text/regions.ts";
import { reportText } from "@/model/text/report/report.ts";
import {
  fullReport,
  reportInput,
  SUBJECT,
  textOfSheet,
  volumesAt,
} from "@/server/core/reports/service/report_fixture.ts";
import type { Sheet } from "@/report/sheets/sheet.ts";
import { reportResponse } from "@/model/schema/report/report.ts";
import type { ReportInput } from "@/server/core/reports/service/report_model.ts";
import {
  cellsOf,
  flat,
  type Input,
  sheetsOf,
  textsOf,
} from "@/server/core/reports/service/sheet_cells.ts";

// covers: D2-2.17
Deno.test("reportSheetsOf() binds the chosen pages in their order, with the Main Page, and numbers them", () => {
  const sheets = reportSheetsOf(fullReport("en"));
  const names = REPORT_PAGES.map(({ code, name }) => [code, name] as const);
  const order = [...names, [MAIN_PAGE, "Main Page"] as const].toSorted((a, b) => a[0] - b[0]);
  // the list of all findings is below the score
  const titles = new Set(sheets.flatMap(({ title }) => title.split(" · ")));
  titles.delete(conclusionText.all.en);
  assert.deepEqual([...titles], order.map(([, name]) => name));
  sheets.forEach((sheet, i) => {
    assert.equal(sheet.footer.page, `Page ${i + 1}/${sheets.length}`);
    assert.ok(
      sheet.demo !== null && sheet.watermark !== null && sheet.footer.norms?.includes("NOMIS"),
    );
  });
});

// covers: D1-9.7
Deno.test("reportSheetsOf() says DEMO on every page of a demonstration, and nowhere else", () => {
  const report = fullReport("en");
  for (const cert_type of certType.options) {
    for (const { demo, watermark, footer } of reportSheetsOf({ ...report, cert_type })) {
      const isDemo = cert_type === "DEMO";
      assert.deepEqual([demo !== null, watermark !== null, footer.notDiagnosis !== ""], [
        isDemo,
        isDemo,
        isDemo,
      ]);
    }
  }
});

Deno.test("Volume by Brain Regions has every cell of the model to the digit shown", () => {
  const report = fullReport("en", { pages: [512] }), sheets = sheetsOf(512);
  const volumes = volumesAt((label) => label * 37 % 60 / 10 - 2.5);
  let rows = 0;
  for (const region of report.regions) {
    const { volume_left: left, volume_right: right, volume_total: total, rank_icv_total: rank } =
      region;
    const thick = report.thickness!.find(({ brain_regions }) =>
      brain_regions === region.brain_regions
    );
    // from what was measured, not from what is printed
    const mm3 = region.part_index.map((label) => volumes[label]!), [first = 0, second = 0] = mm3;
    const asymmetry = mm3.length < 2 ? null : 200 * (first - second) / (first + second);
    const isFluid = region.part_index[0]! >= 15 && region.part_index[0]! <= 28 &&
      ![19, 20, 21, 22, 23, 24].includes(region.part_index[0]!);
    const band = bandOfRank(rank, [5, 25], isFluid, "en");
    assert.deepEqual(textsOf(sheets, partName(region.brain_regions, "en")), [
      fixed(left),
      fixed(right),
      fixed(total),
      (100 * (first + second) / 1_409_000).toFixed(2),
      asymmetry === null
        ? "–"
        : `${Math.abs(asymmetry) < 0.05 ? "" : asymmetry < 0 ? "−" : "+"}${
          Math.abs(asymmetry).toFixed(1)
        }`,
      ...(thick ? [`${thick.thick_left.toFixed(2)} / ${thick.thick_right.toFixed(2)}`] : []),
      formatPercentile(rank, "en"),
      rank === null || !isDetermined(rank) ? "" : "svg",
      band?.symbol ?? "",
    ], region.brain_regions);
    rows++;
  }
  assert.equal(rows, PARTS.filter(({ labels }) => isMeasured(labels[0])).length);
  // lobes have percentiles of their own
  for (const lobe of report.aggregates.slice(2)) {
    const cells = textsOf(sheets, REGION_GROUP_TEXT[lobe.key as "frontal"].en);
    assert.equal(cells.at(-3), formatPercentile(lobe.rank_icv_total, "en"), lobe.key);
  }
});

Deno.test("Volume by Brain Regions follows the user's order and gives a child dashes and the reason", () => {
  const report = fullReport("en", { pages: [512] });
  const isFirst = (name: string) => ["Thalamus", "Entorhinal"].includes(name);
  const regions = byPriority(report.regions, ({ brain_regions }) => isFirst(brain_regions));
  const firstTwo = reportSheetsOf({ ...report, regions }).filter(({ title }) =>
    title === pageTitle[512].en
  )
    .map((sheet) => [...cellsOf([sheet]).keys()].slice(0, 2));
  assert.deepEqual(firstTwo, [["Deep gray matter", "Thalamus"], ["Temporal lobe", "Entorhinal"]]);
  for (const patient of [{ age: 3 }, { age: null }, { sex: null }]) {
    const young = sheetsOf(512, {}, patient);
    assert.deepEqual(textsOf(young, "Hippocampus").slice(-3), ["–", "", ""]);
    assert.ok(
      young.every((sheet) =>
        textOfSheet(sheet).some((text) => /no percentiles are given/.test(text))
      ),
    );
  }
});

/** Rows of the Main Page as printed. */
const ROWS: Record<string, string> = {
  icv: "Intracranial volume (ICV)",
  brain: "Brain without ventricles",
  cortex: "Cerebral cortex",
  white_matter: "Cerebral white matter",
  hippocampus: "Hippocampus",
  amygdala: "Amygdala",
  thalamus: "Thalamus",
  lateral_ventricles: "Lateral ventricles",
  wmh: "White matter hyperintensities",
  thickness: reportText.thickness.en,
};

Deno.test("the Main Page has every cell of the model to the digit shown", () => {
  const ordinal = { low: "▽ Below the 25th percentile", lower: "▼ Below the 5th percentile" };
  for (const change of [{}, { lesions: null }]) {
    const report = fullReport("en", { pages: [], ...change }), [main] = reportSheetsOf(report);
    for (const row of report.main_page.rows) {
      const cells = textsOf([main!], ROWS[row.key]!);
      assert.deepEqual(cells.slice(0, 5), [
        fixed(row.volume_left),
        fixed(row.volume_right),
        fixed(row.volume_total),
        fixed(row.icv_percent),
        formatPercentile(row.rank_total, "en"),
      ], row.key);
      const { level = 0, possible_level: possible = 0 } = row.rank_total ?? {};
      if (level > 0 && possible === level && !row.is_inverted) {
        assert.equal(cells.at(-1), level === 1 ? ordinal.low : ordinal.lower);
      }
    }
    const [icv, brain] = report.main_page.rows;
    assert.equal(
      brain!.icv_percent,
      Math.round(10000 * brain!.volume_total! / icv!.volume_total!) / 100,
    );
    assert.equal(Object.keys(ROWS).length, report.main_page.rows.length);
    const words = textOfSheet(main!);
    for (const { volume } of report.main_page.charts) {
      assert.ok(words.some((text) => text.includes(fixed(volume))));
    }
    assert.ok(words.includes(`${report.qc.brain_icv_percent!.toFixed(1)}\u00a0%`), "brain / ICV");
  }
});

// covers: D2-5.7
Deno.test("WMH has every figure of the model, and the equivalent from the volume alone", () => {
  const lesions = {
    periMm3: 6240,
    deepMm3: 3310,
    whiteMatterMm3: 401_230,
    lesionCount: 9,
    tissue: "t1" as const,
  };
  const rows = (more: object) => {
    const sheets = sheetsOf(128, { lesions: { ...lesions, isLowConfidence: false, ...more } });
    return { sheets, values: [...cellsOf(sheets).values()].map(([value]) => value!.text) };
  };
  assert.deepEqual(rows({}).values, ["9.55", "6.24", "3.31", "401.23", "2.38", "9", "–", "1"]);
  assert.deepEqual(rows({ whiteMatterMm3: 0 }).values.slice(3, 5), ["0.00", "–"]);
  for (
    const [ml, grade] of [[3.39, 0], [3.4, 1], [9.59, 1], [9.6, 2], [17.09, 2], [17.1, 3]] as const
  ) {
    assert.equal(rows({ periMm3: ml * 1000, deepMm3: 0 }).values.at(-1), String(grade), `${ml} mL`);
  }
  const low = rows({ isLowConfidence: true });
  const noteOf = ({ sheets }: typeof low) =>
    flat(sheets).filter((text) => text.startsWith("Low confidence"));
  // one box, which says why
  assert.deepEqual(noteOf(low), ["Low confidence: segmentation quality C. Check the overlay."]);
  assert.deepEqual(
    noteOf(rows({ isLowConfidence: true, tissue: "flair", periMm3: 100, deepMm3: 0 })),
    [
      `Low confidence: measured without a T1w series; ${wmhPageText.wmhLowMinimal.en}. Check the overlay.`,
    ],
  );
  // no grade, and no scale to read one from
  assert.equal(low.values.at(-1), "–");
  assert.ok(!flat(low.sheets).some((text) => /^Grade \d/.test(text)));
  const without = reportSheetsOf(fullReport("en", { pages: [128], lesions: null }));
  assert.ok(without.every(({ title }) => title !== pageTitle[128].en));
  // the lesions one by one, as many as there is room for
  const centreRasMm: [number, number, number] = [-33, -59, 24];
  const listed = [{ periMm3: 1000, deepMm3: 250, centreRasMm }, {
    periMm3: 0,
    deepMm3: 2.5,
    centreRasMm,
  }];
  const list = textsOf(rows({ lesions: listed }).sheets, "1");
  assert.deepEqual(list, ["svg", "Periventricular and deep", "1.25", "L 33  P 59  S 24"]);
  assert.ok(!cellsOf(rows({ lesions: listed }).sheets).has("2"), "0.00 mL");
  const many = rows({ lesions: Array.from({ length: 40 }, () => listed[0]!) }).sheets;
  const shown = [...cellsOf(many).keys()].filter((number) => /^\d+$/.test(number)).length;
  assert.ok(shown >= 6, String(shown));
  const note = textIn(wmhPageText.lesionNoteMore, "en", { shown, count: 40 });
  assert.ok(flat(many).includes(note));
});

// covers: S-135
Deno.test("WMH has the lesions of each place in a table, and says what is not searched", () => {
  const centreRasMm: [number, number, number] = [-33, -59, 24];
  const placed = (site: LesionSite, mm3: number, more: object = {}) => ({
    periMm3: mm3,
    deepMm3: 0,
    centreRasMm,
    place: { site, lobe: "frontal" as const, side: "L" as const, ...more },
  });
  const lesions = [
    placed("periventricular", 4000, { is_at_both: true }),
    placed("periventricular", 2000),
    placed("juxtacortical", 240),
    // below 3 mm in diameter: not counted
    placed("juxtacortical", 10),
  ];
  for (const isUnreliable of [false, true]) {
    const sheets = sheetsOf(128, {
      lesions: {
        periMm3: 6250,
        deepMm3: 0,
        whiteMatterMm3: 401_230,
        lesionCount: 4,
        lesions,
        isLowConfidence: false,
        tissue: "t1" as const,
        ...(isUnreliable && { grade: "C" }),
      },
    });
    const figure = (ml: string) => lesionFigure(ml, isUnreliable, "en");
    const none = lesionSearchText.notSearched.en;
    assert.deepEqual(textsOf(sheets, wmhPageText.placeCount.en), ["2", "1", "0", none]);
    assert.deepEqual(textsOf(sheets, wmhPageText.placeVolume.en), [
      figure("6.00"),
      figure("0.24"),
      figure("0.00"),
      none,
    ]);
    const texts = flat(sheets);
    assert.ok(texts.some((text) => text.includes("(1 in this study)")));
    assert.ok(texts.some((text) => text.includes(lesionSearchText.note.en)));
  }
  // of one lesion the place is not known: no table, whose sums would be too small
  const { place: _, ...without } = lesions[0]!;
  const sheets = sheetsOf(128, {
    lesions: {
      periMm3: 6000,
      deepMm3: 0,
      whiteMatterMm3: 401_230,
      lesionCount: 2,
      lesions: [without, lesions[1]!],
      isLowConfidence: false,
      tissue: "t1" as const,
    },
  });
  assert.ok(!cellsOf(sheets).has(wmhPageText.placeCount.en));
  assert.ok(flat(sheets).some((text) => text.includes(lesionSearchText.note.en)));
});

Deno.test("ICV has the volume, its percentile by sex, and brain / ICV with its band", () => {
  const icvMm3 = 1_535_000, { analysis } = reportInput();
  const values = (patient = {}) =>
    [...cellsOf(sheetsOf(32, { analysis: { ...analysis, icvMm3 } }, patient)).values()].map((
      [cell],
    ) => cell!.text);
  const report = fullReport("en", { analysis: { ...analysis, icvMm3 } });
  const brain = report.main_page.rows.find(({ key }) => key === "brain")!.volume_total!;
  const norm = normOf("brain", "volume", { ...SUBJECT, icvMl: 1535 })!;
  const factor = Math.exp(methodErrorOf("brain", "volume")!.bias);
  const percent = (z: number) => (factor * valueAt(z, norm) / 15350).toFixed(2);
  // one standard deviation above the mean of women: 1409 + 126 mL
  assert.deepEqual(values(), [
    "1535.00",
    formatPercentile(report.icv.rank, "en"),
    brain.toFixed(2),
    (100 * brain / 1535).toFixed(2),
    `${percent(-1.6448536)}–${percent(1.6448536)}`,
  ]);
  for (const patient of [{ age: 3 }, { sex: null }]) {
    assert.deepEqual([values(patient)[1], values(patient)[4]], ["–", "–"]);
  }
});

Deno.test("Atrophy Score rescales the mean of four z scores, and says what it is", () => {
  const at = (z: (label: number) => number) => {
    const report = fullReport("en", {
      analysis: { ...reportInput().analysis, volumesMm3: volumesAt(z) },
    });
    return report.atrophy_score!;
  };
  const middle = at(() => 0);
  assert.ok(middle.items.slice(0, 2).every(({ z }) => Math.abs(z) <= 0.02));
  // all four parts one standard deviation away: 1 / √((1 + 3 × 0.4) / 4)
  const { items } = at((label) => label === 17 || label === 18 ? 1.5 : -1.5);
  const mean = items.reduce(
    (sum, { brain_regions, z }) => sum + (brain_regions.includes("ventricle") ? z : -z),
    0,
  ) / 4;
  const expected = 100 * normalCdf(mean / Math.sqrt((1 + 3 * 0.4) / 4));
  const { score, level } = at((label) => label === 17 || label === 18 ? 1.5 : -1.5);
  assert.ok(Math.abs(score - expected) < 0.1 && score > 95, `${score}, ${expected}`);
  assert.equal(level, 2);
  const sheets = sheetsOf(2), report = fullReport("en");
  for (const { brain_regions, z, rank } of report.atrophy_score!.items) {
    const name = brain_regions === "cortex" ? "Cerebral cortex" : partName(brain_regions, "en");
    // the same sign as the bar: less tissue and more fluid count up
    const deviation = brain_regions.includes("ventricle") ? z : -z;
    assert.deepEqual(textsOf(sheets, name), [signed(deviation, 2), formatPercentile(rank, "en")]);
    assert.ok(flat(sheets).includes(signed(brain_regions.includes("ventricle") ? z : -z, 2)), name);
  }
  assert.ok(flat(sheets).includes(report.atrophy_score!.score.toFixed(1)));
  assert.ok(flat(sheets).some((text) => text.includes("not its cause")));
  assert.equal(fullReport("en", {}, { age: 3 }).atrophy_score, null);
  assert.ok(
    flat(sheetsOf(2, {}, { age: 3 })).some((text) => text.includes(scorePageText.scoreNone.en)),
  );
});

Deno.test("pages compare at the ICV only where the percentiles use it, and give the reason without a score", () => {
  const { analysis } = reportInput(), pages = REPORT_PAGES.map(({ code }) => code);
  const wordsOf = (language: Language, change: Partial<ReportInput["analysis"]>) =>
    flat(reportSheetsOf(fullReport(language, { pages, analysis: { ...analysis, ...change } })))
      .join("\n");
  for (const language of LANGUAGES) {
    const usual = wordsOf(language, {}), beyond = wordsOf(language, { icvMm3: 900_000 });
    for (
      const text of [reportText.legend, regionsPageText.regionsLegend, scorePageText.scoreText]
    ) {
      // up to the next value
      const [icv, sex] = [reportText.adjustedIcv, reportText.adjustedSex].map((basis) =>
        textIn(text, language, { adjusted: basis[language] }).split("{")[0]!
      ) as [string, string];
      assert.deepEqual(
        [usual.includes(icv), usual.includes(sex), beyond.includes(icv), beyond.includes(sex)],
        [true, false, false, true],
        icv,
      );
    }
    // a patient of grade C has norms
    const unreliable = wordsOf(language, { quality: { grade: "C" } });
    assert.ok(unreliable.includes(scorePageText.scoreNone[language]));
    assert.ok(unreliable.includes(reportText.qualityLow[language]));
  }
});

Deno.test("Check-up has every cell of the model: its percentile, its place on the rail, plain words", () => {
  // by the 5th percentile, as the opinion; the 25th, where the tables begin to mark, is no deviation
  const words = (key: string, rank: PercentileRank) => {
    const { level, possible_level, doubt } = rank, isFluid = key === "lateral_ventricles";
    const deviation = isFluid
      ? "larger than expected"
      : key === "thickness"
      ? "thinner than expected"
      : "smaller than expected";
    if (level === 2) return deviation[0]!.toUpperCase() + deviation.slice(1);
    if (doubt !== null) return checkupPageText.checkDoubt.en;
    if (possible_level === 2) return `Possibly ${deviation}`;
    if (isFluid ? rank.high >= 95 : rank.low <= 5) {
      return checkupPageText.checkUnsure.en;
    }
    return level === 1
      ? `In the ${isFluid ? "upper" : "lower"} part of the expected range`
      : checkupPageText.checkUsual.en;
  };
  const seen = new Set<string>();
  for (const z of [-2.2, -1, 0, 1, 2.2]) {
    const change = {
      analysis: {
        ...reportInput().analysis,
        volumesMm3: volumesAt(z),
        thicknessSidesMm: [2.2, 2.2] as [number, number],
      },
    };
    const { rows } = fullReport("en", change).main_page, sheets = sheetsOf(8, change);
    assert.equal(cellsOf(sheets).size, 8);
    for (const row of rows) {
      if (["icv", "wmh"].includes(row.key)) continue;
      const [what, rail, percentile, result] = cellsOf(sheets).get(
        ROWS[row.key]!.replace(/, mm$/, ""),
      )!;
      assert.ok(what!.text!.length > 10);
      assert.equal(percentile!.text, formatPercentile(row.rank_total, "en"), row.key);
      if (!row.rank_total!.has_bands) {
        // an interval without a percentile is not said in words
        assert.ok(!rail!.svg!.includes("<circle") && row.np_total === null, row.key);
        continue;
      }
      // 168 wide, 0 at 6 and 100 at 162
      const dot = Number(rail!.svg!.match(/<circle cx="([\d.]+)"/)![1]);
      assert.ok(Math.abs((dot - 6) / 156 * 100 - row.np_total!) < 0.1, `${row.key}: ${dot}`);
      assert.equal(
        result!.text!.toLowerCase(),
        words(row.key, row.rank_total!).toLowerCase(),
        `${row.key} at ${z}`,
      );
      seen.add(result!.text!);
    }
  }
  assert.ok(seen.size >= 6, [...seen].join());
  // the words say what was used
  assert.ok(flat(sheetsOf(8)).some((text) => text.includes("your age, sex and head size")));
  // without norms there are sizes, and no rails that would be empty
  const child = sheetsOf(8, {}, { age: 3 }), { rows } = fullReport("en", {}, { age: 3 }).main_page;
  const hippocampus = rows.find(({ key }) => key === "hippocampus")!;
  assert.deepEqual(textsOf(child, "Hippocampus").slice(1), [
    `${fixed(hippocampus.volume_total)}\u00a0mL`,
  ]);
  assert.ok(!JSON.stringify(child.map(({ blocks }) => blocks)).includes("<svg"));
});

Deno.test("Hospital-MTA has both sides, and only the grades that a physician entered", () => {
  const h = fullReport("en").hippocampus!, sheets = sheetsOf(16);
  assert.deepEqual(textsOf(sheets, "Hippocampus, mL"), [fixed(h.left), fixed(h.right)]);
  assert.deepEqual(
    textsOf(sheets, mtaPageText.mtaPercentile.en),
    [h.rank_left, h.rank_right].map((rank) => formatPercentile(rank, "en")),
  );
  assert.deepEqual(
    textsOf(sheets, "Temporal horn, mL"),
    [fixed(h.inf_lat_vent_left), fixed(h.inf_lat_vent_right)],
  );
  assert.deepEqual(textsOf(sheets, "Hippocampal occupancy (HOC)"), [
    fixed(h.hoc_left),
    fixed(h.hoc_right),
  ]);
  const volumes = volumesAt((label) => label * 37 % 60 / 10 - 2.5);
  assert.equal(h.hoc_left, Math.round(100 * volumes[19]! / (volumes[19]! + volumes[17]!)) / 100);
  assert.ok(
    flat(sheets).includes(
      signed(200 * (volumes[19]! - volumes[20]!) / (volumes[19]! + volumes[20]!)),
    ),
  );
  const gradesOf = (sheets: Sheet[]) =>
    cellsOf(sheets).get("MTA")!.map(({ text, under }) => [text, under]);
  const [usual, above] = [mtaPageText.mtaUsual.en, mtaPageText.mtaAbove.en];
  assert.deepEqual(gradesOf(sheets), [["1", usual], ["3", above]]);
  assert.ok(flat(sheets).some((text) => text.startsWith("Entered by Dr. Reader")));
  assert.deepEqual(gradesOf(sheetsOf(16, {}, { age: 75 }))[1], ["3", above]);
  assert.deepEqual(gradesOf(sheetsOf(16, {}, { age: 74 }))[0], ["1", usual]);
  // however small the hippocampi are, nothing is graded for the physician
  const small = { analysis: { ...reportInput().analysis, volumesMm3: volumesAt(-4) }, mta: null };
  assert.deepEqual(textsOf(sheetsOf(16, small), "MTA"), ["–", "–"]);
  assert.ok(flat(sheetsOf(16, small)).includes("Not entered"));
});

Deno.test("ICV names an earlier version only beside pictures without an outline, in both languages", () => {
  for (const language of LANGUAGES) {
    const report = fullReport(language, { pages: [32] });
    const old = { ...report, icv: { ...report.icv, has_outline: false } };
    const [usual, plain] = [icvPageText.icvPictures[language], icvPageText.icvPicturesPlain];
    const texts = (of: typeof report) => flat(reportSheetsOf(reportResponse.parse(of)));
    assert.ok(texts(report).includes(usual) && !texts(report).includes(plain[language]));
    assert.ok(texts(old).includes(plain[language]) && !texts(old).includes(usual));
    assert.doesNotMatch(usual, /version|버전/);
  }
});

Deno.test("WMH gives no interval of the Fazekas equivalent, and says why", () => {
  const reason = (change: Input) => textsOf(sheetsOf(128, change), wmhPageText.fazekas.en)[1];
  assert.equal(reason({}), wmhPageText.fazekasExact.en);
  const flair = {
    periMm3: 6000,
    deepMm3: 4000,
    whiteMatterMm3: 400_000,
    lesionCount: 12,
    isLowConfidence: true,
    tissue: "flair" as const,
  };
  assert.equal(reason({ lesions: flair }), wmhPageText.fazekasNone.en);
});

Deno.test("Longitudinal has every value of every study, its change and that of the norms", () => {
  const report = fullReport("en"), sheets = sheetsOf(64).slice(0, 1), visits = report.longitudinal!;
  const keys = [
    "brain",
    "cortex",
    "white_matter",
    "hippocampus",
    "lateral_ventricles",
    "thickness",
  ] as const;
  assert.equal(visits.length, 12);
  for (const visit of visits) {
    const name = `${visit.study_date}${visit.same_protocol ? "" : " *"}`;
    assert.deepEqual(textsOf(sheets, name), keys.map((key) => visit.values[key]!.toFixed(2)));
  }
  const names = [
    "Brain without ventricles",
    "Cerebral cortex",
    longitudinalPageText.changeWhiteMatter.en,
    "Hippocampus",
  ];
  names.forEach((name, i) => {
    const key = keys[i]!, last = visits.at(-1)!;
    assert.deepEqual(textsOf(sheets, name).slice(0, 4), [
      visits[0]!.values[key]!.toFixed(2),
      last.values[key]!.toFixed(2),
      signed(last.annual_change_percent[key], 2),
      signed(report.norm_change_percent[key], 2),
    ]);
  });
  assert.ok(flat(sheets).some((text) => text.includes("the scanner or protocol differs")));
  assert.ok(
    report.norm_change_percent.hippocampus! < 0 &&
      report.norm_change_percent.lateral_ventricles! > 0,
  );
  const without = reportSheetsOf(fullReport("en", { pages: [64], longitudinal: null }));
  assert.ok(without.every(({ title }) => title !== pageTitle[128].en));
});

Deno.test("Reading Materials name the ages and thresholds of the report and the source of the norms", () => {
  const words = flat(sheetsOf(1024, { thresholds: [2, 9] })).join(" ");
  for (const text of ["ages 18 to 100", "2, 9", "2021.01.25.428063", "Fazekas"]) {
    assert.ok(words.includes(text), text);
  }
});

const PAGE_TEXTS = [
  checkupPageText,
  coverPageText,
  icvPageText,
  longitudinalPageText,
  mtaPageText,
  regionsPageText,
  scorePageText,
  wmhPageText,
];

Deno.test("The words on the pages name no disease and no probability", () => {
  const texts = [
    ...PAGE_TEXTS.flatMap((texts) => Object.values(texts)),
    ...Object.values(readingList).flat(),
  ]
    .flatMap((
      { en, ko },
    ) => [en, ko]);
  for (const text of texts) {
    assert.doesNotMatch(text, /dementia|alzheimer|disease|probab|치매|질환|확률/i);
  }
});
