import { useQuery } from "@tanstack/react-query";
import { asAppError } from "@/model/errors.ts";
import { criteriaOf, type FilterForm } from "@/model/worklist/filter_form.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { FilterRequest, SavedFilter } from "@/model/schema/worklist/filters.ts";
import { filtersText } from "@/model/text/worklist/filters.ts";
import type { WorklistQuery } from "@/model/worklist/worklist_query.ts";
import {
  addFilter,
  changeFilter,
  deleteFilter,
  listFilters,
} from "@/client/api/worklist/filters.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { confirmInModal, presentToast } from "@/client/notices/present_error.ts";
import { queryClient } from "@/client/page/query.ts";
import { useAction } from "@/components/use_action.ts";

/** The user's saved filters, and the actions on filters. */
export interface SavedFilters {
  stored: readonly SavedFilter[];
  /** shown in place of an empty list: that there are no filters, or why loading failed */
  emptyText: string;
  isBusy: boolean;
  /**
   * Stores a new (id -1) or changed filter, and shows errors. Calls `done` with the stored filter.
   */
  store: (form: FilterForm, done: (filter: SavedFilter) => void) => void;
  /** Deletes a filter after confirmation, and shows errors. Calls `done` after the deletion. */
  remove: (filter: SavedFilter, done: () => void) => Promise<void>;
}

/** @param query State of the list: sorting, search and page size are saved with a filter. */
export function useSavedFilters(query: WorklistQuery): SavedFilters {
  const language = useLanguage(), text = useText(filtersText);
  const { isBusy, act } = useAction(() =>
    queryClient.invalidateQueries({ queryKey: queryKeys.filters })
  );
  const { data, error, isPending } = useQuery({
    queryKey: queryKeys.filters,
    queryFn: ({ signal }) => listFilters(browserApi, signal),
  });
  const reason = () => messageOf(asAppError(error).code, {}, language);
  return {
    stored: data?.filters ?? [],
    emptyText: error ? `${text("failedToLoad")}: ${reason()}` : isPending ? "…" : text("noSaved"),
    isBusy,
    store: (form, done) =>
      void act(async () => {
        const request = requestOf(form, query), isNew = form.id < 0;
        done(
          await (isNew
            ? addFilter(browserApi, request)
            : changeFilter(browserApi, form.id, request)),
        );
        presentToast(isNew ? "filter.added" : "filter.changed");
      }),
    remove: async (filter, done) => {
      if (!await confirmInModal("filter.delete", { name: filter.name })) return;
      await act(async () => {
        await deleteFilter(browserApi, filter.id);
        done();
        presentToast("filter.deleted");
      });
    },
  };
}

/** A filter for storing: the criteria with the list's sorting, search and page size. */
function requestOf(form: FilterForm, query: WorklistQuery): FilterRequest {
  const criteria = criteriaOf(form);
  return {
    name: form.filterName.trim(),
    page_idx: 1,
    page_size: query.page_size,
    sort_key: query.sort_key,
    sort_direction: query.sort_direction,
    search_string: query.search_string,
    t1w: criteria.t1w ?? null,
    t2w: criteria.t2w ?? null,
    sex: criteria.sex ?? null,
    age_from: criteria.age_from ?? null,
    age_to: criteria.age_to ?? null,
    birth_from: criteria.birth_from ?? null,
    birth_to: criteria.birth_to ?? null,
    study_from: criteria.study_from ?? null,
    study_to: criteria.study_to ?? null,
    analysis_from: criteria.analysis_from ?? null,
    analysis_to: criteria.analysis_to ?? null,
    label_id_list: criteria.label_id_list ?? [],
  };
}
