import { asAppError } from "@/model/errors.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { LoadFailure } from "@/components/message/LoadFailure.tsx";
import { messageOf } from "@/client/notices/messages.ts";
import { useLanguage, useText } from "@/client/page/language.ts";

interface LoadStateProps {
  /** says that it could not be loaded */
  title: string;
  /** `null`: it is on its way */
  error: unknown;
  onRetry: () => unknown;
}

/** Shown in place of content that is loading, or could not be loaded. */
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
