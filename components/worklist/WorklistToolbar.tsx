import { memo, type RefObject } from "react";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist.ts";
import { Button } from "@/components/Button.tsx";
import { SearchBox } from "@/components/worklist/SearchBox.tsx";
import { ViewChoice } from "@/components/worklist/ViewChoice.tsx";

export interface ToolbarActions {
  /** table or cards */
  view: (isCards: boolean) => void;
  filter: () => void;
  /** asked before anything of a search is begun */
  beginSearch: (go: () => void, stay: () => void) => void;
  /** `stay` is called when it is not gone to */
  search: (text: string, stay: () => void) => void;
  /** a search that probably comes */
  expect: (text: string) => void;
  exportAll: () => void;
  upload: () => void;
}

interface WorklistToolbarProps {
  language: Language;
  isCards: boolean;
  isFiltered: boolean;
  search: string;
  /** there is nothing to export */
  isEmpty: boolean;
  /** what to call; read when it happens, so that the bar is not drawn again with every list */
  latest: RefObject<ToolbarActions>;
}

/** Title of the worklist, and what can be done with it as a whole. */
export const WorklistToolbar = memo(function WorklistToolbar(
  { language, isCards, isFiltered, search, isEmpty, latest }: WorklistToolbarProps,
) {
  const say = (key: keyof typeof worklistText) => textIn(worklistText[key], language);
  return (
    <div className="mb-4 flex items-center gap-4">
      <h1 className="text-xl font-semibold text-ink">{say("title")}</h1>
      <div className="ml-auto flex items-center gap-3">
        <ViewChoice isCards={isCards} language={language} onChoose={(cards) => latest.current.view(cards)} />
        <Button aria-pressed={isFiltered} onClick={() => latest.current.filter()}>
          <svg viewBox="0 0 20 20" className="w-4 h-4" fill="none" stroke="currentColor" aria-hidden="true">
            <path d="M3 4h14l-5.5 6.5V16l-3 1.5v-7z" strokeWidth="1.6" strokeLinejoin="round" />
          </svg>
          {say("filter")}
        </Button>
        <SearchBox
          value={search}
          label={say("search")}
          clearLabel={say("clearSearch")}
          onBegin={(go, stay) => latest.current.beginSearch(go, stay)}
          onSearch={(text, stay) => latest.current.search(text, stay)}
          onExpect={(text) => latest.current.expect(text)}
        />
        <Button disabled={isEmpty} onClick={() => latest.current.exportAll()}>
          {say("exportAll")}
        </Button>
        <Button kind="primary" onClick={() => latest.current.upload()}>
          <svg viewBox="0 0 20 20" className="w-4 h-4" fill="none" stroke="currentColor" aria-hidden="true">
            <path
              d="M10 13V3.5M6 7l4-3.8L14 7M3.5 13.5v3h13v-3"
              strokeWidth="1.7"
              strokeLinecap="round"
              strokeLinejoin="round"
            />
          </svg>
          {say("upload")}
        </Button>
      </div>
    </div>
  );
});
