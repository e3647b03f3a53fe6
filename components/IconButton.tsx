const ICONS = {
  edit: "M3 13h2.5l7-7L10 3.5l-7 7zM9 4.5 11.5 7",
  delete: "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.7 9h5.6l.7-9",
  confirm: "M3 8.5 6.5 12 13 4.5",
  cancel: "M4 4l8 8M12 4l-8 8",
  up: "M8 13V3.5M4 7.2 8 3.2l4 4",
  down: "M8 3v9.5M4 8.8l4 4 4-4",
  attach: "M3 8h9M8.5 4.5 12 8l-3.5 3.5",
} as const;

interface IconButtonProps {
  icon: keyof typeof ICONS;
  label: string;
  onClick: () => void;
  isDisabled?: boolean;
}

/** A small button that shows only an icon, with an accessible name. */
export function IconButton({ icon, label, onClick, isDisabled = false }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onClick}
      className="w-7 h-7 shrink-0 rounded grid place-items-center text-ink-soft hover:bg-brand-100 hover:text-brand-700 disabled:opacity-40"
    >
      <svg
        viewBox="0 0 16 16"
        className="w-4 h-4"
        fill="none"
        stroke="currentColor"
        aria-hidden="true"
      >
        <path d={ICONS[icon]} strokeWidth="1.4" strokeLinecap="round" strokeLinejoin="round" />
      </svg>
    </button>
  );
}
