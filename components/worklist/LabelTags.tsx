import type { PatientRow } from "@/model/schema/patients.ts";

/**
 * Labels as tags; a name longer than 80 px ends in an ellipsis (D1 §9), and what has no room is counted. There are as
 * many tags as may be shown, the rest of them empty: another study's labels change words alone.
 */
export function LabelTags({ labels, most = 2 }: { labels: PatientRow["label_list"]; most?: number }) {
  const shown = labels.length > most ? labels.slice(0, most - 1) : labels;
  const more = labels.length - shown.length;
  return (
    <div
      className="flex flex-wrap gap-1 items-center"
      // set when it may be read
      onMouseMove={({ currentTarget }) => {
        currentTarget.title = labels.map(({ label_name }) => label_name).join(", ");
      }}
    >
      {Array.from({ length: most }, (_, at) => (
        <span
          key={at}
          className="tag max-w-[80px] truncate rounded bg-brand-100 px-1.5 py-px text-[11px] leading-tight text-brand-700"
        >
          {shown[at]?.label_name ?? ""}
        </span>
      ))}
      <span className="tag text-[11px] text-ink-soft">{more > 0 ? `+${more}` : ""}</span>
    </div>
  );
}
