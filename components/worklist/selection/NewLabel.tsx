import { useState } from "react";
import { attachLabel, labelProblem, withLabel } from "@/model/worklist/label_edit.ts";
import type { LabelItem } from "@/model/schema/worklist/labels.ts";
import { labelsText } from "@/model/text/worklist/labels.ts";
import { useText } from "@/client/page/language.ts";
import { chooseInModal } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { refuse } from "@/components/worklist/selection/refuse_label.ts";

interface NewLabelProps {
  labels: LabelItem[] | null;
  /** ids of the studies that get the new label */
  pids: readonly number[];
  /** whether a label of the list is being renamed */
  isLocked: boolean;
  onChange: (labels: LabelItem[]) => void;
}

/** Field in which the user types the name of a new label. */
export function NewLabel({ labels, pids, isLocked, onChange }: NewLabelProps) {
  const text = useText(labelsText), [name, setName] = useState("");
  const problem = name === "" || labels === null ? null : labelProblem(labels, name);
  const add = async () => {
    if (!labels) return;
    const refused = labelProblem(labels, name);
    if (refused !== null) return refuse(refused);
    const answer = pids.length > 1
      ? await chooseInModal("label.attach", { n: pids.length, label: name.trim() })
      : "confirm";
    if (answer === "cancel") return;
    const nextLabels = withLabel(labels, name);
    onChange(
      attachLabel(nextLabels, nextLabels.at(-1)!.id, answer === "confirm" ? pids : [], true),
    );
    setName("");
  };
  return (
    <>
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
            if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
            // stops the Enter key, which would also press the first button of the dialog that opens
            event.preventDefault();
            void add();
          }}
          className="flex-1 min-w-0 h-10 rounded-md border border-line-strong bg-white px-3 text-sm text-ink placeholder:text-ink-faint"
        />
        <Button disabled={name.trim() === "" || isLocked} onClick={() => void add()}>
          {text("add")}
        </Button>
      </div>
      <p role="alert" className="min-h-[20px] pt-1 text-xs text-red-700">
        {problem && name.trim() !== "" ? text(problem) : ""}
      </p>
    </>
  );
}
