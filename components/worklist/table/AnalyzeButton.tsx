interface AnalyzeButtonProps {
  label: string;
  isDisabled: boolean;
  onClick: () => void;
}

/** Button that starts the analysis of one study. */
export function AnalyzeButton({ label, isDisabled, onClick }: AnalyzeButtonProps) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      disabled={isDisabled}
      onClick={onClick}
      className="shrink-0 w-7 xl:w-8 h-8 rounded border border-line-strong bg-white grid place-items-center text-brand-700 hover:bg-brand-50 disabled:opacity-50"
    >
      <svg
        viewBox="0 0 20 20"
        className="w-4 h-4"
        fill="none"
        stroke="currentColor"
        aria-hidden="true"
      >
        <path
          d="M16 10a6 6 0 1 1-1.9-4.4M16 2.8v3.7h-3.7"
          strokeWidth="1.7"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </button>
  );
}
