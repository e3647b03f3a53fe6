// Active filter criteria above the list; loaded when there are criteria.
import { useQuery } from "@tanstack/react-query";
import { type FilterCriteria, tagsOf } from "@/model/worklist/filter_form.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { textIn } from "@/model/text.ts";
import { filtersText, TAG_TEXT } from "@/model/text/worklist/filters.ts";
import { listLabels } from "@/client/api/worklist/labels.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { CloseIcon } from "@/components/dialog/CloseIcon.tsx";

interface FilterTagsProps {
  criteria: FilterCriteria;
  onChange: (criteria: FilterCriteria) => void;
  /** called when the pointer is on a control that leads to these criteria, for prefetching */
  onHover: (criteria: FilterCriteria) => void;
}

export default function FilterTags({ criteria, onChange, onHover }: FilterTagsProps) {
  const language = useLanguage(), text = useText(filtersText);
  const { data } = useQuery({
    queryKey: queryKeys.labelList,
    queryFn: ({ signal }) => listLabels(browserApi, signal),
    enabled: (criteria.label_id_list?.length ?? 0) > 0,
  });
  const nameOf = (id: number) =>
    data?.labels.find((label) => label.id === id)?.label_name ?? (data ? text("labelGone") : "…");
  return (
    <ul aria-label={text("tags")} className="filter-tags flex flex-wrap items-center gap-2">
      {/* first: it stays where it is, whatever follows */}
      <li>
        <button
          type="button"
          onPointerEnter={() => onHover({})}
          onClick={() => onChange({})}
          className="h-8 px-2 text-[13px] font-medium text-brand-700 hover:underline"
        >
          {text("clearAll")}
        </button>
      </li>
      {tagsOf(criteria, nameOf).map(({ category, id, words, without }) => {
        const tag = `${textIn(TAG_TEXT[category], language)}: ${words}`;
        return (
          <li
            key={`${category}${id ?? ""}`}
            className="inline-flex items-center h-8 rounded-full border border-line-strong bg-white pl-3 pr-1 text-[13px] text-ink"
          >
            <span className="tabular">{tag}</span>
            <button
              type="button"
              aria-label={text("removeTag", { tag })}
              onPointerEnter={() => onHover(without)}
              onClick={() => onChange(without)}
              className="ml-1 w-6 h-6 rounded-full grid place-items-center text-ink-soft hover:bg-brand-100"
            >
              <CloseIcon className="w-3 h-3" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
