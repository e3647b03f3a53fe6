interface PageCheckProps {
  name: string;
  /** reason why a report page cannot be selected, or that it is always included */
  note?: string | null;
  isChecked: boolean;
  isEnabled: boolean;
  onChoose: (isChosen: boolean) => void;
}

/** Check box for one report page, in the settings and next to a report. */
export const PageCheck = ({ name, note, isChecked, isEnabled, onChoose }: PageCheckProps) => (
  <label
    className={`flex items-center gap-2.5 min-h-[32px] py-1 ${
      isEnabled ? "text-ink cursor-pointer" : "text-ink-soft"
    }`}
  >
    <input
      type="checkbox"
      className="w-4 h-4 shrink-0 accent-brand-600"
      checked={isChecked}
      disabled={!isEnabled}
      onChange={(event) => onChoose(event.currentTarget.checked)}
    />
    <span>
      {name}
      {note && <span className="block text-xs text-ink-soft">{note}</span>}
    </span>
  </label>
);
