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

/**
 * ms that the pointer rests on a control before its list is prefetched: who passes over it does not
 * want it.
 */
const DWELL_MS = 65;

/** A change of the list; a function gets the state that was asked for last. */
export type Change = Partial<WorklistQuery> | ((wanted: WorklistQuery) => Partial<WorklistQuery>);

export interface WorklistList {
  /** the state that is asked for */
  query: WorklistQuery;
  /**
   * the answer; until it comes the rows of the previous state; after an error the last rows that
   * came
   */
  data: ListPage | undefined;
  /** address of the list that is shown */
  key: string;
  /** ms when it was true */
  updatedAt: number;
  error: Error | null;
  /** nothing to show yet */
  isPending: boolean;
  /** rows of the state before */
  isPlaceholder: boolean;
  lastPage: number;
  refetch: () => void;
  /**
   * Goes to another state; typing goes on in the address that its first letter made, everything
   * else can be gone back from, unless it is no step (`isStep: false`). Calls `done` once it goes
   * there, or `stay`.
   */
  go: (
    change: Change,
    way?: { isTyping?: boolean; isStep?: boolean; done?: () => void; stay?: () => void },
  ) => void;
  /** Prefetches a state: the pointer is on a control that leads there. */
  prefetch: (change: Change) => void;
}

/**
 * The list that the address names.
 *
 * @param first     The query of the address when the page was made.
 * @param pageSize  The reader's choice, for addresses without one.
 * @param onAnother Another search or filter is to be gone to, which takes the checks and the edit
 *   away (D1 §4): calls one of the two, whether that may be.
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
    // a place belongs to the step that it was given for
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
      // the first letter is a step of its own, which the others go on with
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

  // the last page may be gone after a deletion, and the address may name one that never was
  const lastPage = shownPage ? Math.max(1, Math.ceil(shownPage.total / query.page_size)) : 1;
  useEffect(() => writeAddress(wanted.current, true), []);
  useEffect(() => {
    if (!data || isPlaceholderData || query.page_idx <= lastPage) return;
    const there = { ...query, page_idx: lastPage };
    if (data.page_idx === lastPage) queryClient.setQueryData(queryKeys.patientList(there), data);
    show(there);
    writeAddress(there, true);
  });

  // a list that did not come is asked for again when the network is back; the socket may not have
  // noticed
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
 * Follows the browser's back and forward buttons; an edit that is not given up keeps its address.
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

/** Writes the address of a state, unless it is there already. */
function writeAddress(query: WorklistQuery, isReplaced: boolean): void {
  const address = location.pathname + worklistSearchOf(query);
  if (address === location.pathname + location.search) return;
  if (isReplaced) history.replaceState(null, "", address + location.hash);
  else history.pushState(null, "", address);
}
