// covers: S-150
import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { selectionText } from "@/model/acceptance/history_text.ts";
import { withheldLines } from "@/model/acceptance/sheet_text.ts";
import type { AcceptanceDetails, AcceptanceHead } from "@/model/schema/report/acceptance.ts";
import { LANGUAGES, textIn } from "@/model/text.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import { LanguageContext } from "@/client/page/language.ts";
import { ChartState, EarlierTests } from "@/components/acceptance/SheetHistory.tsx";

const ABOUT = { coil: "HeadNeck_20", engine_version: "sulcus-engine 0.1.0" };
const COMPUTED = "2026-03-02T08:00:00.000Z";
const MOVED = [{ name: "overall", direction: "lower" as const, date: "2026-02-03" }];
const DETAILS: Pick<AcceptanceDetails, "charts" | "restarts" | "earlier"> = {
  charts: [
    { ...ABOUT, studies: 70, learnt: 64, needed: 100, moved: [], computed_at: COMPUTED },
    {
      ...ABOUT,
      coil: "",
      studies: 170,
      learnt: 100,
      needed: 100,
      moved: MOVED,
      computed_at: COMPUTED,
    },
  ],
  restarts: [{
    ...ABOUT,
    studies: 97,
    moved: MOVED,
    reason: "coil replaced",
    restarted_at: "2026-03-01T08:00:00.000Z",
    restarted_by: "one@hospital.test",
    agreed_by: "two@hospital.test",
  }],
  earlier: [{
    id: 4,
    scanner: "A",
    protocol: "P",
    engine_version: ABOUT.engine_version,
    state: "superseded",
    replaced_by: 9,
    started_at: "2026-01-05T08:00:00.000Z",
    started_by: null,
    decision: "volumes",
    signed_at: null,
    signed_by: null,
    countersigned_at: null,
    countersigned_by: null,
    revoked_at: null,
    revoked_by: null,
  }],
};

Deno.test("the sheet of a test in force says that percentiles are withheld, and since when", () => {
  const stops = [{ stopped_at: "2026-03-02T08:00:00.000Z", since: "2026-02-20" }];
  const of = (state: AcceptanceHead["state"], since: string | null = "2026-02-20") => {
    const test = { ...DETAILS.earlier[0]!, state };
    return withheldLines({ test, stops: stops.map((stop) => ({ ...stop, since })) }, "en");
  };
  const dates = { since: "2026-02-20", date: "2026-03-02" };
  assert.deepEqual(of("accepted"), [textIn(acceptanceText.withheld, "en", dates)]);
  assert.deepEqual(of("accepted", null), [textIn(acceptanceText.withheldAll, "en", dates)]);
  for (const state of ["checking", "signed", "superseded", "revoked"] as const) {
    assert.deepEqual(of(state), []);
  }
});

Deno.test("the sheet prints selection, earlier tests, the charts' state and restarts with reasons", () => {
  for (const language of LANGUAGES) {
    const html = renderToStaticMarkup(
      <LanguageContext.Provider value={language}>
        <EarlierTests details={DETAILS} />
        <ChartState details={DETAILS} />
      </LanguageContext.Provider>,
    );
    const words = {
      en: [
        "Acceptance test 4 · 2026-01-05",
        "replaced by test 9 · Accepted for: volumes only.",
        "(as of 2026-03-02): not monitored yet: 64 of 100 studies",
        "Change detected: All regions combined lower since 2026-02-03",
        textIn(acceptanceText.restartCount, "en", { n: 1 }),
        "restarted by one@hospital.test and two@hospital.test on 2026-03-01 after 97 studies: coil replaced",
      ],
      ko: [
        "인수 시험 4",
        "9번 시험으로 대체됨",
        "2026-03-02 기준",
        "100건 중 64건",
        "2026-02-03부터",
        "coil replaced",
      ],
    };
    for (const word of words[language]) assert.ok(html.includes(word), `${word}: ${html}`);
    const result = { studies: 12 } as AcceptanceDetails["result"];
    const chosen = selectionText({ chosen_of: 150, result }, language)!;
    assert.ok(/12.*150|150.*12/.test(chosen), chosen);
    assert.equal(selectionText({ chosen_of: null, result }, language), null);
  }
});
