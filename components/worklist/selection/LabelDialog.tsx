// The Label Setting dialog; loaded on demand.
import { useState } from "react";
import {
  attachLabel,
  countWithLabel,
  labelProblem,
  renameLabel,
} from "@/model/worklist/label_edit.ts";
import { labelsText } from "@/model/text/worklist/labels.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { confirmInModal } from "@/client/notices/present_error.ts";
import { EditDialog } from "@/components/dialog/EditDialog.tsx";
import { LabelRow } from "@/components/worklist/selection/LabelRow.tsx";
import { NewLabel } from "@/components/worklist/selection/NewLabel.tsx";
import { PatientLabels } from "@/components/worklist/selection/PatientLabels.tsx";
import { refuse } from "@/components/worklist/selection/refuse_label.ts";
import { useLabelEdit } from "@/components/worklist/selection/use_label_edit.ts";

interface LabelDialogProps {
  /** ids of the studies that the dialog labels */
  pids: readonly number[];
  /** name and ID of the first study */
  patient: string;
  onClose: () => void;
}

export default function LabelDialog({ pids, patient, onClose }: LabelDialogProps) {
  const language = useLanguage(), text = useText(labelsText);
  const [editId, setEditId] = useState<number | null>(null), isLocked = editId !== null;
  const { labels, set, failure, isChanged, isSaving, load, save, remove } = useLabelEdit(onClose);
  const close = async () => {
    if (isLocked) return setEditId(null);
    if (!isChanged || await confirmInModal("changes.discard")) onClose();
  };
  return (
    <EditDialog
      language={language}
      text={text}
      width="w-[760px]"
      failure={failure && messageOf(failure.code, failure.details, language)}
      isSaving={isSaving}
      canSave={isChanged && !isLocked}
      onLoad={load}
      onClose={close}
      onSave={save}
    >
      <div className="side-by-side flex justify-between pt-2" aria-busy={labels === null}>
        <section aria-labelledby="label-list" className="w-[322px]">
          <h3 id="label-list" className="mb-2 font-semibold text-ink">{text("labelList")}</h3>
          <ul className="label-box overflow-y-auto rounded-lg border border-line bg-white p-1">
            {labels?.map((label) => (
              <LabelRow
                key={label.id}
                label={label}
                language={language}
                isEditing={editId === label.id}
                isLocked={isLocked}
                countWithLabel={countWithLabel(label, pids)}
                chosen={pids.length}
                problemOf={(next) => labelProblem(labels, next, label.id)}
                onEdit={() => setEditId(label.id)}
                onConfirm={(next) => {
                  set(renameLabel(labels, label.id, next));
                  setEditId(null);
                }}
                onRefused={refuse}
                onCancel={() => setEditId(null)}
                onDelete={() => void remove(label).then((isGone) => isGone && setEditId(null))}
                onAttach={() => set(attachLabel(labels, label.id, pids, true))}
              />
            ))}
            {labels?.length === 0 && <li className="p-3 text-ink-soft">{text("empty")}</li>}
          </ul>
          <NewLabel labels={labels} pids={pids} isLocked={isLocked} onChange={set} />
        </section>
        <PatientLabels
          labels={labels}
          pids={pids}
          patient={patient}
          isLocked={isLocked}
          onChange={set}
        />
      </div>
    </EditDialog>
  );
}
