// Parts of the acceptance sheet about the past: earlier tests, control charts and their restarts.
import { chartLines, earlierLines, restartLines } from "@/model/acceptance/history_text.ts";
import type { AcceptanceDetails } from "@/model/schema/report/acceptance.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import { useLanguage, useText } from "@/client/page/language.ts";

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul>
      {lines.map((line, place) => <li key={place}>{line}</li>)}
    </ul>
  );
}

/** Number and results of earlier tests of the same scanner and protocol. */
export function EarlierTests({ details }: { details: Pick<AcceptanceDetails, "earlier"> }) {
  const text = useText(acceptanceText), language = useLanguage(), n = details.earlier.length;
  return (
    <>
      <p>{n === 0 ? text("noEarlierTests") : text("earlierCount", { n })}</p>
      <Lines lines={earlierLines(details, language)} />
    </>
  );
}

/** State of the control charts when the sheet is read, and all their restarts with the reasons. */
export function ChartState(
  { details }: { details: Pick<AcceptanceDetails, "charts" | "restarts"> },
) {
  const text = useText(acceptanceText), language = useLanguage();
  return (
    <>
      <Lines lines={chartLines(details, language)} />
      <p>{text("restartCount", { n: details.restarts.length })}</p>
      <Lines lines={restartLines(details, language)} />
    </>
  );
}
