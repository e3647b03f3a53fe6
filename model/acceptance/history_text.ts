// Lines of the acceptance sheet about selection, earlier tests, control charts and their restarts.
import { stateText, USE_TEXT } from "@/model/acceptance/sheet_text.ts";
import { movedText } from "@/model/drift/chart_text.ts";
import { engineName } from "@/model/measured/engine_name.ts";
import type { AcceptanceDetails } from "@/model/schema/report/acceptance.ts";
import { type Language, textIn } from "@/model/text.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";

/** How the studies were chosen; `null` for the first results. */
export const selectionText = (
  { chosen_of, result }: Pick<AcceptanceDetails, "chosen_of" | "result">,
  language: Language,
): string | null =>
  chosen_of === null
    ? null
    : textIn(acceptanceText.chosenByHand, language, { n: result.studies, all: chosen_of });

/** Earlier tests of the same scanner and protocol with their results, newest first. */
export const earlierLines = (
  { earlier }: Pick<AcceptanceDetails, "earlier">,
  language: Language,
): string[] =>
  earlier.map(({ id, started_at, engine_version, decision, ...test }) =>
    [
      textIn(acceptanceText.sheet, language, { id }),
      started_at.slice(0, 10),
      engineName(engine_version, language),
      stateText(test, language),
      ...decision === null ? [] : [textIn(acceptanceText.inUse, language, {
        use: textIn(acceptanceText[USE_TEXT[decision]], language),
      })],
    ].join(" · ")
  );

type Chart = AcceptanceDetails["charts"][number];

const nameOf = (
  { coil, engine_version }: Pick<Chart, "coil" | "engine_version">,
  language: Language,
) => [coil, engineName(engine_version, language)].filter((part) => part !== "").join(" · ");

const changesOf = (moved: Chart["moved"], language: Language): string =>
  moved.length === 0
    ? textIn(acceptanceText.chartsSteady, language)
    : textIn(acceptanceText.chartsMoved, language, { list: movedText(moved, language) });

/** State of the control charts when the sheet is read. */
export const chartLines = (
  { charts }: Pick<AcceptanceDetails, "charts">,
  language: Language,
): string[] =>
  charts.length === 0
    ? [textIn(acceptanceText.noCharts, language)]
    : charts.map(({ learnt, needed, moved, computed_at, ...chart }) =>
      `${
        textIn(acceptanceText.chartsOn, language, {
          name: nameOf(chart, language),
          date: computed_at.slice(0, 10),
        })
      }: ${
        learnt < needed && moved.length === 0
          ? textIn(acceptanceText.chartsLearning, language, { n: learnt, needed })
          : changesOf(moved, language)
      }`
    );

/** Restarts of the control charts with people, reason, and the state that they ended. */
export const restartLines = (
  { restarts }: Pick<AcceptanceDetails, "restarts">,
  language: Language,
): string[] =>
  restarts.map((restart) => {
    const text = restart.agreed_by === null ? "restartedBy" : "restartedByTwo";
    const words = textIn(acceptanceText[text], language, {
      date: restart.restarted_at.slice(0, 10),
      user: restart.restarted_by ?? "–",
      second: restart.agreed_by ?? "–",
      n: restart.studies,
      reason: restart.reason,
    });
    return `${nameOf(restart, language)}: ${words} ${changesOf(restart.moved, language)}`;
  });
