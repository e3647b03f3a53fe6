import type { PatientRow } from "@/model/schema/studies/patients.ts";

/**
 * Labels as tags. A name longer than 80 px ends in an ellipsis (D1 §9).
 * Labels that do not fit are shown as a number.
 */
export function LabelTags(
  { labels, most = 2 }: { labels: PatientRow["label_list"]; most?: number },
) {
  const shownLabels = labels.length > most ? labels.slice(0, most - 1) : labels,
    more = labels.length - shownLabels.length;
  const names = labels.map(({ label_name }) => label_name);
  return (
    <div className="flex flex-wrap gap-1 items-center" title={names.join(", ") || undefined}>
      {shownLabels.map(({ id, label_name }) => (
        <span
          key={id}
          className="max-w-[80px] truncate rounded bg-brand-100 px-1.5 py-px text-[11px] leading-tight text-brand-700"
        >
          {label_name}
        </span>
      ))}
      {more > 0 && <span className="text-[11px] text-ink-soft">+{more}</span>}
    </div>
  );
}
