import { memo, Suspense } from "react";
import { listViewText } from "@/model/text/worklist/list_view.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { useMay } from "@/client/page/user.ts";
import { Button } from "@/components/Button.tsx";
import { SearchBox } from "@/components/worklist/page/SearchBox.tsx";
import { ViewChoice } from "@/components/worklist/page/ViewChoice.tsx";

const PacsButton = lazyPart(() => import("@/components/worklist/pacs/PacsButton.tsx"));

/** Actions of the bar; constant functions for the life of the page. */
interface ToolbarActions {
  /** switches between table and cards */
  view: (isCards: boolean) => void;
  /** opens the dialog for columns and density */
  layout: () => void;
  filter: () => void;
  /** called before a search starts, which may discard checks and an edit */
  beginSearch: (go: () => void, stay: () => void) => void;
  /** `stay` is called when the search is not applied */
  search: (text: string, stay: () => void) => void;
  exportAll: () => void;
  upload: () => void;
}

interface WorklistToolbarProps {
  isCards: boolean;
  /** number of active filter criteria */
  criteria: number;
  search: string;
  /** whether the list is empty, so that there is nothing to export */
  isEmpty: boolean;
  actions: ToolbarActions;
}

/** Title of the worklist, and buttons for actions on the whole list. */
export const WorklistToolbar = memo(function WorklistToolbar(
  { isCards, criteria, search, isEmpty, actions }: WorklistToolbarProps,
) {
  const language = useLanguage(), say = useText(worklistText), layout = useText(listViewText);
  const canUpload = useMay("upload");
  return (
    <div className="list-tools mb-4 flex items-center gap-4">
      <h1 className="text-xl font-semibold text-ink">{say("title")}</h1>
      {/* from the title on: a button that comes later moves nothing */}
      <div className="flex-1 flex justify-end items-center gap-3">
        {canUpload && (
          <Suspense>
            <PacsButton />
          </Suspense>
        )}
        {!isCards && (
          <button
            type="button"
            title={layout("open")}
            aria-label={layout("open")}
            aria-haspopup="dialog"
            onClick={actions.layout}
            className="w-10 h-10 rounded-md border border-line-strong bg-white grid place-items-center text-ink-soft hover:bg-brand-50"
          >
            <svg
              viewBox="0 0 16 16"
              className="w-4 h-4"
              fill="none"
              stroke="currentColor"
              aria-hidden="true"
            >
              <path d="M2 3h12v10H2zM6 3v10M10 3v10" strokeLinejoin="round" />
            </svg>
          </button>
        )}
        <ViewChoice isCards={isCards} language={language} onChoose={actions.view} />
        <Button aria-pressed={criteria > 0} className="relative" onClick={actions.filter}>
          <svg
            viewBox="0 0 20 20"
            className="w-4 h-4"
            fill="none"
            stroke="currentColor"
            aria-hidden="true"
          >
            <path d="M3 4h14l-5.5 6.5V16l-3 1.5v-7z" strokeWidth="1.6" strokeLinejoin="round" />
          </svg>
          {say("filter")}
          {criteria > 0 && (
            <span
              aria-hidden="true"
              className="absolute -top-2 -right-2 min-w-[20px] h-5 px-1 rounded-full bg-brand-600 text-white text-xs leading-5 text-center tabular"
            >
              {criteria}
            </span>
          )}
        </Button>
        <SearchBox
          value={search}
          label={say("search")}
          clearLabel={say("clearSearch")}
          onBegin={actions.beginSearch}
          onSearch={actions.search}
        />
        <Button disabled={isEmpty} onClick={actions.exportAll}>
          {say("exportAll")}
        </Button>
        {canUpload && (
          <Button kind="primary" onClick={actions.upload}>
            <svg
              viewBox="0 0 20 20"
              className="w-4 h-4"
              fill="none"
              stroke="currentColor"
              aria-hidden="true"
            >
              <path
                d="M10 13V3.5M6 7l4-3.8L14 7M3.5 13.5v3h13v-3"
                strokeWidth="1.7"
                strokeLinecap="round"
                strokeLinejoin="round"
              />
            </svg>
            {say("upload")}
          </Button>
        )}
      </div>
    </div>
  );
});
