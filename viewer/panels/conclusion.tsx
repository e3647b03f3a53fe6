import { useEffect, useState } from "react";
import type { SignedText } from "@/model/schema/report/report_text.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { type Language, textIn } from "@/model/text.ts";
import { signedLabelText } from "@/model/text/report/report_text.ts";
import { getReportText } from "@/client/api/report/report_text.ts";
import { browserApi } from "@/client/browser_api.ts";
import { onServerEvent } from "@/client/live/live_updates.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";

interface ConclusionNoteProps {
  pid: number;
  /** text that a physician had signed when the page was opened */
  opened: SignedText | null;
  /** whether the author is omitted, because the page does not name the patient either */
  isAnonymous: boolean;
  language: Language;
}

/** Signed text of a physician, shown above the lists; renders nothing without a signed text. */
export function ConclusionNote({ pid, opened, isAnonymous, language }: ConclusionNoteProps) {
  const [signed, setSigned] = useState(opened), timeZone = useTimeZone();
  useEffect(() => {
    const abort = new AbortController();
    const stopHearing = onServerEvent((event) => {
      if (event.event !== "study_reading" || event.pid !== pid) return;
      getReportText(browserApi, pid, undefined, abort.signal)
        .then((found) => setSigned(found.signed), () => undefined);
    });
    return () => {
      abort.abort();
      stopHearing();
    };
  }, [pid]);
  if (!signed) return null;
  const { is_outdated: isOutdated, text } = signed, author = isAnonymous ? "" : signed.author;
  const label = isOutdated
    ? author === "" ? signedLabelText.outdatedAlone : signedLabelText.outdated
    : author === ""
    ? signedLabelText.signedAlone
    : signedLabelText.signed;
  const at = minuteIn(timeZone, Date.parse(signed.signed_at));
  return (
    <details
      data-testid="conclusion"
      className="shrink-0 border-b border-gray-700 bg-gray-900 px-2 py-1.5"
    >
      <summary className="cursor-pointer text-xs text-gray-100">
        {textIn(signedLabelText.conclusion, language)}
      </summary>
      <p className={`mt-1 text-xs ${isOutdated ? "text-yellow-300" : "text-gray-300"}`}>
        {textIn(label, language, { author, at })}
      </p>
      <p
        lang={signed.language}
        className="mt-1 max-h-48 overflow-y-auto whitespace-pre-wrap select-text text-sm text-gray-100"
      >
        {text}
      </p>
    </details>
  );
}
