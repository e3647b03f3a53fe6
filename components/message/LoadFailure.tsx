import { Button } from "@/components/Button.tsx";

interface LoadFailureProps {
  title: string;
  /** text with problem and remedy */
  reason: string;
  retryLabel: string;
  onRetry: () => void;
}

/** Content of a dialog that failed to load. */
export function LoadFailure({ title, reason, retryLabel, onRetry }: LoadFailureProps) {
  return (
    <div role="alert" className="py-8 text-center">
      <p className="font-medium text-ink">{title}</p>
      <p className="mt-1 mb-4">{reason}</p>
      <Button onClick={onRetry}>{retryLabel}</Button>
    </div>
  );
}
