import { useId } from "react";
import type { SeriesType } from "@/model/schema/studies/study.ts";
import { type Language, textIn } from "@/model/text.ts";
import { uploadDialogText } from "@/model/text/worklist/upload_dialog.ts";

/** `t1t2`: either type; the DICOM attributes of each series decide. */
const CHOICES = ["t1t2", "t1", "t2"] as const;

interface SeriesTypeChoiceProps {
  language: Language;
  value: SeriesType;
  onChange: (value: SeriesType) => void;
}

/** Selection of the series type, for files without sufficient attributes. */
export function SeriesTypeChoice({ language, value, onChange }: SeriesTypeChoiceProps) {
  const group = useId();
  const say = (key: keyof typeof uploadDialogText) => textIn(uploadDialogText[key], language);
  return (
    <fieldset className="flex items-center gap-3">
      <legend className="visually-hidden">{say("seriesType")}</legend>
      <span className="text-[13px] font-medium text-ink-soft" aria-hidden="true">
        {say("seriesType")}
      </span>
      <div className="flex gap-1.5">
        {CHOICES.map((choice) => (
          <label
            key={choice}
            title={choice === "t1t2" ? say("autoHint") : undefined}
            className={`choice relative flex items-center h-9 rounded-md border px-3 text-[13px] font-medium cursor-pointer ${
              choice === value
                ? "border-brand-600 bg-brand-50 text-brand-800"
                : "border-line-strong bg-white text-ink"
            }`}
          >
            <input
              type="radio"
              name={group}
              className="visually-hidden"
              checked={choice === value}
              onChange={() => onChange(choice)}
            />
            {say(choice === "t1t2" ? "auto" : choice)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
