interface ProgressBarProps {
  label: string;
  /** progress 0..100; `null` when unknown */
  percent: number | null;
}

/** The browser's progress element, so that no inline width is needed. */
export function ProgressBar({ label, percent }: ProgressBarProps) {
  return percent === null
    ? <progress className="progress" aria-label={label} />
    : <progress className="progress" aria-label={label} max={100} value={percent} />;
}
