import { PAGE_SIZES, worklistSearchOf } from "@/model/worklist/worklist_query.ts";
import type { Change } from "@/components/worklist/page/use_list.ts";
import { useLanguage } from "@/client/page/language.ts";
import { Pagination } from "@/components/Pagination.tsx";
import { ListNotice } from "@/components/worklist/page/ListNotice.tsx";
import type { WorklistList } from "@/components/worklist/page/use_list.ts";

interface ListPagesProps {
  list: WorklistList;
  /** whether the rows may have changed since they were loaded */
  isStale: boolean;
  /** whether the page has as many rows as fit into the window */
  isFit: boolean;
  onPageSize: (size: number) => void;
  onFit: () => void;
}

/** Bar below the list: range of rows, age of the rows, and pages. */
export function ListPages({ list, isStale, isFit, onPageSize, onFit }: ListPagesProps) {
  const language = useLanguage(), { query, lastPage, go } = list;
  // after an error, the rows may belong to another state than the requested state
  const isOther = list.error !== null && list.key !== worklistSearchOf(query);
  const { total = 0, offset, first, last } = list.data ?? {};
  /**
   * Moves forward from the last shown row, or back from the first, because rows may have moved.
   */
  const step = (pages: number): Change => ({ page_idx }) => ({
    page_idx: Math.min(Math.max(1, page_idx + pages), lastPage),
    // while a list is loading, the rows belong to the previous state
    ...(list.isPlaceholder || isOther ? {} : pages > 0 ? { after: last } : { before: first }),
  });
  const showNew = () => query.page_idx === 1 ? list.refetch() : go({ page_idx: 1 });
  return (
    <Pagination
      language={language}
      page={Math.min(query.page_idx, lastPage)}
      pageSize={query.page_size}
      pageSizes={PAGE_SIZES}
      fit={{ isOn: isFit, onChoose: onFit }}
      total={total}
      {...(offset === undefined ? {} : { offset })}
      hasRange={!isOther}
      isEmpty={!isOther && list.data?.total === 0}
      onPage={(page_idx) => go({ page_idx })}
      onHover={(page_idx) => list.prefetch({ page_idx })}
      onHoverStep={(pages) => list.prefetch(step(pages))}
      onStep={(pages) => go(step(pages))}
      onPageSize={onPageSize}
      notice={
        <ListNotice
          staleSince={isStale ? list.updatedAt : null}
          isOther={isOther}
          onShow={showNew}
          onRetry={list.error ? list.refetch : undefined}
        />
      }
    />
  );
}
