interface ProgressBarProps {
  label: string;
  /** 0..100; `null` when it is not known how long it takes */
  percent: number | null;
}

/** The browser's own progress element, so that no inline width is needed. */
export function ProgressBar({ label, percent }: ProgressBarProps) {
  return percent === null
    ? <progress className="progress" aria-label={label} />
    : <progress className="progress" aria-label={label} max={100} value={percent} />;
}
