// The search-filter dialog; loaded when it is opened.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { AppError } from "@/model/errors.ts";
import {
  criteriaOf,
  EMPTY_FORM,
  type FilterCriteria,
  type FilterForm,
  formOf,
  formOfSaved,
  problemsOf,
} from "@/model/filter_form.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { FilterRequest, SavedFilter } from "@/model/schema/filters.ts";
import { commonText } from "@/model/text/actions.ts";
import { filtersText } from "@/model/text/filters.ts";
import type { WorklistQuery } from "@/model/worklist_query.ts";
import { addFilter, changeFilter, deleteFilter, listFilters } from "@/client/api/filters.ts";
import { listLabels } from "@/client/api/labels.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/language.ts";
import { messageOf } from "@/client/messages.ts";
import { askInModal, presentError, presentToast } from "@/client/present_error.ts";
import { queryClient } from "@/client/query.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/Dialog.tsx";
import { FilterFields } from "@/worklist/filters/FilterFields.tsx";
import { IconButton } from "@/components/IconButton.tsx";

interface FilterDialogProps {
  query: WorklistQuery;
  criteria: FilterCriteria;
  /** shows the list by these, and closes; `saved` brings its sorting, search and page size along */
  onApply: (criteria: FilterCriteria, saved: SavedFilter | null) => void;
  /** the pointer is on the button that applies them */
  onHover: (criteria: FilterCriteria, saved: SavedFilter | null) => void;
  onClose: () => void;
}

export default function FilterDialog({ query, criteria, onApply, onHover, onClose }: FilterDialogProps) {
  const language = useLanguage(), text = useText(filtersText), common = useText(commonText);
  const [form, setForm] = useState<FilterForm>(() => formOf(criteria));
  /** names are looked at from the first try to store on */
  const [isStoring, setStoring] = useState(false), [isBusy, setBusy] = useState(false);
  const filters = useQuery({
    queryKey: queryKeys.filters,
    queryFn: ({ signal }) => listFilters(browserApi, signal),
  });
  const labels = useQuery({
    queryKey: queryKeys.labelList,
    queryFn: ({ signal }) => listLabels(browserApi, signal),
  });
  const stored = filters.data?.filters ?? [];
  const problems = problemsOf(form, isStoring ? stored : null);
  const change = (next: Partial<FilterForm>) => setForm({ ...form, ...next });
  const choose = (next: FilterForm) => {
    setStoring(false);
    setForm(next);
  };

  const run = async (action: () => Promise<void>) => {
    setBusy(true);
    try {
      await action();
      await queryClient.invalidateQueries({ queryKey: queryKeys.filters });
    } catch (error) {
      presentError(error);
    } finally {
      setBusy(false);
    }
  };
  const store = (isNew: boolean) => {
    setStoring(true);
    const wanted = isNew ? { ...form, id: -1 } : form;
    const refused = problemsOf(wanted, stored);
    if (Object.keys(refused).length > 0) {
      if (refused.filterName === "name_duplicate") presentToast("filter.duplicate_name");
      setForm(wanted);
      return;
    }
    void run(async () => {
      const request = requestOf(wanted, query);
      const filter = wanted.id < 0
        ? await addFilter(browserApi, request)
        : await changeFilter(browserApi, wanted.id, request);
      choose(formOfSaved(filter));
      presentToast(wanted.id < 0 ? "filter.added" : "filter.changed");
    });
  };
  const remove = async (filter: SavedFilter) => {
    const isSure = await askInModal("filter.delete", { name: filter.name });
    if (!isSure) return;
    await run(async () => {
      await deleteFilter(browserApi, filter.id);
      if (form.id === filter.id) change({ id: -1 });
      presentToast("filter.deleted");
    });
  };
  const isRight = () => Object.keys(problemsOf(form, null)).length === 0;
  const saved = stored.find(({ id }) => id === form.id) ?? null;
  const apply = () => {
    setStoring(false);
    if (!isRight()) return;
    onApply(criteriaOf(form), saved);
  };

  return (
    <Dialog
      title={text("title")}
      width="w-[1054px]"
      closeLabel={common("close")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={() => choose({ ...EMPTY_FORM, id: form.id, filterName: form.filterName })}>
            {text("reset")}
          </Button>
          <div className="flex-1" />
          <Button onClick={onClose}>{text("cancel")}</Button>
          {form.id >= 0 && <Button disabled={isBusy} onClick={() => store(true)}>{text("saveAs")}</Button>}
          <Button disabled={isBusy} onClick={() => store(false)}>{text("save")}</Button>
          <Button
            kind="primary"
            onPointerEnter={() => isRight() && onHover(criteriaOf(form), saved)}
            onClick={apply}
          >
            {text("apply")}
          </Button>
        </>
      }
    >
      <form
        className="flex gap-6 pt-2"
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        <section aria-label={text("saved")} className="w-[214px] shrink-0">
          <h3 className="mb-2 text-[13px] font-semibold text-ink">{text("saved")}</h3>
          <ul className="filter-list overflow-y-auto rounded-lg border border-line p-1">
            {stored.map((filter) => (
              <li
                key={filter.id}
                className={`flex items-center rounded pr-1 ${
                  form.id === filter.id ? "bg-brand-100" : "hover:bg-canvas"
                }`}
              >
                <button
                  type="button"
                  aria-pressed={form.id === filter.id}
                  title={filter.name}
                  onClick={() => choose(formOfSaved(filter))}
                  className="flex-1 min-w-0 h-9 pl-3 text-left text-ink truncate"
                >
                  {filter.name}
                </button>
                <IconButton
                  icon="delete"
                  label={text("remove", { name: filter.name })}
                  isDisabled={isBusy}
                  onClick={() => void remove(filter)}
                />
              </li>
            ))}
            {stored.length === 0 && (
              <li className="p-3 text-ink-faint">
                {filters.error
                  ? `${text("failedToLoad")}: ${
                    messageOf(
                      filters.error instanceof AppError ? filters.error.code : "internal",
                      {},
                      language,
                    )
                  }`
                  : filters.isPending
                  ? "…"
                  : text("noSaved")}
              </li>
            )}
          </ul>
          <button
            type="button"
            onClick={() => choose(EMPTY_FORM)}
            className="mt-2 h-8 px-1 text-[13px] font-medium text-brand-700 hover:underline"
          >
            + {text("newFilter")}
          </button>
        </section>
        <div className="flex-1 min-w-0">
          <FilterFields
            form={form}
            problems={problems}
            labels={labels.data?.labels ?? []}
            language={language}
            onChange={change}
          />
        </div>
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}

/** A filter as it is stored: the criteria with the list's sorting, search and page size. */
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
