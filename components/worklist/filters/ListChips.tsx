import { useQuery } from "@tanstack/react-query";
import { queryKeys } from "@/model/query_keys.ts";
import type { SavedFilter } from "@/model/schema/worklist/filters.ts";
import { listState } from "@/model/schema/studies/patients.ts";
import { listStateText } from "@/model/text/worklist/list_state.ts";
import { criteriaOf, formOfSaved } from "@/model/worklist/filter_form.ts";
import {
  savedQueryOf,
  type WorklistQuery,
  worklistSearchOf,
} from "@/model/worklist/worklist_query.ts";
import { listFilters } from "@/client/api/worklist/filters.ts";
import { getListCounts } from "@/client/api/studies/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { filteredBy } from "@/components/worklist/page/list_changes.ts";
import type { Change } from "@/components/worklist/page/use_list.ts";

interface ListChipsProps {
  query: WorklistQuery;
  onGo: (change: Change) => void;
  /** called when the pointer is on a control that would change the list, for prefetching */
  onHover: (change: Change) => void;
}

const CHIP = "shrink-0 inline-flex items-center gap-1.5 h-8 rounded-full border px-3 text-[13px]";
const ON = "border-brand-600 bg-brand-600 text-white";
const OFF = "border-line-strong bg-white text-ink hover:bg-brand-50";

/** Buttons for states, with study counts, and for saved filters: a click applies or removes one. */
export function ListChips({ query, onGo, onHover }: ListChipsProps) {
  const language = useLanguage(), text = useText(listStateText);
  const counts = useQuery({
    queryKey: queryKeys.listCounts,
    queryFn: ({ signal }) => getListCounts(browserApi, signal),
  });
  const saved = useQuery({
    queryKey: queryKeys.filters,
    queryFn: ({ signal }) => listFilters(browserApi, signal),
  });
  const chip = (key: string, name: string, isOn: boolean, change: Change, count?: number) => (
    <button
      key={key}
      type="button"
      aria-pressed={isOn}
      onPointerEnter={() => onHover(change)}
      onClick={() => onGo(change)}
      className={`${CHIP} ${isOn ? ON : OFF}`}
    >
      <span className="max-w-[160px] truncate">{name}</span>
      {count !== undefined && (
        <b className="chip-count font-semibold tabular">{count.toLocaleString(language)}</b>
      )}
    </button>
  );
  return (
    <div
      role="group"
      aria-label={text("states")}
      className="mb-3 flex flex-wrap items-center gap-2"
    >
      {listState.options.map((state) => {
        const isOn = query.state === state;
        const change = { state: isOn ? undefined : state, page_idx: 1 };
        return chip(state, text(state), isOn, change, counts.data?.[state]);
      })}
      {saved.data && saved.data.filters.length > 0 && (
        <span className="shrink-0 h-5 border-l border-line-strong" aria-hidden="true" />
      )}
      {saved.data?.filters.map((filter) => {
        const isOn = isShown(filter, query);
        return chip(
          `filter${filter.id}`,
          filter.name,
          isOn,
          isOn ? withoutFilter : withFilter(filter),
        );
      })}
    </div>
  );
}

const withFilter = (filter: SavedFilter): Change =>
  filteredBy(criteriaOf(formOfSaved(filter)), filter);
const withoutFilter: Change = (wanted) => ({ ...filteredBy({})(wanted), search_string: "" });

/** Whether the current search and criteria equal a saved filter, regardless of order and page. */
function isShown(filter: SavedFilter, query: WorklistQuery): boolean {
  const { sort_key, sort_direction, page_idx, page_size, state } = query;
  const place = { sort_key, sort_direction, page_idx, page_size, state };
  const itself = { ...savedQueryOf(filter), ...criteriaOf(formOfSaved(filter)), ...place };
  return worklistSearchOf(itself as WorklistQuery) === worklistSearchOf(query);
}
