import { type DragEvent, useRef, useState } from "react";
import { useText } from "@/client/page/language.ts";
import { Button } from "@/components/Button.tsx";
import { INPUT } from "@/components/fields.tsx";
import { benchText } from "@/model/text/viewer/bench.ts";
import { PANE_SIDES } from "@/viewer/bench/cases.ts";
import { readOwnVolume } from "@/viewer/bench/own_volume.ts";
import type { BenchChoice } from "@/viewer/bench/choice.ts";

interface DataChoiceProps {
  choice: BenchChoice;
  isDisabled: boolean;
  onChange: (choice: BenchChoice) => void;
}

/**
 * Form that chooses the pane size and the volume for the benchmark; also accepts a dropped file.
 */
export function DataChoice({ choice, isDisabled, onChange }: DataChoiceProps) {
  const text = useText(benchText),
    input = useRef<HTMLInputElement>(null),
    [name, setName] = useState(""),
    [refused, setRefused] = useState("");
  const read = async (file: File | undefined) => {
    if (!file || isDisabled) return;
    try {
      onChange({ ...choice, own: await readOwnVolume(file) });
      setName(file.name);
      setRefused("");
    } catch {
      setRefused(file.name);
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void read(event.dataTransfer.files[0]);
  };
  const { own } = choice;
  return (
    <div
      className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-2 text-sm text-ink"
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      <label className="flex items-center gap-2">
        {text("pane")}
        <select
          className={INPUT}
          disabled={isDisabled}
          value={choice.pane}
          onChange={({ target }) => onChange({ ...choice, pane: Number(target.value) })}
        >
          {PANE_SIDES.map((pane) => (
            <option key={pane} value={pane}>{text("paneSide", { pane })}</option>
          ))}
        </select>
      </label>
      <span>
        {text("data")}: {own === null ? text("generated") : text("ownFile", {
          name,
          shape: own.shape.join("\u00a0×\u00a0"),
          bits: 8 * Number(own.dtype[2]),
        })}
      </span>
      <Button disabled={isDisabled} onClick={() => input.current!.click()}>
        {text("chooseOwn")}
      </Button>
      {own !== null && (
        <Button
          disabled={isDisabled}
          onClick={() => onChange({ ...choice, own: null })}
        >
          {text("useGenerated")}
        </Button>
      )}
      <input
        ref={input}
        type="file"
        accept=".npy,.nii,.gz"
        hidden
        onChange={({ target }) => {
          const file = target.files?.[0];
          // clears the field, so that the same file can be selected again
          target.value = "";
          void read(file);
        }}
      />
      <p className="w-full text-[13px] leading-relaxed text-ink-soft">{text("ownLead")}</p>
      {refused !== "" && (
        <p role="alert" className="w-full text-red-700">{text("ownRefused", { name: refused })}</p>
      )}
    </div>
  );
}
