import type { SavedFilter } from "@/model/schema/worklist/filters.ts";
import { filtersText } from "@/model/text/worklist/filters.ts";
import { useText } from "@/client/page/language.ts";
import { IconButton } from "@/components/IconButton.tsx";
import type { SavedFilters } from "@/components/worklist/filters/use_saved_filters.ts";

interface SavedFilterListProps {
  filters: SavedFilters;
  /** id of the filter in the form; -1: none of these */
  chosenId: number;
  onChoose: (filter: SavedFilter) => void;
  onNew: () => void;
  onRemove: (filter: SavedFilter) => void;
}

/** List of saved filters for selection and deletion. */
export function SavedFilterList(
  { filters, chosenId, onChoose, onNew, onRemove }: SavedFilterListProps,
) {
  const text = useText(filtersText), { stored, isBusy, emptyText } = filters;
  return (
    <section aria-label={text("saved")} className="w-[214px] shrink-0">
      <h3 className="mb-2 text-[13px] font-semibold text-ink">{text("saved")}</h3>
      <ul className="filter-list overflow-y-auto rounded-lg border border-line p-1">
        {stored.map((filter) => (
          <li
            key={filter.id}
            className={`flex items-center rounded pr-1 ${
              chosenId === filter.id ? "bg-brand-100" : "hover:bg-canvas"
            }`}
          >
            <button
              type="button"
              aria-pressed={chosenId === filter.id}
              title={filter.name}
              onClick={() => onChoose(filter)}
              className="flex-1 min-w-0 h-9 pl-3 text-left text-ink truncate"
            >
              {filter.name}
            </button>
            <IconButton
              icon="delete"
              label={text("remove", { name: filter.name })}
              isDisabled={isBusy}
              onClick={() => onRemove(filter)}
            />
          </li>
        ))}
        {stored.length === 0 && <li className="p-3 text-ink-faint">{emptyText}</li>}
      </ul>
      <button
        type="button"
        onClick={onNew}
        className="mt-2 h-8 px-1 text-[13px] font-medium text-brand-700 hover:underline"
      >
        + {text("newFilter")}
      </button>
    </section>
  );
}
