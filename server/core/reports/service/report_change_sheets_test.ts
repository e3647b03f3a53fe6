import assert from "node:assert/strict";
import { textIn } from "@/model/text.ts";
import { lesionChangeText } from "@/model/text/report/report_lesion_changes.ts";
import { protocolFieldText } from "@/model/text/report/pages/longitudinal.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { SHEET_HEIGHT } from "@/report/sheets/sheet.ts";
import { lesionChangeBodiesOf } from "@/report/sheets/lesion_change_sheet.ts";
import { longitudinalBodiesOf } from "@/report/sheets/longitudinal_sheet.ts";
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

Deno.test("Longitudinal says in words what it does not compare, and where its limits come from", () => {
  const report = fullReport("en"), limits = { pairs: 5, percent: { brain: 0.8 } };
  const [body] = trajectoryBodiesOf({
    ...report,
    left_out_visits: ["2014-01-01"],
    change_limits: limits,
  });
  const texts = JSON.stringify(body);
  assert.ok(
    texts.includes("2019-01-01, acquired with a different scanner or protocol"),
    texts.slice(0, 900),
  );
  assert.ok(texts.includes("2014-01-01, whose segmentation quality is C"));
  assert.match(texts, /from 5 scan–rescan pairs[^"]*0\.8[ \u00a0]%/);
  // the page of the changes does not name other limits
  const changes = (of: typeof report) => JSON.stringify(longitudinalBodiesOf(of));
  assert.ok(changes(report).includes("1\u00a0% brain, cortex and white matter"));
  const own = changes({ ...report, change_limits: limits });
  assert.ok(
    own.includes("this site's own scan–rescan limits") && !own.includes("1\u00a0% brain"),
    own.slice(-900),
  );
  assert.ok(JSON.stringify(trajectoryBodiesOf(report)).includes("no scan–rescan data"));
  const { trajectory: _, ...without } = report;
  assert.deepEqual(trajectoryBodiesOf(without), []);
});
