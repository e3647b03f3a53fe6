// Label Setting; loaded when it is opened.
import { useEffect, useRef, useState } from "react";
import { AppError } from "@/model/errors.ts";
import {
  attached,
  carriers,
  type LabelProblem,
  labelProblem,
  mergedLabels,
  renamed,
  withLabel,
  withoutLabel,
} from "@/model/label_edit.ts";
import type { LabelItem } from "@/model/schema/labels.ts";
import { labelsText } from "@/model/text/labels.ts";
import { getLabels, saveLabels } from "@/client/api/labels.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/language.ts";
import { messageOf } from "@/client/messages.ts";
import { askInModal, presentError, presentToast } from "@/client/present_error.ts";
import { queryClient } from "@/client/query.ts";
import { Button } from "@/components/Button.tsx";
import { EditDialog } from "@/components/EditDialog.tsx";
import { IconButton } from "@/components/IconButton.tsx";
import { LabelRow } from "@/worklist/selection/LabelRow.tsx";

/** The caches that a save makes old (D1 §4): labels, patients with their histories, filters. */
const STALE = [["labels"], ["patients"], ["filters"]] as const;
/** D1 §8: what a refused name is told by, beside the words under its box. */
const REFUSALS = {
  required: "label.required",
  max_length: "label.max_length",
  duplicate: "label.duplicate",
} as const;
const refuse = (problem: LabelProblem): void => presentToast(REFUSALS[problem]);
const BOX = "label-box overflow-y-auto rounded-lg border border-line bg-white p-1";

interface LabelDialogProps {
  /** the studies whose labels are set */
  pids: readonly number[];
  /** the first of them in words */
  patient: string;
  onClose: () => void;
}

export default function LabelDialog({ pids, patient, onClose }: LabelDialogProps) {
  const language = useLanguage(), text = useText(labelsText);
  const [labels, setLabels] = useState<LabelItem[] | null>(null);
  const [failure, setFailure] = useState<AppError | null>(null);
  const [editId, setEditId] = useState<number | null>(null);
  const [name, setName] = useState(""), [isSaving, setSaving] = useState(false);
  const stored = useRef<{ labels: LabelItem[]; version?: string }>({ labels: [] });

  const load = async () => {
    setFailure(null);
    try {
      stored.current = await getLabels(browserApi);
      setLabels(stored.current.labels);
    } catch (error) {
      setFailure(error instanceof AppError ? error : new AppError("internal", String(error)));
    }
  };
  useEffect(() => void load(), []);

  const isChanged = labels !== null && JSON.stringify(labels) !== JSON.stringify(stored.current.labels);
  const close = async () => {
    if (editId !== null) return setEditId(null);
    const leaves = !isChanged || await askInModal("changes.discard");
    if (leaves) onClose();
  };
  /** Somebody saved labels in the meantime: theirs, with what was changed here on top, to be looked at again. */
  const takeTheirs = async () => {
    const before = stored.current.labels;
    stored.current = await getLabels(browserApi);
    setLabels((mine) => mergedLabels(before, mine!, stored.current.labels));
  };
  const save = async () => {
    setSaving(true);
    try {
      await saveLabels(browserApi, labels!, stored.current.version);
      presentToast("label.saved");
      await Promise.all(STALE.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
      onClose();
    } catch (error) {
      const code = error instanceof AppError ? error.code : "internal";
      // what was typed stays: only what the person can mend keeps the dialog open (D1 §4)
      if (code === "internal") presentToast("label.failed");
      else presentError(error);
      if (code === "label.changed") await takeTheirs();
      if (code !== "label.duplicate" && code !== "label.changed" && code !== "network.offline") onClose();
    } finally {
      setSaving(false);
    }
  };
  const remove = async (label: LabelItem) => {
    const isSure = label.patients.length === 0 || await askInModal("label.delete", {
      n: label.patients.length,
      label: label.label_name,
    });
    if (!isSure) return;
    setEditId(null);
    setLabels((now) => withoutLabel(now!, label.id));
  };
  const problem = name === "" || labels === null ? null : labelProblem(labels, name);
  const add = () => {
    if (!labels) return;
    const refused = labelProblem(labels, name);
    if (refused !== null) return refuse(refused);
    const next = withLabel(labels, name);
    setLabels(attached(next, next.at(-1)!.id, pids, true));
    setName("");
  };
  const own = labels?.filter((label) => carriers(label, pids) > 0) ?? [];

  return (
    <EditDialog
      language={language}
      text={text}
      width="w-[760px]"
      failure={failure && messageOf(failure.code, failure.details, language)}
      isSaving={isSaving}
      canSave={isChanged && editId === null}
      onLoad={load}
      onClose={close}
      onSave={save}
    >
      <div className="flex justify-between pt-2" aria-busy={labels === null}>
        <section aria-labelledby="label-list" className="w-[322px]">
          <h3 id="label-list" className="mb-2 font-semibold text-ink">{text("labelList")}</h3>
          <ul className={BOX}>
            {labels?.map((label) => (
              <LabelRow
                key={label.id}
                label={label}
                language={language}
                isEditing={editId === label.id}
                isLocked={editId !== null}
                carriers={carriers(label, pids)}
                chosen={pids.length}
                problemOf={(next) => labelProblem(labels, next, label.id)}
                onEdit={() => setEditId(label.id)}
                onConfirm={(next) => {
                  setLabels(renamed(labels, label.id, next));
                  setEditId(null);
                }}
                onRefused={refuse}
                onCancel={() => setEditId(null)}
                onDelete={() => void remove(label)}
                onAttach={() => setLabels(attached(labels, label.id, pids, true))}
              />
            ))}
            {labels?.length === 0 && <li className="p-3 text-ink-soft">{text("empty")}</li>}
          </ul>
          <div className="mt-3 flex gap-2">
            <input
              data-autofocus
              value={name}
              maxLength={60}
              disabled={labels === null}
              aria-label={text("newLabel")}
              aria-invalid={problem !== null}
              placeholder={text("newLabel")}
              onChange={(event) => setName(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter") add();
              }}
              className="flex-1 min-w-0 h-10 rounded-md border border-line-strong bg-white px-3 text-sm text-ink placeholder:text-ink-faint"
            />
            <Button
              disabled={name.trim() === "" || editId !== null}
              onClick={add}
            >
              {text("add")}
            </Button>
          </div>
          <p role="alert" className="min-h-[20px] pt-1 text-xs text-red-700">
            {problem && name.trim() !== "" ? text(problem) : ""}
          </p>
        </section>
        <section aria-labelledby="patient-labels" className="w-[322px]">
          <div className="mb-2 flex items-baseline gap-2">
            <h3 id="patient-labels" className="shrink-0 font-semibold text-ink">
              {pids.length > 1 ? text("patientsLabels", { n: pids.length }) : text("patientLabels")}
            </h3>
            {pids.length === 1 && <span className="truncate text-[13px]" title={patient}>{patient}</span>}
          </div>
          <ul className={BOX}>
            {own.map((label) => (
              <li key={label.id} className="flex items-center h-9 pl-3 pr-1 rounded hover:bg-canvas">
                <span className="flex-1 min-w-0 truncate text-ink" title={label.label_name}>
                  {label.label_name}
                </span>
                {carriers(label, pids) < pids.length && (
                  <span className="text-xs text-ink-soft tabular">
                    {text("some", { n: carriers(label, pids), total: pids.length })}
                  </span>
                )}
                <IconButton
                  icon="cancel"
                  label={text("remove", { label: label.label_name })}
                  isDisabled={editId !== null}
                  onClick={() =>
                    setLabels(attached(labels!, label.id, pids, false))}
                />
              </li>
            ))}
            {labels && own.length === 0 && <li className="p-3 text-ink-soft">{text("emptyPatient")}</li>}
          </ul>
        </section>
      </div>
    </EditDialog>
  );
}
