import { useEffect, useRef } from "react";
import type { ReportTextAnswer, TextVersion } from "@/model/schema/report/report_text.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { reportTextText } from "@/model/text/report/report_text_dialog.ts";
import { useText } from "@/client/page/language.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { Button } from "@/components/Button.tsx";
import type { ReportTextState } from "@/components/report_text/use_report_text.ts";

const STATES = { draft: "stateDraft", signed: "stateSigned", withdrawn: "stateWithdrawn" } as const;

/** Shows the state of the newest version, and whether the results changed after the signature. */
export function TextStatus({ stored: { versions, signed } }: { stored: ReportTextAnswer }) {
  const text = useText(reportTextText), timeZone = useTimeZone(), newest = versions[0];
  const at = newest && minuteIn(timeZone, Date.parse(newest.created_at));
  return (
    <div>
      <p className="font-medium text-ink">
        {newest ? text(newest.state, { author: newest.author, at: at! }) : text("unsigned")}
      </p>
      {signed?.is_outdated && (
        <p role="alert" className="font-medium text-red-700">{text("readAgain")}</p>
      )}
    </div>
  );
}

/**
 * Shows another author's version next to the editor's text, until the user chooses between them.
 */
export function TextConflict({ state, theirs }: { state: ReportTextState; theirs: TextVersion }) {
  const text = useText(reportTextText), { author, version } = theirs;
  const section = useRef<HTMLElement>(null);
  useEffect(() => void section.current?.scrollIntoView({ block: "nearest" }), [version]);
  return (
    <section
      ref={section}
      role="alert"
      className="rounded-md border border-line-strong bg-canvas p-3"
    >
      <p className="font-medium text-red-700">{text("conflict", { author, version })}</p>
      <p className="mt-2 text-xs font-semibold text-ink">{text("theirs", { version })}</p>
      <p
        lang={theirs.language}
        className="mb-3 max-h-40 overflow-y-auto whitespace-pre-wrap text-ink"
      >
        {theirs.text}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button size="small" onClick={() => state.keepMine()}>{text("keepMine")}</Button>
        <Button size="small" onClick={() => void state.take(theirs)}>{text("takeTheirs")}</Button>
      </div>
    </section>
  );
}

/** All versions of the text with author and time; each can be loaded into the editor. */
export function TextVersions({ state, stored: { versions } }: {
  state: ReportTextState;
  stored: ReportTextAnswer;
}) {
  const text = useText(reportTextText), timeZone = useTimeZone();
  if (versions.length === 0) return null;
  return (
    <details>
      <summary className="cursor-pointer font-semibold text-ink">
        {text("versions", { count: versions.length })}
      </summary>
      <ol className="mt-2 flex flex-col gap-2">
        {versions.map((each) => (
          <li key={each.version} className="rounded-md border border-line p-2">
            <p className="flex flex-wrap items-center justify-between gap-2 text-xs font-medium text-ink">
              {text("version", {
                version: each.version,
                state: text(STATES[each.state]),
                author: each.author,
                at: minuteIn(timeZone, Date.parse(each.created_at)),
              })}
              <Button
                size="small"
                onClick={() =>
                  void state.take(each)}
              >
                {text("useVersion")}
              </Button>
            </p>
            <p lang={each.language} className="mt-1 whitespace-pre-wrap">{each.text}</p>
          </li>
        ))}
      </ol>
    </details>
  );
}
