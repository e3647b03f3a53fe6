import { attachLabel, countWithLabel } from "@/model/worklist/label_edit.ts";
import type { LabelItem } from "@/model/schema/worklist/labels.ts";
import { labelsText } from "@/model/text/worklist/labels.ts";
import { useText } from "@/client/page/language.ts";
import { IconButton } from "@/components/IconButton.tsx";

interface PatientLabelsProps {
  labels: LabelItem[] | null;
  /** ids of the studies that the dialog labels */
  pids: readonly number[];
  /** name and ID of the first study */
  patient: string;
  /** whether a label of the list is being renamed */
  isLocked: boolean;
  onChange: (labels: LabelItem[]) => void;
}

/** Worklist labels of the selected studies, each with a button that removes it from the studies. */
export function PatientLabels({ labels, pids, patient, isLocked, onChange }: PatientLabelsProps) {
  const text = useText(labelsText),
    own = labels?.filter((label) => countWithLabel(label, pids) > 0) ?? [];
  return (
    <section aria-labelledby="patient-labels" className="w-[322px]">
      <div className="mb-2 flex items-baseline gap-2">
        <h3 id="patient-labels" className="shrink-0 font-semibold text-ink">
          {pids.length > 1 ? text("patientsLabels", { n: pids.length }) : text("patientLabels")}
        </h3>
        {pids.length === 1 && (
          <span className="truncate text-[13px]" title={patient}>{patient}</span>
        )}
      </div>
      <ul className="label-box overflow-y-auto rounded-lg border border-line bg-white p-1">
        {own.map((label) => (
          <li key={label.id} className="flex items-center h-9 pl-3 pr-1 rounded hover:bg-canvas">
            <span className="flex-1 min-w-0 truncate text-ink" title={label.label_name}>
              {label.label_name}
            </span>
            {countWithLabel(label, pids) < pids.length && (
              <span className="text-xs text-ink-soft tabular">
                {text("some", { n: countWithLabel(label, pids), total: pids.length })}
              </span>
            )}
            <IconButton
              icon="cancel"
              label={text(pids.length > 1 ? "removeAll" : "remove", {
                label: label.label_name,
                n: pids.length,
              })}
              isDisabled={isLocked}
              onClick={() =>
                onChange(attachLabel(labels!, label.id, pids, false))}
            />
          </li>
        ))}
        {labels && own.length === 0 && <li className="p-3 text-ink-soft">{text("emptyPatient")}
        </li>}
      </ul>
    </section>
  );
}
