import type { Language } from "@/model/text.ts";

interface LanguageChoiceProps {
  label: string;
  /** true: with a visible label, for another language than the page's */
  isLabelled?: boolean;
  language: Language;
  onChoose: (language: Language) => void;
}
const NAMES: Record<Language, { short: string; name: string }> = {
  en: { short: "EN", name: "English" },
  ko: { short: "한국어", name: "한국어" },
};

/** Choice of English or Korean, each named in that language. */
export function LanguageChoice(
  { label, isLabelled = false, language, onChoose }: LanguageChoiceProps,
) {
  const choice = (
    <div
      role="group"
      aria-label={label}
      className="inline-flex rounded-md border border-line bg-white p-0.5"
    >
      {(["en", "ko"] as const).map((code) => (
        <button
          key={code}
          type="button"
          lang={code}
          title={NAMES[code].name}
          aria-pressed={code === language}
          onClick={() => code !== language && onChoose(code)}
          className={`h-7 px-2.5 rounded text-xs font-medium ${
            code === language ? "bg-brand-600 text-white" : "text-ink-soft hover:bg-brand-50"
          }`}
        >
          {NAMES[code].short}
        </button>
      ))}
    </div>
  );
  if (!isLabelled) return choice;
  return (
    <div className="flex items-center gap-2">
      <span aria-hidden="true" className="hidden md:inline text-sm text-ink">{label}</span>
      {choice}
    </div>
  );
}
