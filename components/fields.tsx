import { type ReactNode, useId } from "react";

export const INPUT = "h-9 rounded-md border border-line-strong bg-white px-3 text-sm text-ink " +
  "placeholder:text-ink-faint disabled:bg-canvas disabled:text-ink-faint";

interface SectionProps {
  title: string;
  hint?: string;
  /** content to the right of the title */
  control?: ReactNode;
  children?: ReactNode;
}

/** One setting: name, explanation, and a control beside or below the text. */
export function Section({ title, hint, control, children }: SectionProps) {
  return (
    <section className="py-3.5 border-b border-line last:border-b-0">
      <div className="flex items-start gap-6">
        <div className="flex-1 basis-full sm:basis-0 min-w-0">
          <h3 className="font-semibold text-ink">{title}</h3>
          {hint && <p className="text-[13px] leading-snug text-ink-soft">{hint}</p>}
        </div>
        {control && <div className="shrink-0">{control}</div>}
      </div>
      {children && <div className="mt-2.5">{children}</div>}
    </section>
  );
}

interface SwitchProps {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  /** "On" and "Off" in the language of the page */
  words: readonly [on: string, off: string];
}

/** Switch with which a user turns a setting on or off. */
export function Switch({ label, isOn, onChange, words }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      onClick={() => onChange(!isOn)}
      className="inline-flex items-center gap-2 h-8 rounded-full"
    >
      <span className="text-[13px] text-ink-soft" aria-hidden="true">{words[isOn ? 0 : 1]}</span>
      <span
        className={`relative w-10 h-6 rounded-full transition-colors ${
          isOn ? "bg-brand-600" : "bg-ink-faint"
        }`}
      >
        <span
          className={`absolute left-0.5 top-0.5 w-5 h-5 rounded-full shadow transition-transform ${
            isOn ? "translate-x-4 bg-[#fff]" : "bg-white"
          }`}
        />
      </span>
    </button>
  );
}

interface ChoiceProps<T extends string | number> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** Exclusive options as adjacent buttons that behave like radio buttons. */
export function Choice<T extends string | number>(
  { label, value, options, onChange }: ChoiceProps<T>,
) {
  const name = useId();
  return (
    <fieldset className="inline-flex rounded-md border border-line-strong bg-white p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className={`choice relative h-8 px-3.5 grid place-items-center rounded text-[13px] font-medium cursor-pointer ${
            option.value === value ? "bg-brand-600 text-white" : "text-ink-soft hover:bg-brand-50"
          }`}
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

/** Error text of a form field; renders nothing without an error. */
export function Problem({ id, text }: { id?: string; text: string | null }) {
  return (
    <p id={id} role="alert" className={`text-xs text-red-700 ${text ? "mt-1.5" : ""}`}>
      {text}
    </p>
  );
}
