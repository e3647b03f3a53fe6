import { asAppError } from "@/model/errors.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { LoadFailure } from "@/components/message/LoadFailure.tsx";
import { messageOf } from "@/client/notices/messages.ts";
import { useLanguage, useText } from "@/client/page/language.ts";

interface LoadStateProps {
  /** text shown if loading fails */
  title: string;
  /** error of the failed load; `null` while loading */
  error: unknown;
  onRetry: () => unknown;
}

/** Placeholder for content that is loading or failed to load. */
export function LoadState({ title, error, onRetry }: LoadStateProps) {
  const language = useLanguage(), common = useText(commonText);
  if (!error) return <p role="status">{common("loading")}…</p>;
  return (
    <LoadFailure
      title={title}
      reason={messageOf(asAppError(error).code, {}, language)}
      retryLabel={common("retry")}
      onRetry={() => void onRetry()}
    />
  );
}
