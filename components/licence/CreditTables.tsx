import type { CreditLog, CreditLogMonth } from "@/model/schema/site/license.ts";
import { type Language, textIn } from "@/model/text.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { creditsText } from "@/model/text/account/credits.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";

const CELL = "px-3 py-2 text-left";
const NUMBER = "px-3 py-2 text-right tabular";
const signed = (amount: number) => amount > 0 ? `+${amount}` : String(amount).replace("-", "−");

function say(language: Language) {
  return (key: keyof typeof creditsText, values?: Record<string, string | number>) =>
    textIn(creditsText[key], language, values);
}

function Head({ names }: { names: readonly (readonly [words: string, isNumber: boolean])[] }) {
  return (
    <thead>
      <tr className="border-b border-line text-ink-soft">
        {names.map(([words, isNumber]) => (
          <th key={words} scope="col" className={`${isNumber ? NUMBER : CELL} font-semibold`}>
            {words}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Table of single entries in the log of credits. */
export function CreditLogTable(
  { logs, language }: { logs: CreditLog["logs"]; language: Language },
) {
  const text = say(language), timeZone = useTimeZone();
  const reasonOf = ({ amount, is_rollback, pid }: CreditLog["logs"][number]) => {
    if (is_rollback) return text("backOf", { pid: pid ?? "-" });
    if (pid !== undefined) return text("analysisOf", { pid });
    return text(amount < 0 ? "taken" : "added");
  };
  return (
    <table className="w-full text-[13px]" aria-label={text("log")}>
      <Head
        names={[[text("time"), false], [text("what"), false], [text("amount"), true], [
          text("balance"),
          true,
        ]]}
      />
      <tbody>
        {logs.map((entry) => (
          <tr key={entry.id} className="border-b border-line last:border-b-0 text-ink">
            <td className={`${CELL} tabular whitespace-nowrap`}>
              {minuteIn(timeZone, Date.parse(entry.created_at))}
            </td>
            <td className={CELL}>{reasonOf(entry)}</td>
            <td className={`${NUMBER} ${entry.amount > 0 ? "text-emerald-800" : ""}`}>
              {signed(entry.amount)}
            </td>
            <td className={NUMBER}>{entry.balance}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Credits used and refunded per month. */
export function CreditMonthTable(
  { months, language }: { months: CreditLogMonth["months"]; language: Language },
) {
  const text = say(language);
  return (
    <table className="w-full text-[13px]" aria-label={text("months")}>
      <Head
        names={[[text("month"), false], [text("monthUsed"), true], [text("monthBack"), true]]}
      />
      <tbody>
        {months.map(({ month, used, rolled_back }) => (
          <tr key={month} className="border-b border-line last:border-b-0 text-ink">
            <td className={`${CELL} tabular`}>{month}</td>
            <td className={NUMBER}>{used}</td>
            <td className={NUMBER}>{rolled_back}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
