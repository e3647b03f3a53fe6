import { useSignals } from "@preact/signals-react/runtime";
import { type ComponentType, Suspense, useEffect, useState } from "react";
import { CrashBoundary } from "@/components/message/CrashBoundary.tsx";
import type { ListView } from "@/model/schema/worklist/list_view.ts";
import { criteriaOfQuery, type WorklistQuery } from "@/model/worklist/worklist_query.ts";
import { isOrder } from "@/model/worklist/worklist_row.ts";
import { withEdited } from "@/model/worklist/patient_edit.ts";
import { socketState } from "@/client/live/live_updates.ts";
import { onPageKeys } from "@/client/page/page_keys.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { useText } from "@/client/page/language.ts";
import { useMay } from "@/client/page/user.ts";
import { useStableCalls } from "@/client/stable_calls.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { newStudies } from "@/client/live/worklist_cache.ts";
import { ListChips } from "@/components/worklist/filters/ListChips.tsx";
import { useRowEdit } from "@/components/worklist/edit/use_row_edit.ts";
import { filteredBy, openReport, openStudy } from "@/components/worklist/page/list_changes.ts";
import { ListPages } from "@/components/worklist/page/ListPages.tsx";
import { ListRows } from "@/components/worklist/page/ListRows.tsx";
import {
  type PageDialog,
  PageDialogs,
  type UploadDialogProps,
} from "@/components/worklist/page/PageDialogs.tsx";
import { useList } from "@/components/worklist/page/use_list.ts";
import { useFitRows } from "@/components/worklist/view/use_fit_rows.ts";
import { useListView } from "@/components/worklist/view/use_list_view.ts";
import { useView } from "@/components/worklist/page/use_view.ts";
import { usePageDrop } from "@/components/worklist/upload/use_page_drop.ts";
import { WorklistToolbar } from "@/components/worklist/page/WorklistToolbar.tsx";
import type { DicomDialogProps } from "@/components/worklist/selection/SelectionBar.tsx";
import { SelectionStrip } from "@/components/worklist/selection/SelectionStrip.tsx";
import { useSelection } from "@/components/worklist/selection/use_selection.ts";
import type { RowActions } from "@/components/worklist/table/WorklistRow.tsx";

const FilterTags = lazyPart(() => import("@/components/worklist/filters/FilterTags.tsx"));
const HistoryPanel = lazyPart(() => import("@/components/worklist/page/HistoryPanel.tsx"));

/** Frame drawn around the page while the user drags files over it. */
function DropMark() {
  const text = useText(worklistText);
  return (
    <div className="fixed inset-3 z-50 rounded-xl border-4 border-dashed border-brand-500 bg-white opacity-90 grid place-items-center pointer-events-none">
      <p className="text-xl font-semibold text-brand-700">{text("dropToUpload")}</p>
    </div>
  );
}

interface WorklistPageProps {
  /** query of the address when the page was rendered */
  query: WorklistQuery;
  /** the user's display settings of the list */
  view: ListView;
  UploadDialog: ComponentType<UploadDialogProps>;
  DicomDialog: ComponentType<DicomDialogProps>;
}

/** The worklist page: list, checked rows, edit, and dialogs. */
export function WorklistPage(
  { query: first, view: firstView, UploadDialog, DicomDialog }: WorklistPageProps,
) {
  useSignals();
  const canEdit = useMay("edit");
  const { edit, beginEdit, leaveEdit, afterEdit } = useRowEdit(), [isCards, setCards] = useView();
  const [opened, setOpened] = useState<PageDialog | null>(null);
  const [upload, setUpload] = useState<"closed" | "open" | "minimised">("closed");
  const canUpload = useMay("upload"),
    [dropped, setDropped] = useState<Promise<ChosenFile[]> | null>(null);
  const isDropping = usePageDrop(
    () => canUpload && (upload === "open" || document.querySelector("dialog[open]") === null),
    (files) => {
      setDropped(files);
      setUpload("open");
    },
  );
  const { view, change: changeView, resize } = useListView(firstView);
  const list = useList(first, view.page_size, (go, stay) =>
    leaveEdit(() => {
      selection.reset();
      go();
    }, stay));
  const rows = withEdited(list.data?.patients ?? [], edit?.list === list.key ? edit : null);
  const selection = useSelection(rows);
  useFitRows(view, list.query.page_size, (page_size) => {
    // another page size would remove the row being edited from the page
    if (edit !== null || (page_size === view.page_size && page_size === list.query.page_size)) {
      return;
    }
    if (page_size !== view.page_size) changeView({ page_size });
    // keeps the first visible row on the page when the page size changes
    list.go(({ page_idx, page_size: before }) => ({
      page_size,
      page_idx: Math.floor((page_idx - 1) * before / page_size) + 1,
    }), { isStep: false });
  });
  const setPageSize = (page_size: number) => {
    changeView({ is_fit: false, page_size });
    list.go({ page_size, page_idx: 1 });
  };
  const criteria = criteriaOfQuery(list.query), isFiltered = Object.keys(criteria).length > 0;
  const isStale = list.data !== undefined &&
    (list.error !== null || socketState.value === "waiting");

  const actions = useStableCalls(
    {
      open: openStudy,
      report: openReport,
      edit: (row) => void (canEdit && !isOrder(row) && beginEdit(row, rows.indexOf(row), list.key)),
      check: selection.check,
      activate: selection.activate,
    } satisfies RowActions,
  );
  const tools = useStableCalls({
    view: (cards: boolean) => leaveEdit(() => setCards(cards)),
    filter: () => setOpened("filter"),
    beginSearch: leaveEdit,
    search: (search_string: string, stay: () => void) =>
      list.go({ search_string, page_idx: 1 }, { isTyping: true, stay }),
    layout: () => setOpened("layout"),
    exportAll: () => setOpened("export"),
    upload: () => setUpload("open"),
  });
  useEffect(() =>
    onPageKeys({
      "/": () => document.querySelector<HTMLElement>("[role=search] input")?.focus(),
      "?": () => setOpened("keys"),
    }), []);
  // shown immediately: the user's uploads, and the first rows of an empty page
  const newCount = newStudies.value.size, isShownAtOnce = upload !== "closed" || rows.length === 0;
  useEffect(() => {
    if (newCount > 0 && isShownAtOnce) list.refetch();
  }, [newCount, isShownAtOnce]);
  const active = rows.find((row) => row.pid === selection.activePid);
  return (
    <div className="max-w-[1920px] mx-auto px-3 2xl:px-6 py-5">
      <CrashBoundary>
        <WorklistToolbar
          isCards={isCards}
          criteria={Object.keys(criteria).length}
          search={list.query.search_string}
          isEmpty={rows.length === 0}
          actions={tools}
        />
      </CrashBoundary>
      <ListChips query={list.query} onGo={list.go} onHover={list.prefetch} />
      <section
        className="rounded-xl border border-line bg-white shadow-card"
        aria-busy={list.isPending || list.isPlaceholder}
      >
        <SelectionStrip
          selection={selection}
          hasRows={rows.length > 0}
          tags={isFiltered && (
            <FilterTags
              criteria={criteria}
              onChange={(next) => list.go(filteredBy(next))}
              onHover={(next) => list.prefetch(filteredBy(next))}
            />
          )}
          onKeys={() => setOpened("keys")}
          DicomDialog={DicomDialog}
        />
        <CrashBoundary>
          <ListRows
            list={list}
            rows={rows}
            isCards={isCards}
            view={view}
            onResize={resize}
            isStale={isStale}
            isFiltered={isFiltered || list.query.state !== undefined}
            selection={selection}
            edit={edit}
            onEditEnd={afterEdit}
            actions={actions}
            onUpload={tools.upload}
          />
        </CrashBoundary>
        <ListPages
          list={list}
          isStale={isStale}
          isFit={view.is_fit}
          onPageSize={setPageSize}
          onFit={() => changeView({ is_fit: true })}
        />
      </section>
      {active && active.history_count > 1 && !isCards && (
        <Suspense fallback={<div className="mt-4 h-12" />}>
          <HistoryPanel key={active.pid} row={active} onOpen={openStudy} onReport={openReport} />
        </Suspense>
      )}
      {isDropping && upload !== "open" && <DropMark />}
      <PageDialogs
        opened={opened}
        upload={upload}
        onUpload={(next) => {
          setUpload(next);
          if (next === "closed") setDropped(null);
        }}
        dropped={dropped}
        onClose={() => setOpened(null)}
        list={list}
        criteria={criteria}
        view={view}
        onView={changeView}
        UploadDialog={UploadDialog}
      />
    </div>
  );
}
