import { useState } from "react";
import { type LabelProblem } from "@/model/worklist/label_edit.ts";
import type { LabelItem } from "@/model/schema/worklist/labels.ts";
import { type Language, textIn } from "@/model/text.ts";
import { labelsText } from "@/model/text/worklist/labels.ts";
import { IconButton } from "@/components/IconButton.tsx";

interface LabelRowProps {
  label: LabelItem;
  language: Language;
  isEditing: boolean;
  /** whether the user is renaming another label of the list */
  isLocked: boolean;
  /** number of selected studies with the label, and number of selected studies */
  countWithLabel: number;
  chosen: number;
  problemOf: (name: string) => LabelProblem | null;
  onEdit: () => void;
  onConfirm: (name: string) => void;
  /** called when the user confirms an invalid name */
  onRefused: (problem: LabelProblem) => void;
  onCancel: () => void;
  onDelete: () => void;
  onAttach: () => void;
}

/** Row of a worklist label: its name with buttons, or a field for a new name. */
export function LabelRow(props: LabelRowProps) {
  const { label, language, isEditing, isLocked, countWithLabel, chosen } = props;
  const name = { label: label.label_name };
  const say = (key: keyof typeof labelsText, values?: Record<string, string | number>) =>
    textIn(labelsText[key], language, values);
  if (isEditing) return <LabelEdit {...props} />;
  return (
    <li
      onDoubleClick={isLocked ? undefined : props.onEdit}
      className="flex items-center gap-1 h-9 pl-3 pr-1 rounded hover:bg-canvas"
    >
      <span className="flex-1 min-w-0 truncate text-ink" title={label.label_name}>
        {label.label_name}
      </span>
      {countWithLabel > 0 && countWithLabel < chosen && (
        <span className="text-xs text-ink-soft tabular">
          {say("some", { n: countWithLabel, total: chosen })}
        </span>
      )}
      <IconButton
        icon="edit"
        label={say("edit", name)}
        isDisabled={isLocked}
        onClick={props.onEdit}
      />
      <IconButton
        icon="delete"
        label={say("delete", name)}
        isDisabled={isLocked}
        onClick={props.onDelete}
      />
      {chosen > 0 && (
        <IconButton
          icon="attach"
          label={say(chosen > 1 ? "attachAll" : "attach", { ...name, n: chosen })}
          isDisabled={isLocked || countWithLabel === chosen}
          onClick={props.onAttach}
        />
      )}
    </li>
  );
}

function LabelEdit(props: LabelRowProps) {
  const { label, language, problemOf, onConfirm, onRefused, onCancel, onDelete } = props;
  const [name, setName] = useState(label.label_name);
  const say = (key: keyof typeof labelsText) =>
    textIn(labelsText[key], language, { label: label.label_name });
  const problem = problemOf(name);
  const confirm = () => {
    if (problem === null) onConfirm(name);
    else onRefused(problem);
  };
  return (
    <li className="rounded bg-brand-50 px-1 py-1">
      <div className="flex items-center gap-1">
        <input
          autoFocus
          value={name}
          maxLength={60}
          aria-label={say("editing")}
          aria-invalid={problem !== null}
          onChange={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            // ignores an Enter that completes a Korean syllable, which belongs to the input method
            if (event.nativeEvent.isComposing) return;
            if (event.key === "Enter") confirm();
            else if (event.key === "Escape") onCancel();
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
          className="flex-1 min-w-0 h-7 rounded border border-line-strong bg-white px-2 text-sm text-ink"
        />
        <IconButton icon="confirm" label={say("confirm")} onClick={confirm} />
        <IconButton icon="cancel" label={say("cancel")} onClick={onCancel} />
        <IconButton icon="delete" label={say("delete")} onClick={onDelete} />
      </div>
      {problem && <p role="alert" className="px-1 pt-1 text-xs text-red-700">{say(problem)}</p>}
    </li>
  );
}
