import { useSignals } from "@preact/signals-react/runtime";
import { Suspense } from "react";
import { asAppError } from "@/model/errors.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { messageLater } from "@/client/notices/failure_reason.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { useMay } from "@/client/page/user.ts";
import { Button } from "@/components/Button.tsx";
import { EmptyState } from "@/components/message/EmptyState.tsx";

const FirstRun = lazyPart(() => import("@/components/worklist/page/FirstRun.tsx"));

interface ListEmptyProps {
  /** why the list could not be loaded; `null` for a loaded list */
  error: Error | null;
  search: string;
  isFiltered: boolean;
  onRetry: () => void;
  onClear: () => void;
  onUpload: () => void;
}

/** Reason for an empty list, and the next step. */
export function ListEmpty(props: ListEmptyProps) {
  useSignals();
  const { error, search, isFiltered, onRetry, onClear, onUpload } = props;
  const language = useLanguage(), say = useText(worklistText), common = useText(commonText);
  const canUpload = useMay("upload");
  if (error !== null) {
    return (
      <EmptyState
        title={say("failedToLoad")}
        text={messageLater(asAppError(error).code, language) ?? ""}
      >
        <Button onClick={onRetry}>{common("retry")}</Button>
      </EmptyState>
    );
  }
  if (search === "" && !isFiltered) {
    return (
      canUpload
        ? (
          <Suspense fallback={<EmptyState title={say("empty")} />}>
            <FirstRun onUpload={onUpload} />
          </Suspense>
        )
        : <EmptyState title={say("empty")} />
    );
  }
  return (
    <EmptyState
      title={search === "" ? say("noFiltered") : say("noMatch", { search })}
      text={say(isFiltered ? "noFilteredText" : "noMatchText")}
    >
      <Button onClick={onClear}>{say(isFiltered ? "clearFilters" : "clearSearch")}</Button>
    </EmptyState>
  );
}
