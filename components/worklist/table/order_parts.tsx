// Cells of a hospital order: in a row without images, and in the row of a study.
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";

interface OrderProps {
  row: PatientRow;
  language: Language;
}

/** Names and values of the attributes that an order has. */
function factsOf({ order }: PatientRow, language: Language): (readonly [string, string])[] {
  if (!order) return [];
  const all = [
    [worklistText.procedure, order.procedure],
    [worklistText.referrer, order.referring_physician],
    [worklistText.accession, order.accession_number],
  ] as const;
  return all.filter(([, value]) => value !== "")
    .map(([name, value]) => [textIn(name, language), value] as const);
}

/** All values of an order, one per line. */
const hintOf = (row: PatientRow, language: Language): string =>
  factsOf(row, language).map(([name, value]) => `${name}: ${value}`).join("\n");

/** Shows the state of an order without images, and the ordered procedure. */
export function OrderStatus({ row, language }: OrderProps) {
  const hint = [textIn(worklistText.orderedHint, language), hintOf(row, language)];
  return (
    <div className="order-status min-w-0 leading-tight" title={hint.filter(Boolean).join("\n")}>
      <div className="font-medium text-ink">{textIn(worklistText.ordered, language)}</div>
      <div className="truncate text-xs text-ink-soft">
        <bdi>{row.order?.procedure}</bdi>
      </div>
    </div>
  );
}

/** Shows the referring physician and accession number of an order without images. */
export function OrderFacts({ row, language }: OrderProps) {
  const facts = factsOf(row, language).slice(row.order?.procedure ? 1 : 0);
  return (
    <div className="min-w-0 leading-tight text-xs text-ink-soft" title={hintOf(row, language)}>
      {facts.map(([name, value]) => (
        <div key={name} className="flex">
          {/* where both do not fit, the name is cut rather than the number */}
          <span className="truncate whitespace-pre">{`${name}: `}</span>
          <bdi className="order-fact max-w-[80%] shrink-0 truncate text-ink">{value}</bdi>
        </div>
      ))}
    </div>
  );
}

/** Shows the planned day of an order without images. */
export function PlannedDay({ row, language }: OrderProps) {
  const day = row.order?.planned_on;
  if (!day) return "-";
  return (
    <div className="leading-tight text-ink-soft">
      <div className="text-[11px]">{textIn(worklistText.planned, language)}</div>
      {day}
    </div>
  );
}

/** Shows the ordered procedure of a study. */
export function OrderedAs({ row, language }: OrderProps) {
  const { procedure, referring_physician } = row.order ?? {};
  if (!procedure && !referring_physician) return null;
  return (
    <div
      className="ordered-as truncate text-[11px] leading-tight text-ink-soft"
      title={hintOf(row, language)}
    >
      <bdi>{procedure || referring_physician}</bdi>
    </div>
  );
}
