import { useId } from "react";
import {
  MAX_OPINION_LENGTH,
  messageLength,
  type OpinionEdit,
  OPINIONS,
} from "@/model/report/opinions.ts";
import { isOpinionTooLong } from "@/model/settings/settings_form.ts";
import { type Language, textIn } from "@/model/text.ts";
import { settingsText } from "@/model/text/settings/settings.ts";
import { INPUT, Problem } from "@/components/fields.tsx";

/** An opinion (standard text of a report) in the report's language. */
export interface OpinionChoice extends OpinionEdit {
  name: string;
}

interface OpinionPanelProps {
  opinions: readonly OpinionChoice[];
  chosen: OpinionChoice;
  /** text stored on the server */
  saved: string;
  /** text of the opinion in the form, before saving */
  stored: string;
  /** text of the opinion in the text editor */
  working: string;
  language: Language;
  onChoose: (opinionId: number) => void;
  onEdit: (message: string) => void;
  onStore: () => void;
}

const ICONS = {
  loadDefault: "M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13h10",
  restore: "M3.2 6.5h6.3a3.3 3.3 0 0 1 0 6.6H5.5M6 3.5l-3 3 3 3",
  store: "M3 8.5 6.5 12 13 4.5",
} as const;

/** Name of an opinion in the language of the page. */
export function opinionName({ opinion_id, name }: OpinionChoice, language: Language): string {
  const opinion = OPINIONS.find(({ id }) => id.en === opinion_id || id.ko === opinion_id);
  return opinion ? textIn(opinion.name, language) : name;
}

/** Tab "Report Result" of the user's settings: texts of the opinions. */
export function OpinionPanel(props: OpinionPanelProps) {
  const { opinions, chosen, saved, stored, working, language, onChoose, onEdit, onStore } = props;
  const t = (key: keyof typeof settingsText, values?: Record<string, string | number>) =>
    textIn(settingsText[key], language, values);
  const opinionId = useId(), savedId = useId(), editId = useId(), problemId = useId();
  const isTooLong = isOpinionTooLong(working), isPending = working !== stored;
  const buttons = [
    {
      key: "loadDefault",
      onClick: () => onEdit(chosen.message),
      isDisabled: working === chosen.message,
    },
    { key: "restore", onClick: () => onEdit(saved), isDisabled: working === saved },
    { key: "store", onClick: onStore, isDisabled: !isPending || isTooLong },
  ] as const;
  return (
    <div className="flex flex-col gap-4 py-3.5">
      <div>
        <label htmlFor={opinionId} className="block mb-1 font-semibold text-ink">
          {t("opinion")}
        </label>
        <select
          id={opinionId}
          value={chosen.opinion_id}
          onChange={(event) => onChoose(Number(event.currentTarget.value))}
          className={`${INPUT} w-full`}
        >
          {opinions.map((opinion) => (
            <option key={opinion.opinion_id} value={opinion.opinion_id}>
              {opinionName(opinion, language)}
            </option>
          ))}
        </select>
      </div>
      <div>
        <p id={savedId} className="mb-1 font-semibold text-ink">{t("savedMessage")}</p>
        <textarea
          readOnly
          rows={5}
          aria-labelledby={savedId}
          value={saved}
          className="w-full resize-none rounded-md border border-line bg-canvas px-3 py-2 text-sm text-ink-soft"
        />
      </div>
      <div>
        <label htmlFor={editId} className="block mb-1 font-semibold text-ink">
          {t("editMessage")}
        </label>
        <div className="flex flex-wrap gap-2 mb-2">
          {buttons.map(({ key, onClick, isDisabled }) => (
            <button
              key={key}
              type="button"
              // focusable although disabled: a disabled button would lose the focus after a click
              aria-disabled={isDisabled}
              onClick={() => !isDisabled && onClick()}
              className={`h-8 px-2.5 inline-flex items-center gap-1.5 rounded-md border border-line-strong bg-white text-[13px] ${
                isDisabled ? "text-ink-faint" : "text-brand-700 hover:bg-brand-50"
              }`}
            >
              <svg
                viewBox="0 0 16 16"
                className="w-4 h-4 shrink-0"
                fill="none"
                stroke="currentColor"
                aria-hidden="true"
              >
                <path
                  d={ICONS[key]}
                  strokeWidth="1.6"
                  strokeLinecap="round"
                  strokeLinejoin="round"
                />
              </svg>
              {t(key)}
            </button>
          ))}
        </div>
        <textarea
          id={editId}
          rows={6}
          value={working}
          aria-invalid={isTooLong}
          aria-describedby={problemId}
          onChange={(event) => onEdit(event.currentTarget.value)}
          className={`w-full resize-none rounded-md border bg-white px-3 py-2 text-sm text-ink ${
            isTooLong ? "border-red-700" : "border-line-strong"
          }`}
        />
        <div className="flex items-start gap-4 mt-1 min-h-[20px]">
          <div className="flex-1">
            {isTooLong
              ? <Problem id={problemId} text={t("tooLong", { maxLength: MAX_OPINION_LENGTH })} />
              : (
                <p id={problemId} role="status" className="text-xs text-ink-soft">
                  {isPending ? t("notStored") : stored !== saved ? t("stored") : ""}
                </p>
              )}
          </div>
          <p className="text-xs text-ink-soft tabular">
            {t("letters", { n: messageLength(working), max: MAX_OPINION_LENGTH })}
          </p>
        </div>
      </div>
    </div>
  );
}
