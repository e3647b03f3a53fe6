// The search-filter dialog; loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  criteriaOf,
  EMPTY_FORM,
  type FilterCriteria,
  type FilterForm,
  formOf,
  formOfSaved,
  problemsOf,
} from "@/model/worklist/filter_form.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { SavedFilter } from "@/model/schema/worklist/filters.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { filtersText } from "@/model/text/worklist/filters.ts";
import type { WorklistQuery } from "@/model/worklist/worklist_query.ts";
import { listLabels } from "@/client/api/worklist/labels.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { presentToast } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";
import { FilterFields } from "@/components/worklist/filters/FilterFields.tsx";
import { SavedFilterList } from "@/components/worklist/filters/SavedFilterList.tsx";
import { useSavedFilters } from "@/components/worklist/filters/use_saved_filters.ts";

interface FilterDialogProps {
  query: WorklistQuery;
  criteria: FilterCriteria;
  /** applies the criteria and closes; `saved` also sets sorting, search and page size */
  onApply: (criteria: FilterCriteria, saved: SavedFilter | null) => void;
  /** called when the pointer is on the button that applies the criteria, for prefetching */
  onHover: (criteria: FilterCriteria, saved: SavedFilter | null) => void;
  onClose: () => void;
}

export default function FilterDialog(
  { query, criteria, onApply, onHover, onClose }: FilterDialogProps,
) {
  const language = useLanguage(), text = useText(filtersText), common = useText(commonText);
  const [form, setForm] = useState<FilterForm>(() => formOf(criteria));
  /** once the user has tried to save, filter names are validated on each change */
  const [isStoring, setStoring] = useState(false);
  const filters = useSavedFilters(query), { stored, isBusy } = filters;
  const labels = useQuery({
    queryKey: queryKeys.labelList,
    queryFn: ({ signal }) => listLabels(browserApi, signal),
  });
  const problems = problemsOf(form, isStoring ? stored : null);
  const choose = (next: FilterForm) => {
    setStoring(false);
    setForm(next);
  };
  const store = (isNew: boolean) => {
    setStoring(true);
    const wanted = isNew ? { ...form, id: -1 } : form, refused = problemsOf(wanted, stored);
    if (Object.keys(refused).length === 0) {
      return filters.store(wanted, (filter) => choose(formOfSaved(filter)));
    }
    if (refused.filterName === "name_duplicate") presentToast("filter.duplicate_name");
    setForm(wanted);
  };
  const isRight = () => Object.keys(problemsOf(form, null)).length === 0;
  const saved = stored.find(({ id }) => id === form.id) ?? null;
  const apply = () => {
    setStoring(false);
    if (isRight()) onApply(criteriaOf(form), saved);
  };

  return (
    <Dialog
      title={text("title")}
      width="w-[1054px]"
      closeLabel={common("close")}
      onClose={onClose}
      footer={
        <>
          <Button
            onClick={() => choose({ ...EMPTY_FORM, id: form.id, filterName: form.filterName })}
          >
            {text("reset")}
          </Button>
          <div className="flex-1" />
          <Button onClick={onClose}>{text("cancel")}</Button>
          {form.id >= 0 && (
            <Button disabled={isBusy} onClick={() => store(true)}>{text("saveAs")}</Button>
          )}
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
        className="side-by-side flex gap-6 pt-2"
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        <SavedFilterList
          filters={filters}
          chosenId={form.id}
          onChoose={(filter) => choose(formOfSaved(filter))}
          onNew={() => choose(EMPTY_FORM)}
          onRemove={(filter) =>
            void filters.remove(filter, () => {
              setForm((now) => now.id === filter.id ? { ...now, id: -1 } : now);
            })}
        />
        <div className="flex-1 min-w-0">
          <FilterFields
            form={form}
            problems={problems}
            labels={labels.data?.labels ?? []}
            language={language}
            onChange={(next) => setForm({ ...form, ...next })}
          />
        </div>
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}
