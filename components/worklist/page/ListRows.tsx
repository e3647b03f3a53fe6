import { Suspense } from "react";
import type { ColumnKey, ListView } from "@/model/schema/worklist/list_view.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { useLanguage } from "@/client/page/language.ts";
import type { PatientEdit } from "@/client/patient_edit.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { useUser } from "@/client/page/user.ts";
import { ListEmpty } from "@/components/worklist/page/ListEmpty.tsx";
import { filteredBy, sortedBy } from "@/components/worklist/page/list_changes.ts";
import type { WorklistList } from "@/components/worklist/page/use_list.ts";
import type { Selection } from "@/components/worklist/selection/use_selection.ts";
import type { RowActions } from "@/components/worklist/table/WorklistRow.tsx";
import { WorklistTable } from "@/components/worklist/table/WorklistTable.tsx";

const EditRow = lazyPart(() => import("@/components/worklist/edit/EditRow.tsx"));
const CardList = lazyPart(() => import("@/components/worklist/table/CardList.tsx"));

interface ListRowsProps {
  list: WorklistList;
  /** visible rows; a row being edited keeps its position */
  rows: readonly PatientRow[];
  isCards: boolean;
  view: ListView;
  onResize: (key: ColumnKey, width: number | null) => void;
  /** whether the rows may have changed since they were loaded */
  isStale: boolean;
  isFiltered: boolean;
  selection: Selection;
  edit: PatientEdit | null;
  onEditEnd: () => void;
  /** functions that never change while the page is open */
  actions: RowActions;
  onUpload: () => void;
}

/** Rows of the list as a table or cards, or the reason for an empty list. */
export function ListRows(props: ListRowsProps) {
  const { list, rows, isCards, isStale, selection, edit, actions } = props;
  const language = useLanguage(), user = useUser();
  const empty = (
    <ListEmpty
      error={list.data ? null : list.error}
      search={list.query.search_string}
      isFiltered={props.isFiltered}
      onRetry={list.refetch}
      onClear={() =>
        list.go((wanted) => ({ ...filteredBy({})(wanted), search_string: "", state: undefined }))}
      onUpload={props.onUpload}
    />
  );
  return (
    <div className={list.isPlaceholder ? "late-rows" : isStale ? "stale-rows" : ""}>
      {isCards
        ? (
          <Suspense fallback={<div className="min-h-[260px]" />}>
            <CardList
              rows={rows}
              checked={selection.checked}
              actions={actions}
              empty={list.isPending ? null : empty}
            />
          </Suspense>
        )
        : (
          <WorklistTable
            listKey={list.key}
            rows={rows}
            pageSize={list.query.page_size}
            language={language}
            view={props.view}
            onResize={props.onResize}
            sortKey={list.query.sort_key}
            sortDirection={list.query.sort_direction}
            onSort={(key) => list.go(sortedBy(key))}
            onHoverSort={(key) => list.prefetch(sortedBy(key))}
            checked={selection.checked}
            onCheckAll={selection.checkPage}
            activePid={selection.activePid}
            actions={actions}
            editorOf={(row) =>
              edit?.row.pid !== row.pid ? null : (
                <Suspense>
                  <EditRow edit={edit} onEnd={props.onEditEnd} />
                </Suspense>
              )}
            userId={user?.user_id ?? null}
            skeletonRows={list.isPending ? list.query.page_size : 0}
            empty={empty}
          />
        )}
    </div>
  );
}
