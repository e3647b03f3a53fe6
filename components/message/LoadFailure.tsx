import { Button } from "@/components/Button.tsx";

interface LoadFailureProps {
  title: string;
  /** why, and what to do */
  reason: string;
  retryLabel: string;
  onRetry: () => void;
}

/** What a dialog shows in place of what it could not load. */
export function LoadFailure({ title, reason, retryLabel, onRetry }: LoadFailureProps) {
  return (
    <div role="alert" className="py-8 text-center">
      <p className="font-medium text-ink">{title}</p>
      <p className="mt-1 mb-4">{reason}</p>
      <Button onClick={onRetry}>{retryLabel}</Button>
    </div>
  );
}
