import type { KeyboardEvent } from "react";

interface TabListProps<Tab extends string> {
  tabs: readonly { name: Tab; label: string }[];
  current: Tab;
  /** accessible name of the tab list */
  label: string;
  /** prefix of the tabs' ids and, with `-panel`, of the panel's id */
  id: string;
  onChoose: (tab: Tab) => void;
}

/**
 * Horizontal tabs; arrow keys, Home and End move between the tabs.
 * The panel of a tab uses {@link tabPanelProps}.
 */
export function TabList<Tab extends string>(
  { tabs, current, label, id, onChoose }: TabListProps<Tab>,
) {
  const go = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ name }) => name === current);
    const steps: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at + tabs.length - 1,
      Home: 0,
      End: -1,
    };
    const target = steps[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const to = tabs.at(target % tabs.length)!.name;
    onChoose(to);
    document.getElementById(`${id}-${to}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={label} onKeyDown={go} className="flex border-b border-line">
      {tabs.map(({ name, label: words }, n) => (
        <button
          key={name}
          id={`${id}-${name}`}
          type="button"
          role="tab"
          aria-selected={name === current}
          aria-controls={`${id}-panel`}
          tabIndex={name === current ? 0 : -1}
          data-autofocus={n === 0 || undefined}
          onClick={() => onChoose(name)}
          className={`h-10 px-4 -mb-px border-b-2 text-sm ${
            name === current
              ? "border-brand-600 text-brand-700 font-semibold"
              : "border-transparent text-ink hover:bg-canvas"
          }`}
        >
          {words}
        </button>
      ))}
    </div>
  );
}

/** Attributes of the panel of the chosen tab. */
export const tabPanelProps = (id: string, current: string) => ({
  role: "tabpanel",
  id: `${id}-panel`,
  "aria-labelledby": `${id}-${current}`,
  tabIndex: 0,
} as const);
