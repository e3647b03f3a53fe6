// Results of a reading study, each with a 95 % interval.
import type { ReadingContrast, ReadingStatistics } from "@/model/schema/reading/reading_studies.ts";
import { readingStudyText } from "@/model/text/settings/reading_study.ts";
import { useText } from "@/client/page/language.ts";

const CELL = "px-2 py-1 text-left align-top",
  NUMBER = "px-2 py-1 text-right tabular-nums align-top whitespace-nowrap";

interface Row {
  name: string;
  value: number | null;
  low: number | null;
  high: number | null;
  p?: number | null;
}

/** Formats a number: "0.87", with a true minus sign. */
const digits = (value: number): string => value.toFixed(2).replace("-", "−");
const pDigits = (p: number): string => p < 0.001 ? "< 0.001" : p.toFixed(3);

function FigureTable(
  { caption, rows, hasP }: { caption: string; rows: readonly Row[]; hasP: boolean },
) {
  const text = useText(readingStudyText);
  return (
    <table className="mb-3 w-full border border-line">
      <caption className="mb-1 text-left font-medium">{caption}</caption>
      {rows.length > 0 && (
        <thead>
          <tr className="text-ink-soft">
            <th className={CELL}>{text("figure")}</th>
            <th className={NUMBER}>{text("estimate")}</th>
            <th className={NUMBER}>{text("interval")}</th>
            {hasP && <th className={NUMBER}>{text("p")}</th>}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.length === 0 && (
          <tr>
            <td className={CELL}>{text("noFigures")}</td>
          </tr>
        )}
        {rows.map(({ name, value, low, high, p }) => (
          <tr key={name} className="border-t border-line">
            <td className={CELL}>{name}</td>
            <td className={NUMBER}>{value === null ? text("undetermined") : digits(value)}</td>
            <td className={NUMBER}>
              {low === null || high === null
                ? value === null ? "–" : text("undetermined")
                : text("range", { low: digits(low), high: digits(high) })}
            </td>
            {hasP && <td className={NUMBER}>{p === undefined || p === null ? "–" : pDigits(p)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Table of ROC areas and agreement in one arm of the reading study. */
function ArmTable({ statistics }: { statistics: ReadingStatistics["arms"][number] }) {
  const text = useText(readingStudyText);
  const { arm, auc, mean_auc, kappas, icc } = statistics;
  const rows: Row[] = [
    ...auc.map((each) => ({
      ...each,
      name: `${text("auc")}, ${text("reader", { n: each.reader })}`,
    })),
    ...mean_auc && auc.length > 1 ? [{ ...mean_auc, name: text("meanAuc") }] : [],
    ...kappas.map((each) => ({
      ...each,
      name: `${text(each.of === "decision" ? "kappaDecision" : "kappaRating")}, ${
        text("pair", { a: each.readers[0]!, b: each.readers[1]! })
      }`,
    })),
    ...icc ? [{ ...icc, name: text("icc") }] : [],
  ];
  return (
    <FigureTable
      caption={text(arm === "with" ? "armWith" : "armWithout")}
      rows={rows}
      hasP={false}
    />
  );
}

/** Table of the differences between the arms of a reading study. */
function ContrastTable({ contrast }: { contrast: ReadingContrast }) {
  const text = useText(readingStudyText);
  const { auc, mean_auc, accuracy, time, mean_time } = contrast;
  const ofReader = (n: number) => text("reader", { n });
  const rows: Row[] = [
    ...auc.map((each) => ({ ...each, name: `${text("auc")}, ${ofReader(each.reader)}` })),
    ...mean_auc && auc.length > 1 ? [{ ...mean_auc, name: text("meanAuc") }] : [],
    ...accuracy.map((each) => ({
      ...each,
      p: each.mid_p,
      name: `${text("accuracy", { a: each.only_with, b: each.only_without, n: each.cases })}, ${
        ofReader(each.reader)
      }`,
    })),
    ...time.map((each) => ({ ...each, name: `${text("time")}, ${ofReader(each.reader)}` })),
    ...mean_time && time.length > 1 ? [{ ...mean_time, name: text("meanTime") }] : [],
  ];
  return <FigureTable caption={text("differences")} rows={rows} hasP />;
}

/** Tables of all arms, and of their differences. */
export const StatisticsTables = ({ statistics }: { statistics: ReadingStatistics }) => (
  <>
    {statistics.arms.map((arm) => <ArmTable key={arm.arm} statistics={arm} />)}
    {statistics.contrast && <ContrastTable contrast={statistics.contrast} />}
  </>
);
