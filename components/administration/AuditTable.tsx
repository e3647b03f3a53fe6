import type { AuditPage } from "@/model/schema/site/audit.ts";
import { secondIn } from "@/model/time/site_time.ts";
import { type Language, textIn } from "@/model/text.ts";
import { auditDetailsIn, auditEventIn, auditOutcomeIn } from "@/model/text/site/audit_events.ts";
import { isErrorCode } from "@/model/errors.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { statusText } from "@/model/text/site/status.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";

const CELL = "px-3 py-2 text-left align-top";
const COLUMNS = ["number", "time", "user", "address", "event", "study", "outcome"] as const;

/** Entries of the audit log, newest first. */
export function AuditTable(
  { entries, language }: { entries: AuditPage["entries"]; language: Language },
) {
  const timeZone = useTimeZone();
  const say = (key: keyof typeof statusText) =>
    textIn(statusText[key], language, { zone: timeZone });
  if (entries.length === 0) {
    return <p className="px-5 py-10 text-center text-sm text-ink-soft">{say("noEntries")}</p>;
  }
  return (
    <table className="w-full text-[13px]" aria-label={say("audit")}>
      <thead>
        <tr className="border-b border-line text-ink-soft">
          {COLUMNS.map((name) => (
            <th key={name} scope="col" className={`${CELL} font-semibold whitespace-nowrap`}>
              {say(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => {
          const details = auditDetailsIn(entry.details, language), { outcome } = entry;
          return (
            <tr key={entry.seq} className="border-b border-line last:border-b-0 text-ink">
              <td className={`${CELL} tabular`}>{entry.seq}</td>
              <td className={`${CELL} tabular whitespace-nowrap`}>
                {secondIn(timeZone, Date.parse(entry.at))}
              </td>
              <td className={`${CELL} break-all`}>
                {entry.user ?? (entry.user_id === null ? say("nobody") : `#${entry.user_id}`)}
              </td>
              <td className={`${CELL} break-all tabular`}>{entry.address ?? "-"}</td>
              <td className={CELL}>
                <span title={entry.event}>{auditEventIn(entry.event, language)}</span>
                {details !== "" && (
                  <span className="block text-xs text-ink-soft break-words">{details}</span>
                )}
              </td>
              <td className={`${CELL} tabular`}>{entry.pid ?? "-"}</td>
              <td
                className={`${CELL} ${outcome === "ok" ? "" : "text-red-700 font-medium"}`}
                title={outcome}
              >
                {auditOutcomeIn(outcome, language)}
                {outcome !== "ok" && (
                  <span className="block text-xs font-normal break-words">
                    {isErrorCode(outcome) ? messageOf(outcome, {}, language) : outcome}
                  </span>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
