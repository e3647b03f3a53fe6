import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { queryKeys } from "@/model/query_keys.ts";
import {
  isAnotherSearch,
  type WorklistQuery,
  worklistQueryOf,
  worklistSearchOf,
} from "@/model/worklist/worklist_query.ts";
import { queryClient } from "@/client/page/query.ts";
import { removeNewStudies } from "@/client/live/worklist_cache.ts";
import { type ListPage, listQuery } from "@/components/worklist/page/list_query.ts";

/** Time that the pointer must rest on a control before prefetching the control's list, ms. */
const DWELL_MS = 65;

/** A change of the list state; a function receives the last requested state. */
export type Change = Partial<WorklistQuery> | ((wanted: WorklistQuery) => Partial<WorklistQuery>);

export interface WorklistList {
  /** list state that was requested last */
  query: WorklistQuery;
  /**
   * response for the list; while loading, the rows of the previous state;
   * after an error, the last loaded rows
   */
  data: ListPage | undefined;
  /** address of the displayed list */
  key: string;
  /** time of the displayed data, ms */
  updatedAt: number;
  error: Error | null;
  /** whether there are no rows to show yet */
  isPending: boolean;
  /** whether the rows belong to the previous state */
  isPlaceholder: boolean;
  lastPage: number;
  refetch: () => void;
  /**
   * changes to another state; calls `done` after the change, or `stay` without a change
   * typing continues in the history entry that the first letter created;
   * other changes create a history entry, unless `isStep: false`
   */
  go: (
    change: Change,
    way?: { isTyping?: boolean; isStep?: boolean; done?: () => void; stay?: () => void },
  ) => void;
  /** Prefetches a state, because the pointer is on a control that would request this state. */
  prefetch: (change: Change) => void;
}

/**
 * State of the list, as in the page's address.
 *
 * @param first     Query in the address when the page was rendered.
 * @param pageSize  The user's setting, for addresses without a page size.
 * @param onAnother Asked before another search or filter discards checks and the edit (D1 §4).
 * Must call one of both callbacks.
 */
export function useList(
  first: WorklistQuery,
  pageSize: number,
  onAnother: (go: () => void, stay: () => void) => void,
): WorklistList {
  const [query, setQuery] = useState(first), wanted = useRef(first), wasTyping = useRef(false);
  const { data, error, isPending, isPlaceholderData, refetch, dataUpdatedAt } = useQuery<ListPage>({
    ...listQuery(query),
    placeholderData: keepPreviousData,
  });
  const show = (next: WorklistQuery) => {
    wanted.current = next;
    setQuery(next);
  };
  const changedQuery = (change: Change): WorklistQuery => ({
    ...wanted.current,
    // a cursor belongs to the history entry for which it was created
    after: undefined,
    before: undefined,
    ...typeof change === "function" ? change(wanted.current) : change,
  });
  const go: WorklistList["go"] = (
    change,
    { isTyping = false, isStep = true, done, stay = () => {} } = {},
  ) => {
    const nextQuery = changedQuery(change);
    const leave = () => {
      show(nextQuery);
      // the first letter creates a history entry, which further letters replace
      writeAddress(nextQuery, !isStep || (isTyping && wasTyping.current));
      wasTyping.current = isTyping;
      done?.();
    };
    if (isAnotherSearch(nextQuery, wanted.current)) onAnother(leave, stay);
    else leave();
  };
  const dwell = useRef<ReturnType<typeof setTimeout>>(undefined);
  const prefetch = (change: Change) => {
    clearTimeout(dwell.current);
    dwell.current = setTimeout(
      () => void queryClient.prefetchQuery(listQuery(changedQuery(change))),
      DWELL_MS,
    );
  };
  useBackButton(wanted, pageSize, (next) => {
    wasTyping.current = false;
    show(next);
  }, onAnother);

  const key = worklistSearchOf(query), last = useRef({ data, at: dataUpdatedAt, key });
  if (data && !isPlaceholderData) last.current = { data, at: dataUpdatedAt, key };
  const shownPage = data ?? (error ? last.current.data : undefined);
  useEffect(() => {
    if (!isPlaceholderData && data?.known) removeNewStudies(data.known);
  }, [data, isPlaceholderData]);

  // the last page may be gone after a deletion, or the address may name an invalid page
  const lastPage = shownPage ? Math.max(1, Math.ceil(shownPage.total / query.page_size)) : 1;
  useEffect(() => writeAddress(wanted.current, true), []);
  useEffect(() => {
    if (!data || isPlaceholderData || query.page_idx <= lastPage) return;
    const there = { ...query, page_idx: lastPage };
    if (data.page_idx === lastPage) queryClient.setQueryData(queryKeys.patientList(there), data);
    show(there);
    writeAddress(there, true);
  });

  // requests a failed list again when the network is back, which the socket may not notice
  useEffect(() => {
    if (error === null) return;
    const again = () => void refetch();
    addEventListener("online", again);
    return () => removeEventListener("online", again);
  }, [error]);

  return {
    query,
    data: shownPage,
    key: last.current.key,
    updatedAt: last.current.at,
    error,
    isPending,
    isPlaceholder: isPlaceholderData,
    lastPage,
    refetch: () => void refetch(),
    go,
    prefetch,
  };
}

/**
 * Follows the browser's back and forward buttons; if the user keeps an edit, the address stays too.
 */
function useBackButton(
  wanted: { readonly current: WorklistQuery },
  pageSize: number,
  show: (next: WorklistQuery) => void,
  onAnother: (go: () => void, stay: () => void) => void,
): void {
  const follow = () => {
    const addressQuery = worklistQueryOf(new URLSearchParams(location.search), pageSize);
    if (!isAnotherSearch(addressQuery, wanted.current)) return show(addressQuery);
    onAnother(() => show(addressQuery), () => writeAddress(wanted.current, false));
  };
  const latest = useRef(follow);
  latest.current = follow;
  useEffect(() => {
    const onStep = () => latest.current();
    addEventListener("popstate", onStep);
    return () => removeEventListener("popstate", onStep);
  }, []);
}

/** Writes the address of a state, unless the page has that address. */
function writeAddress(query: WorklistQuery, isReplaced: boolean): void {
  const address = location.pathname + worklistSearchOf(query);
  if (address === location.pathname + location.search) return;
  if (isReplaced) history.replaceState(null, "", address + location.hash);
  else history.pushState(null, "", address);
}
