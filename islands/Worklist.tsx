import { useSignals } from "@preact/signals-react/runtime";
import { type ComponentType, Suspense, useContext, useEffect, useRef, useState } from "react";
import { AppError } from "@/model/errors.ts";
import type { SavedFilter } from "@/model/schema/filters.ts";
import type { SortKey } from "@/model/schema/study.ts";
import type { PatientRow } from "@/model/schema/patients.ts";
import { worklistText } from "@/model/text/worklist.ts";
import { withEdited } from "@/model/patient_edit.ts";
import { checkAll, checkRow, NO_SELECTION, withoutRunning } from "@/model/worklist_selection.ts";
import type { FilterCriteria } from "@/model/filter_form.ts";
import {
  criteriaOfQuery,
  PAGE_SIZES,
  savedQueryOf,
  type WorklistQuery,
  worklistSearchOf,
} from "@/model/worklist_query.ts";
import { ListEmpty } from "@/components/worklist/ListEmpty.tsx";
import { ListNotice } from "@/components/worklist/ListNotice.tsx";
import { Pagination } from "@/components/worklist/Pagination.tsx";
import { COLUMN_COUNT, WorklistTable } from "@/components/worklist/WorklistTable.tsx";
import { type ToolbarActions, WorklistToolbar } from "@/components/worklist/WorklistToolbar.tsx";
import { isReadable, viewerBlocks } from "@/model/worklist_row.ts";
import { KeepMarkupContext } from "@/client/keep_markup.ts";
import { useLanguage, useText } from "@/client/language.ts";
import { messageOf } from "@/client/messages.ts";
import { log } from "@/client/log.ts";
import { presentToast } from "@/client/present_error.ts";
import { onServerEvent, socketState } from "@/client/live_updates.ts";
import { onPageKeys } from "@/client/page_keys.ts";
import { lazyPart, reloadStalePage } from "@/client/stale_page.ts";
import { useUser } from "@/client/user.ts";
import { withQueries } from "@/client/with_queries.tsx";
import { newStudies } from "@/client/worklist_cache.ts";
import { useWorklistList } from "@/islands/worklist_query.ts";
import { useRowEdit } from "@/islands/worklist_row_edit.ts";
import { useRowStatus } from "@/islands/worklist_status.tsx";

const SelectionBar = lazyPart(() => import("@/islands/worklist_bar.tsx"));
const HistoryPanel = lazyPart(() => import("@/islands/worklist_history.tsx"));
const FilterTags = lazyPart(() => import("@/islands/worklist_tags.tsx"));
const FilterDialog = lazyPart(() => import("@/islands/worklist_filters.tsx"));
const EditRow = lazyPart(() => import("@/islands/worklist_edit.tsx"));
const ExportDialog = lazyPart(() => import("@/islands/worklist_export.tsx"));
const KeyList = lazyPart(() => import("@/islands/worklist_keys.tsx"));
const CardList = lazyPart(() => import("@/islands/worklist_cards.tsx"));

/** The place above the list: of the selection bar, which comes and goes without moving a row. */
const STRIP = "flex items-center gap-2 h-12 px-4 xl:px-5 border-b border-line rounded-t-xl";
/** Rows that are still those of the list before after this are greyed. */
const LATE_MS = 100;
/** Where the choice between table and cards is kept. */
const VIEW_KEY = "worklist_view";

type UploadDialogType = ComponentType<{ onClose: () => void }>;

/** The table of studies. `query` is what the address said when the page was made. */
function Worklist({ query: first }: { query: WorklistQuery }) {
  useSignals();
  const language = useLanguage(), text = useText(worklistText), keepMarkup = useContext(KeepMarkupContext);
  const [UploadDialog, setUploadDialog] = useState<UploadDialogType | null>(null);

  const [selection, setSelection] = useState(NO_SELECTION);
  const { edit, beginEdit, leaveEdit, afterEdit } = useRowEdit();
  const section = useRef<HTMLElement>(null);
  const { query, data: fresh, error, isPending, isPlaceholder, updatedAt, refetch, go, expect, ahead } =
    useWorklistList(
      first,
      section,
      (search, stay) =>
        leaveEdit(() => {
          setSelection(NO_SELECTION);
          search();
        }, stay),
    );
  const criteria = criteriaOfQuery(query), isFiltered = Object.keys(criteria).length > 0;
  const [isFiltering, setFiltering] = useState(false);
  /** The list by other criteria; those that are gone are taken out of the query. */
  const by = (next: FilterCriteria, saved: SavedFilter | null = null) => (wanted: WorklistQuery) => {
    const none = Object.fromEntries(Object.keys(criteriaOfQuery(wanted)).map((key) => [key, undefined]));
    return { ...none, ...next, page_idx: 1, ...saved === null ? {} : savedQueryOf(saved) };
  };

  // without an answer the last rows stay, with their age
  const listKey = worklistSearchOf(query);
  const last = useRef({ data: fresh, at: updatedAt, list: listKey });
  if (fresh && !isPlaceholder) last.current = { data: fresh, at: updatedAt, list: listKey };
  const data = fresh ?? (error ? last.current.data : undefined);
  const isStale = data !== undefined && (error !== null || socketState.value === "waiting");
  const lastPage = data ? Math.max(1, Math.ceil(data.total / query.page_size)) : 1;

  const lastChecked = useRef<number | null>(null);
  const [isCards, setCards] = useState(false);
  useEffect(() => setCards(localStorage.getItem(VIEW_KEY) === "cards"), []);
  const view = (cards: boolean) =>
    leaveEdit(() => {
      setCards(cards);
      localStorage.setItem(VIEW_KEY, cards ? "cards" : "table");
    });

  // rows that come at once do not flicker
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isPlaceholder) return;
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [isPlaceholder]);

  const user = useUser();
  // the bar does it, which may still be loading
  const [isDeleteAsked, setDeleteAsked] = useState(false), checkedCount = useRef(0);
  const [opened, setOpened] = useState<"keys" | "export" | null>(null);
  useEffect(() =>
    onPageKeys({
      "/": () => document.querySelector<HTMLElement>("[role=search] input")?.focus(),
      "?": () => setOpened("keys"),
      Delete: () => setDeleteAsked(checkedCount.current > 0),
    }), []);
  useEffect(() =>
    onServerEvent((event) => {
      if (event.event !== "study_delete") return;
      setSelection((now) => ({
        ...now,
        checked: new Set([...now.checked].filter((pid) => pid !== event.pid)),
      }));
    }), []);

  const { statusOf, statusKeyOf } = useRowStatus();

  const sortedBy =
    (key: SortKey) => ({ sort_key, sort_direction }: WorklistQuery): Partial<WorklistQuery> => ({
      sort_key: key,
      sort_direction: sort_key === key && sort_direction === "asc" ? "desc" : "asc",
      page_idx: 1,
    });
  const open = (row: PatientRow) => {
    // D1 §8: nothing is shown
    if (!(row.pid > 0)) return log(`Cannot open study ${row.pid}: no such number`);
    if (isReadable(row)) location.assign(`/viewer/${row.pid}`);
    else for (const code of viewerBlocks(row)) presentToast(code);
  };
  const openUpload = () =>
    import("@/islands/UploadDialog.tsx").then(
      (module) => setUploadDialog(() => module.default),
      reloadStalePage,
    );

  const tools = useRef<ToolbarActions>(null!);
  tools.current = {
    view,
    filter: () => setFiltering(true),
    beginSearch: leaveEdit,
    search: (search_string, stay) => go({ search_string, page_idx: 1 }, { isTyping: true, stay }),
    expect: (search_string) => expect({ search_string, page_idx: 1 }),
    exportAll: () => setOpened("export"),
    upload: () => void openUpload(),
  };

  const rows = withEdited(data?.patients ?? [], edit?.list === listKey ? edit : null);
  const newCount = newStudies.value.size;
  // one's own upload, and what fills an empty page, is shown at once
  useEffect(() => {
    if (newCount > 0 && (UploadDialog !== null || rows.length === 0)) refetch();
  }, [newCount, UploadDialog, rows.length]);
  const showNew = () => {
    if (query.page_idx === 1) refetch();
    else go({ page_idx: 1 });
  };
  const isOther = fresh === undefined && last.current.list !== listKey;
  const notice = (
    <ListNotice
      language={language}
      staleSince={isStale ? last.current.at : null}
      isOther={isOther}
      newCount={newCount}
      onShow={showNew}
      onRetry={error ? () => refetch() : undefined}
    />
  );
  const checked = withoutRunning(selection.checked, rows);
  checkedCount.current = checked.size;
  useEffect(() => {
    if (checked.size === 0) setDeleteAsked(false);
  }, [checked.size]);
  const check = (next: ReadonlySet<number>) => setSelection({ ...selection, checked: next });
  /** The focus of whoever works in the list stays in it when what had it is gone. */
  const focusRow = (pid: number | null | undefined) =>
    setTimeout(() => {
      if (document.activeElement?.matches("input:not([type=checkbox])")) return;
      document.querySelector<HTMLElement>(`tr[data-pid="${pid}"], li[data-pid="${pid}"] > [tabindex]`)
        ?.focus();
    });
  const onCheck = (row: PatientRow, isChecked: boolean, isRange: boolean) => {
    check(checkRow(checked, rows, row.pid, isChecked, isRange ? lastChecked.current : null));
    lastChecked.current = row.pid;
  };
  const active = rows.find((row) => row.pid === selection.activePid);
  const { sort_key, sort_direction, search_string } = query;
  const exported = { sort_key, sort_direction, search_string };
  const report = (row: PatientRow) => location.assign(`/report/${row.pid}`);
  const empty = (
    <ListEmpty
      language={language}
      failure={error && !data
        ? messageOf(error instanceof AppError ? error.code : "internal", {}, language)
        : null}
      search={query.search_string}
      isFiltered={isFiltered}
      onRetry={() => refetch()}
      onClear={() => go((wanted) => ({ ...by({})(wanted), search_string: "" }))}
      onUpload={openUpload}
    />
  );

  return (
    <div className="max-w-[1600px] mx-auto px-6 py-6">
      <WorklistToolbar
        language={language}
        isCards={isCards}
        isFiltered={isFiltered}
        search={query.search_string}
        isEmpty={rows.length === 0}
        latest={tools}
      />
      {isFiltered && (
        <Suspense fallback={<div className="h-8 mb-3" />}>
          <FilterTags
            criteria={criteria}
            onChange={(next) => go(by(next))}
            onExpect={(next) => expect(by(next))}
          />
        </Suspense>
      )}
      <section
        className="rounded-xl border border-line bg-white shadow-card"
        ref={section}
        aria-busy={isPending || isPlaceholder}
      >
        {checked.size > 0
          ? (
            <Suspense fallback={<div className={`${STRIP} bg-brand-50`} />}>
              <SelectionBar
                checked={checked}
                rows={rows}
                isDeleteAsked={isDeleteAsked}
                onDelete={() => setDeleteAsked(false)}
                onClear={() => {
                  check(new Set());
                  focusRow(lastChecked.current);
                }}
                onGone={(pids) => {
                  const isGone = ({ pid }: PatientRow) => pids.includes(pid), first = rows.findIndex(isGone);
                  check(new Set([...checked].filter((pid) => !pids.includes(pid))));
                  const stay = (row: PatientRow) => !isGone(row);
                  focusRow((rows.slice(first + 1).find(stay) ?? rows.findLast(stay))?.pid);
                }}
              />
            </Suspense>
          )
          : (
            <p className={`${STRIP} text-xs text-ink-faint`}>
              {rows.length > 0 && (
                <>
                  {text("hint")}
                  <button
                    type="button"
                    aria-keyshortcuts="?"
                    onClick={() => setOpened("keys")}
                    className="px-1 rounded font-medium text-brand-700 hover:underline"
                  >
                    {text("keys")} (?)
                  </button>
                </>
              )}
            </p>
          )}
        <div className={isLate ? "opacity-60" : isStale ? "stale-rows" : ""}>
          {isCards
            ? (
              <Suspense fallback={<div className="min-h-[260px]" />}>
                <CardList
                  rows={rows}
                  checked={checked}
                  onCheck={onCheck}
                  onOpen={open}
                  onReport={report}
                  statusOf={statusOf}
                  empty={isPending ? null : empty}
                />
              </Suspense>
            )
            : (
              <WorklistTable
                rows={rows}
                language={language}
                sortKey={query.sort_key}
                sortDirection={query.sort_direction}
                onSort={(key) => go(sortedBy(key))}
                onExpectSort={(key) => expect(sortedBy(key))}
                onOpen={open}
                onReport={report}
                statusOf={statusOf}
                statusKeyOf={statusKeyOf}
                list={last.current.list}
                ahead={ahead}
                checked={checked}
                onCheck={onCheck}
                onCheckAll={(isChecked) => check(checkAll(checked, rows, isChecked))}
                activePid={selection.activePid}
                onActivate={({ pid }) => setSelection({ ...selection, activePid: pid })}
                onEdit={(row) => void beginEdit(row, rows.indexOf(row), listKey)}
                editorOf={(row) =>
                  edit?.row.pid !== row.pid ? null : (
                    <Suspense>
                      <EditRow edit={edit} columns={COLUMN_COUNT} onEnd={afterEdit} />
                    </Suspense>
                  )}
                userId={user?.user_id ?? null}
                skeletonRows={isPending ? query.page_size : 0}
                empty={empty}
                keepMarkup={keepMarkup}
              />
            )}
        </div>
        <Pagination
          language={language}
          page={Math.min(query.page_idx, lastPage)}
          pageSize={query.page_size}
          pageSizes={PAGE_SIZES}
          total={data?.total ?? 0}
          hasRange={!isOther}
          onPage={(page_idx) => go({ page_idx })}
          onExpect={(page_idx) => expect({ page_idx })}
          onStep={(pages) =>
            go(({ page_idx }) => ({ page_idx: Math.min(Math.max(1, page_idx + pages), lastPage) }))}
          onPageSize={(page_size) => go({ page_size, page_idx: 1 })}
          notice={notice}
        />
      </section>
      {active && active.history_count > 1 && !isCards && (
        <Suspense fallback={<div className="mt-4 h-12" />}>
          <HistoryPanel key={active.pid} row={active} onOpen={open} onReport={report} />
        </Suspense>
      )}
      {opened !== null && (
        <Suspense>
          {opened === "keys" ? <KeyList onClose={() => setOpened(null)} /> : (
            <ExportDialog
              of={{ filter: { ...exported, ...criteria } }}
              count={data?.total ?? 0}
              onClose={() => setOpened(null)}
            />
          )}
        </Suspense>
      )}
      {isFiltering && (
        <Suspense>
          <FilterDialog
            query={query}
            criteria={criteria}
            onApply={(next, saved) => go(by(next, saved), { done: () => setFiltering(false) })}
            onExpect={(next, saved) => expect(by(next, saved))}
            onClose={() => setFiltering(false)}
          />
        </Suspense>
      )}
      {UploadDialog && <UploadDialog onClose={() => setUploadDialog(null)} />}
    </div>
  );
}

export default withQueries(Worklist);
