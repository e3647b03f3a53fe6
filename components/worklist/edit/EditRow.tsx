// Edit form of a row; loaded when the first row is edited.
import { useSignals } from "@preact/signals-react/runtime";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { changedFields, formOfRow } from "@/model/worklist/patient_edit.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { nameText } from "@/model/worklist/person_names.ts";
import type { Language } from "@/model/text.ts";
import { patientEditText } from "@/model/text/worklist/patient_edit.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { type EditConflict, PatientEdit } from "@/client/patient_edit.ts";
import { useNoticeContext } from "@/client/notices/notice_context.ts";
import { confirmInModal, presentError, presentToast } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import {
  PatientFields,
  problemText,
  wrongFields,
} from "@/components/worklist/edit/PatientFields.tsx";
import { saveEdit } from "@/components/worklist/edit/save_edit.ts";

/** Locks a row for editing; on failure shows the reason and returns `null`. */
export async function beginEdit(
  row: PatientRow,
  index: number,
  list: string,
): Promise<PatientEdit | null> {
  try {
    return await PatientEdit.begin(row, index, list);
  } catch (error) {
    presentError(error);
    return null;
  }
}

const patientOf = (row: PatientRow, language: Language): string =>
  nameText(row.patient_name, language) || row.patient_id;

/** Whether editing may end: unsaved input is only discarded after confirmation. */
export async function canLeave(edit: PatientEdit, language: Language): Promise<boolean> {
  if (!edit.isTyped) return true;
  const isGone = edit.conflict.value?.kind === "deleted";
  return await confirmInModal(isGone ? "edit.discard_deleted" : "edit.discard", {
    patient: patientOf(edit.row, language),
  });
}

interface EditRowProps {
  edit: PatientEdit;
  /** called when editing has ended, and the normal row returns */
  onEnd: () => void;
}

/** Ends the editing of a row by buttons or keys. */
function useEditEnd({ edit, onEnd }: EditRowProps, focus: (selector: string) => void) {
  const language = useLanguage(), isSaving = edit.isSaving.value;
  const conflict = edit.conflict.value?.kind;
  const cancel = async () => {
    if (isSaving) return;
    if (await canLeave(edit, language)) {
      edit.end();
      onEnd();
    }
  };
  const save = async () => {
    if (isSaving || conflict === "deleted" || conflict === "changed") return;
    if (!edit.check()) {
      const wrong = edit.problems.value;
      const fields = wrongFields(Object.keys(wrong) as (keyof typeof wrong)[], language);
      if (fields !== "") presentToast("edit.check", { fields });
      // waits until React has marked the invalid fields
      return void setTimeout(() => focus("[aria-invalid=true]"));
    }
    if (!edit.isTyped) {
      edit.end();
      return onEnd();
    }
    await saveEdit(edit, language, onEnd);
  };
  const byKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      void cancel();
    }
    if (
      event.key === "Enter" && !(event.target instanceof HTMLButtonElement) &&
      !event.nativeEvent.isComposing
    ) {
      event.preventDefault();
      void save();
    }
  };
  return { cancel, save, byKey };
}

export default function EditRow({ edit, onEnd }: EditRowProps) {
  useSignals();
  const language = useLanguage(), text = useText(patientEditText), messageId = useId();
  const element = useRef<HTMLTableRowElement>(null);
  const focus = (selector: string) =>
    element.current?.querySelector<HTMLElement>(selector)?.focus();
  useEffect(() => focus("[data-autofocus]"), [edit]);
  useNoticeContext();
  const { cancel, save, byKey } = useEditEnd({ edit, onEnd }, focus);
  const [isReading, setReading] = useState(false);
  const { row } = edit;
  return (
    <>
      <tr
        ref={element}
        data-pid={row.pid}
        data-editing
        aria-label={text("form", { patient: patientOf(row, language) })}
        onKeyDown={byKey}
        className="border-b border-line bg-brand-50"
      >
        <td className="col-check" />
        <td className="col-number cell tabular text-ink-faint">{row.pid}</td>
        <td className="pl-2 pr-4 xl:pr-5">
          <div className="flex items-center gap-2">
            <PatientFields
              form={edit.form.value}
              problems={edit.problems.value}
              language={language}
              messageId={messageId}
              onChange={(change) => edit.change(change)}
            />
            <EditButtons
              edit={edit}
              isReading={isReading}
              onReading={setReading}
              onSave={() => void save()}
              onCancel={() => void cancel()}
            />
          </div>
        </td>
      </tr>
      <EditMessage
        edit={edit}
        id={messageId}
        isReading={isReading}
        onKey={byKey}
        onSettle={(useTheirs) => {
          edit.settle(useTheirs);
          focus("[data-autofocus]");
        }}
      />
    </>
  );
}

interface EditButtonsProps {
  edit: PatientEdit;
  /** whether the name in other character sets is shown */
  isReading: boolean;
  onReading: (isReading: boolean) => void;
  onSave: () => void;
  onCancel: () => void;
}

function EditButtons({ edit, isReading, onReading, onSave, onCancel }: EditButtonsProps) {
  useSignals();
  const text = useText(patientEditText), conflict = edit.conflict.value?.kind;
  const isGone = conflict === "deleted", isSaving = edit.isSaving.value;
  return (
    <div className="edit-buttons ml-auto flex gap-1.5 self-end pb-0.5">
      {edit.readings.length > 0 && !isGone && (
        <Button
          kind="quiet"
          size="small"
          title={text("readingsHint")}
          aria-expanded={isReading}
          onClick={() => onReading(!isReading)}
        >
          {text("readings")}
        </Button>
      )}
      {!isGone && (
        <Button
          kind="primary"
          size="small"
          disabled={isSaving || conflict === "changed"}
          onClick={onSave}
        >
          {text("save")}
        </Button>
      )}
      <Button size="small" disabled={isSaving} onClick={onCancel}>
        {text(isGone ? "close" : "cancel")}
      </Button>
    </div>
  );
}

interface EditMessageProps {
  edit: PatientEdit;
  id: string;
  isReading: boolean;
  onKey: (event: KeyboardEvent) => void;
  onSettle: (useTheirs: boolean) => void;
}

/** Row below the form with a conflict and mistakes; scrolled into view when the row appears. */
function EditMessage({ edit, id, isReading, onKey, onSettle }: EditMessageProps) {
  useSignals();
  const language = useLanguage(), element = useRef<HTMLTableRowElement>(null);
  const problems = edit.problems.value, conflict = edit.conflict.value;
  const wrong = Object.keys(problems) as (keyof typeof problems)[];
  const sentences = [...new Set(wrong.map((key) => problemText(key, problems, language)))];
  const isShown = conflict !== null || wrong.length > 0 || isReading;
  useEffect(() => {
    element.current?.scrollIntoView({ block: "nearest" });
  }, [isShown, conflict?.kind]);
  if (!isShown) return null;
  return (
    <tr
      ref={element}
      className="edit-message border-b border-line bg-brand-50"
      onKeyDown={onKey}
    >
      <td className="col-check" />
      <td className="col-number" />
      <td className="px-2 pb-2 text-[13px] leading-snug">
        <div id={id} role="alert">
          {conflict && <Conflict conflict={conflict} edit={edit} onSettle={onSettle} />}
          {isReading && <Readings edit={edit} />}
          {sentences.map((sentence) => <p key={sentence} className="text-red-700">{sentence}</p>)}
        </div>
      </td>
    </tr>
  );
}

/** Name and ID of the images in other character sets; a click copies both into the edit form. */
function Readings({ edit }: { edit: PatientEdit }) {
  const text = useText(patientEditText);
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <p className="text-ink-soft">{text("readingsHint")}</p>
      {edit.readings.map(({ character_set, patient_name, patient_id }) => (
        <Button
          key={character_set ?? ""}
          size="small"
          onClick={() => edit.change({ patient_name, patient_id })}
        >
          <bdi className="font-medium">
            {[patient_name, patient_id].filter(Boolean).join(" · ")}
          </bdi>
          <span className="text-ink-soft">{character_set ?? text("readingDeclared")}</span>
        </Button>
      ))}
    </div>
  );
}

interface ConflictProps {
  conflict: EditConflict;
  edit: PatientEdit;
  onSettle: (useTheirs: boolean) => void;
}

/** A conflict with another user's edit, with buttons to resolve the conflict. */
function Conflict({ conflict, edit, onSettle }: ConflictProps) {
  const text = useText(patientEditText);
  if (conflict.kind === "changed") {
    const theirs = formOfRow(conflict.theirs);
    const values = changedFields(theirs, edit.before).map((field) =>
      `${text(field)} ${
        field === "patient_sex" ? text(theirs.patient_sex || "patient_sex") : theirs[field] || "-"
      }`
    ).join(", ");
    return (
      <div className="flex items-center gap-2">
        <p className="text-amber-800">{text("changed", { values })}</p>
        <Button size="small" onClick={() => onSettle(true)}>{text("useTheirs")}</Button>
        <Button size="small" onClick={() => onSettle(false)}>{text("keepMine")}</Button>
      </div>
    );
  }
  const sentence = conflict.kind === "taken"
    ? text("takenKept", { user: conflict.user ?? text("anotherUser") })
    : text(conflict.kind === "deleted" ? "deletedKept" : conflict.kind);
  return <p className="text-amber-800">{sentence}</p>;
}
