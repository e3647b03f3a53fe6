import type { AcceptanceCriterion, AcceptanceMeasure } from "@/model/schema/report/acceptance.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import { measureText } from "@/model/text/settings/local_norms.ts";
import { limitText, measuredText, signedZ } from "@/model/acceptance/sheet_text.ts";
import { useLanguage, useText } from "@/client/page/language.ts";

const CELL = "px-2 py-1 text-left align-top",
  NUMBER = "px-2 py-1 text-right tabular-nums align-top";
/** Table of all acceptance criteria with measured value, limit and result. */
export function CriteriaTable({ criteria }: { criteria: readonly AcceptanceCriterion[] }) {
  const text = useText(acceptanceText), language = useLanguage();
  return (
    <table className="w-full border border-line">
      <thead>
        <tr className="text-ink-soft">
          <th className={CELL}>{text("criterion")}</th>
          <th className={NUMBER}>{text("measured")}</th>
          <th className={CELL}>{text("limit")}</th>
          <th className={CELL}>{text("outcome")}</th>
        </tr>
      </thead>
      <tbody>
        {criteria.map((criterion) => (
          <tr key={criterion.name} className="border-t border-line">
            <td className={CELL}>{text(criterion.name)}</td>
            <td className={NUMBER}>
              {measuredText(criterion, language)}
            </td>
            <td className={CELL}>{limitText(criterion, language)}</td>
            <td
              className={`${CELL} ${
                criterion.state === "failed" ? "font-medium text-red-700" : ""
              }`}
            >
              {text(criterion.state)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Whether a measure has a spread between patients: a single study has none. */
const hasSpread = ({ n }: AcceptanceMeasure): boolean => n > 1;

/** Table of structures with their median and the range expected from the accuracy documents. */
export function StructureTable({ measures }: { measures: readonly AcceptanceMeasure[] }) {
  const text = useText(acceptanceText), language = useLanguage();
  if (measures.length === 0) return <p>{text("untested")}</p>;
  return (
    <>
      <table className="w-full border border-line">
        <thead>
          <tr className="text-ink-soft">
            <th className={CELL}>{text("structure")}</th>
            <th className={NUMBER}>{text("studies")}</th>
            <th className={NUMBER}>{text("median")}</th>
            <th className={NUMBER}>{text("expected")}</th>
            <th className={NUMBER}>{text("spreads")}</th>
            <th className={CELL}>{text("outcome")}</th>
          </tr>
        </thead>
        <tbody>
          {measures.map((each) => (
            <tr key={`${each.measure}:${each.key}`} className="border-t border-line">
              <td className={CELL}>{measureText(each.measure, each.key, language)}</td>
              <td className={NUMBER}>{each.n}</td>
              <td className={NUMBER}>{signedZ(each.median)}</td>
              <td className={NUMBER}>
                {text("between", { low: signedZ(each.low), high: signedZ(each.high) })}
              </td>
              <td className={NUMBER}>
                {`${hasSpread(each) ? each.spread.toFixed(2) : "–"} (${
                  each.expected_spread.toFixed(2)
                })`}
              </td>
              <td className={`${CELL} ${each.is_within ? "" : "font-medium text-red-700"}`}>
                {text(each.is_within ? "within" : "outside")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {!measures.every(hasSpread) && <p className="mt-1 text-ink-soft">{text("noSpread")}</p>}
      <p className="mt-1 text-ink-soft">{text("structuresHint")}</p>
    </>
  );
}
