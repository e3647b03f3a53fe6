import { type Language, textIn } from "@/model/text.ts";
import { commonText } from "@/model/text/actions.ts";
import { worklistText } from "@/model/text/worklist.ts";
import { Button } from "@/components/Button.tsx";
import { EmptyState } from "@/components/EmptyState.tsx";

interface ListEmptyProps {
  language: Language;
  /** why the list could not be loaded; `null` when it was */
  failure: string | null;
  search: string;
  isFiltered: boolean;
  onRetry: () => void;
  onClear: () => void;
  onUpload: () => void;
}

/** Why there is no row, and what can be done about it. */
export function ListEmpty(props: ListEmptyProps) {
  const { language, failure, search, isFiltered, onRetry, onClear, onUpload } = props;
  const say = (key: keyof typeof worklistText, values?: Record<string, string>) =>
    textIn(worklistText[key], language, values);
  if (failure !== null) {
    return (
      <EmptyState title={say("failedToLoad")} text={failure}>
        <Button onClick={onRetry}>{textIn(commonText.retry, language)}</Button>
      </EmptyState>
    );
  }
  if (search === "" && !isFiltered) {
    return (
      <EmptyState title={say("empty")} text={say("emptyText")}>
        <Button kind="primary" onClick={onUpload}>{say("upload")}</Button>
      </EmptyState>
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
