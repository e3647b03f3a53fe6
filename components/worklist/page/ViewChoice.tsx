import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";

interface ViewChoiceProps {
  isCards: boolean;
  language: Language;
  onChoose: (isCards: boolean) => void;
}

/** Switch between table and cards. */
export function ViewChoice({ isCards, language, onChoose }: ViewChoiceProps) {
  return (
    <div
      role="group"
      aria-label={textIn(worklistText.view, language)}
      className="flex h-10 rounded-md border border-line-strong overflow-hidden"
    >
      {([false, true] as const).map((cards) => {
        const name = textIn(cards ? worklistText.cardView : worklistText.tableView, language);
        return (
          <button
            key={String(cards)}
            type="button"
            aria-pressed={isCards === cards}
            title={name}
            aria-label={name}
            onClick={() => onChoose(cards)}
            className={`w-10 grid place-items-center ${
              isCards === cards
                ? "bg-brand-100 text-brand-700"
                : "bg-white text-ink-soft hover:bg-brand-50"
            }`}
          >
            <svg
              viewBox="0 0 16 16"
              className="w-4 h-4"
              fill="none"
              stroke="currentColor"
              aria-hidden="true"
            >
              <path
                d={cards ? "M2 2.5h12v4.5H2zM2 9.5h12V14H2z" : "M2 3h12M2 6.5h12M2 10h12M2 13.5h12"}
              />
            </svg>
          </button>
        );
      })}
    </div>
  );
}
