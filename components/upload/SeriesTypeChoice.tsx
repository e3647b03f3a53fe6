import { useId } from "react";
import type { SeriesType } from "@/model/schema/study.ts";
import { type Language, textIn } from "@/model/text.ts";
import { uploadDialogText } from "@/model/text/upload_dialog.ts";

const CHOICES = [undefined, "t1", "t2", "t1t2"] as const;

interface SeriesTypeChoiceProps {
  language: Language;
  /** `undefined` leaves the choice to the server */
  value: SeriesType | undefined;
  onChange: (value: SeriesType | undefined) => void;
}

/** Which series the files are, when the tags do not say so. */
export function SeriesTypeChoice({ language, value, onChange }: SeriesTypeChoiceProps) {
  const group = useId();
  const say = (key: keyof typeof uploadDialogText) => textIn(uploadDialogText[key], language);
  return (
    <fieldset>
      <legend className="text-[13px] font-medium text-ink-soft">{say("seriesType")}</legend>
      <div className="mt-1.5 grid grid-cols-4 gap-2">
        {CHOICES.map((choice) => (
          <label
            key={choice ?? "auto"}
            className={`choice flex flex-col justify-center min-h-[52px] rounded-lg border px-3 py-1.5 cursor-pointer ${
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
            <span className="font-medium">{say(choice ?? "auto")}</span>
            {choice === undefined && <span className="text-xs text-ink-faint">{say("autoHint")}</span>}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
