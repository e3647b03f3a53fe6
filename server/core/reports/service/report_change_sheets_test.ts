import assert from "node:assert/strict";
import {
  CHANGE_VISITS,
  imageKey,
  MOST_CHANGE_PICTURES,
  type ReportResponse,
} from "@/model/schema/report/report.ts";
import { type Language, LANGUAGES, textIn } from "@/model/text.ts";
import { lesionChangeText } from "@/model/text/report/report_lesion_changes.ts";
import { protocolFieldText } from "@/model/text/report/pages/longitudinal.ts";
import { regionsPageText } from "@/model/text/report/pages/regions.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { type Block, SHEET_HEIGHT, type SheetBody } from "@/report/sheets/sheet.ts";
import { mainBodiesOf } from "@/report/sheets/main_sheet.ts";
import { trajectoryText } from "@/model/text/report/report_trajectory.ts";
import { lesionChangeBodiesOf } from "@/report/sheets/lesion_change_sheet.ts";
import { longitudinalBodiesOf } from "@/report/sheets/longitudinal_sheet.ts";
import { regionBodiesOf } from "@/report/sheets/regions_sheet.ts";
import { wmhBodiesOf } from "@/report/sheets/wmh_sheet.ts";
import { trajectoryBodiesOf } from "@/report/sheets/trajectory_sheet.ts";
import { fullReport, LESION_CHANGES } from "@/server/core/reports/service/report_fixture.ts";

Deno.test("Longitudinal of FLAIR has each study's volumes and the lesions that changed, without refused ones", () => {
  for (const language of ["en", "ko"] as const) {
    const bodies = lesionChangeBodiesOf({
      ...fullReport(language),
      flair_longitudinal: LESION_CHANGES,
    });
    const texts = JSON.stringify(bodies);
    assert.equal(bodies.length, 1);
    for (const text of ["2024-01-01 *", "5.20", "Dr. Reader"]) {
      assert.ok(texts.includes(text), text);
    }
    const words = lesionChangeText;
    assert.ok(texts.includes(words.new[language]) && texts.includes(words.shrinking[language]));
    assert.ok(!texts.includes(`"${words.gone[language]}"`), "what a reader refused is not listed");
    assert.ok(texts.includes(textIn(words.refused, language, { n: 1 })));
    assert.ok(
      texts.includes(textIn(words.possible, language, { kind: words.enlarging[language] })),
    );
    assert.ok(texts.includes(textIn(protocolFieldText.scanner, language)));
  }
  assert.deepEqual(lesionChangeBodiesOf(fullReport("en")), []);
  // many studies leave room for fewer lesions, and how many are left out is said
  const many = {
    visits: Array.from(
      { length: 14 },
      (_, year) => ({ ...LESION_CHANGES.visits[1]!, study_date: `${2013 + year}-01-01` }),
    ),
    changes: {
      ...LESION_CHANGES.changes,
      lesions: Array.from(
        { length: 40 },
        (_, lesion) => ({ ...LESION_CHANGES.changes.lesions[1]!, lesion }),
      ),
    },
  };
  const [crowded] = lesionChangeBodiesOf({ ...fullReport("en"), flair_longitudinal: many });
  assert.ok(heightOf(crowded!.blocks) <= SHEET_HEIGHT);
  const rows = crowded!.blocks.flatMap((block) =>
    block.kind === "table" ? [block.rows.length] : []
  )[1]!;
  const left = textIn(lesionChangeText.more, "en", { n: 40 - rows });
  assert.ok(rows > 10 && rows < 22 && JSON.stringify(crowded).includes(left), `${rows} rows`);
});

Deno.test("Longitudinal says beside the change of the hippocampus which loss cannot be seen", () => {
  for (
    const [language, words] of [
      ["en", /Hippocampus: a loss of 10 to 20\u00a0% [^.]* cannot be seen/],
      ["ko", /해마가 10~20\u00a0% 위축되면서 [^.]* 구별할 수 없으며/],
    ] as const
  ) {
    const [body] = longitudinalBodiesOf(fullReport(language));
    assert.match(JSON.stringify(body), words);
    assert.ok(heightOf(body!.blocks) <= SHEET_HEIGHT, `${heightOf(body!.blocks)}`);
  }
});

Deno.test("Longitudinal of FLAIR shows changed lesions before and now, and says which have no picture", () => {
  const images = imageKey.options.filter((key) => key.startsWith("change_"))
    .map((key) => ({ key, url: `/${key}`, position_mm: 0 }));
  assert.equal(images.length, CHANGE_VISITS.length * MOST_CHANGE_PICTURES);
  const pagesOf = (count: number, visits = 2): Block[][] => {
    const lesions = Array.from(
      { length: count },
      (_, lesion) => ({
        ...LESION_CHANGES.changes.lesions[2]!,
        lesion,
        is_sure: lesion > 2,
        is_confirmed: lesion === 3 ? false : null,
      }),
    );
    const bodies = lesionChangeBodiesOf({
      ...fullReport("en"),
      // as many as are drawn for so many lesions
      images: images.slice(0, CHANGE_VISITS.length * (count > 3 ? count - 1 : count)),
      flair_longitudinal: {
        visits: Array.from({ length: visits }, () => LESION_CHANGES.visits[0]!),
        changes: { ...LESION_CHANGES.changes, lesions },
      },
    });
    return bodies.map(({ blocks }) => {
      assert.ok(heightOf(blocks) <= SHEET_HEIGHT);
      return blocks;
    });
  };
  const captions = (pages: Block[][]) =>
    pages.flat().flatMap((block) =>
      block.kind === "pictures" ? block.pictures.map(({ key, caption }) => [key, caption]) : []
    );
  const says = (blocks: Block[], text: Record<Language, string>, n: number) =>
    JSON.stringify(blocks).includes(textIn(text, "en", { n }));
  const pages = pagesOf(9);
  // sure ones first, in the order of the table; the rejected one has none
  assert.deepEqual(captions(pages).slice(0, 3), [
    ["change_1_before", "No. 5, before"],
    ["change_1_now", "No. 5, now"],
    ["change_2_before", "No. 6, before"],
  ]);
  assert.equal(captions(pages.slice(0, 1)).length, 8);
  assert.ok(says(pages[0]!, lesionChangeText.pictureNext, 4));
  assert.equal(captions(pages).length, 16);
  assert.ok(!JSON.stringify(pages).includes("not illustrated"));
  assert.equal(pagesOf(3).length, 1);
  // many studies and lesions: every lesion that is drawn is shown once, and the others are counted
  for (const visits of [2, 14, 24]) {
    const many = pagesOf(40, visits);
    assert.deepEqual(captions(many).map(([key]) => key), images.map(({ key }) => key));
    assert.ok(says(many.at(-1)!, lesionChangeText.pictureMore, 39 - MOST_CHANGE_PICTURES));
  }
});

Deno.test("every page that compares, and the Main Page, name the studies that may be of another person", () => {
  for (const language of LANGUAGES) {
    const report: ReportResponse = {
      ...fullReport(language),
      flair_longitudinal: LESION_CHANGES,
      other_person_visits: [
        { study_date: "2014-01-01", differs: ["birthdate"] },
        { study_date: "2015-02-02", differs: ["birthdate"] },
        { study_date: "2016-03-03", differs: [] },
        { study_date: "2017-04-04", differs: ["sex"], shared_id: "several_people" },
        { study_date: "2018-05-05", differs: [], shared_id: "placeholder" },
      ],
    };
    const say = (text: Record<Language, string>, values = {}) => textIn(text, language, values);
    const expected = [
      say(trajectoryText.otherPerson, {
        dates: "2014-01-01, 2015-02-02",
        recorded: say(trajectoryText.birthdate),
      }),
      say(trajectoryText.unknownPerson, { dates: "2016-03-03" }),
      say(trajectoryText.sharedId, { dates: "2017-04-04" }),
      say(trajectoryText.placeholderId, { dates: "2018-05-05" }),
    ];
    const pages = [
      trajectoryBodiesOf(report),
      lesionChangeBodiesOf(report),
      mainBodiesOf(report, new Map()),
    ];
    for (const [body] of pages) {
      for (const text of expected) assert.ok(JSON.stringify(body).includes(text), text);
    }
  }
});

Deno.test("Longitudinal says in words what it does not compare, and where its limits come from", () => {
  const report = fullReport("en"), limits = { pairs: 5, percent: { brain: 0.8 } };
  const [body] = trajectoryBodiesOf({
    ...report,
    left_out_visits: ["2014-01-01"],
    change_limits: limits,
  });
  const texts = JSON.stringify(body);
  assert.ok(
    texts.includes("2019-01-01: the scanner or protocol differs from that of the first study"),
    texts.slice(0, 900),
  );
  assert.ok(texts.includes("because of segmentation quality C: 2014-01-01"));
  assert.match(texts, /0\.8[ \u00a0]%[^"]*from 5 scan–rescan pairs/);
  // the page of the changes does not name other limits
  const changes = (of: typeof report) => JSON.stringify(longitudinalBodiesOf(of));
  assert.ok(changes(report).includes("1\u00a0% for brain, cortex and white matter"));
  const own = changes({ ...report, change_limits: limits });
  assert.ok(
    own.includes("this site's own scan–rescan limits") && !own.includes("1\u00a0% for brain"),
    own.slice(-900),
  );
  assert.ok(JSON.stringify(trajectoryBodiesOf(report)).includes("no scan–rescan data"));
  const { trajectory: _, ...without } = report;
  assert.deepEqual(trajectoryBodiesOf(without), []);
});

Deno.test("lesions of the T1w labels and of the FLAIR are two measurements, wherever both are printed", () => {
  for (const language of ["en", "ko"] as const) {
    const sentence = regionsPageText.twoMeasurements[language];
    const report = fullReport(language);
    const says = (bodies: readonly SheetBody[]) =>
      JSON.stringify(bodies.map(({ blocks }) => blocks)).split(sentence).length - 1;
    assert.ok(report.regions.some(({ part_index }) => part_index.includes(28)));
    assert.equal(says(regionBodiesOf(report)), 1);
    assert.equal(says(wmhBodiesOf(report)), 1);
    const withoutLabel = report.regions.filter(({ part_index }) => !part_index.includes(28));
    assert.equal(says(wmhBodiesOf({ ...report, regions: withoutLabel })), 0);
    assert.equal(says(regionBodiesOf({ ...report, wmh: null })), 0);
  }
});
