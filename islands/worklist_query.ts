import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type RefObject, startTransition, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { queryKeys } from "@/model/query_keys.ts";
import type { PatientListResponse, PatientRow } from "@/model/schema/patients.ts";
import {
  isAnotherSearch,
  type WorklistQuery,
  worklistQueryOf,
  worklistSearchOf,
} from "@/model/worklist_query.ts";
import { afterFrame } from "@/components/worklist/after_frame.ts";
import type { NamedRows } from "@/components/worklist/two_bodies.ts";
import { browserApi } from "@/client/browser_api.ts";
import { type Begun, ExpectedList, isSame } from "@/client/expected_list.ts";
import { beginList } from "@/client/list_request.ts";
import { onReconnect, onServerEvent } from "@/client/live_updates.ts";
import { queryClient } from "@/client/query.ts";

/** An answer that comes within is shown at once with all that belongs to it; after that the list says that it waits. */
const PATIENCE_MS = 100;

const begin = (query: WorklistQuery): Begun => beginList(browserApi, query);

interface WorklistList {
  /** what is shown, or waited for longer than the eye allows */
  query: WorklistQuery;
  data: PatientListResponse | undefined;
  error: Error | null;
  /** nothing to show yet */
  isPending: boolean;
  /** rows of the query before */
  isPlaceholder: boolean;
  /** ms when the rows were true */
  updatedAt: number;
  refetch: () => void;
  /**
   * Goes to another state of the list, from the one asked for last; typing replaces the address, everything else can
   * be gone back from. Calls `done` once it goes there, or `stay`.
   */
  go: (change: Change, way?: { isTyping?: boolean; done?: () => void; stay?: () => void }) => void;
  /** Asks for a state that is probably gone to next: while somebody points or types, the server works. */
  expect: (change: Change) => void;
  /** what was expected, and has come: to be drawn out of sight */
  ahead: NamedRows<PatientRow> | null;
}

type Change = Partial<WorklistQuery> | ((wanted: WorklistQuery) => Partial<WorklistQuery>);

/**
 * The list that the address names. The server is asked before anything is drawn: as a rule the answer is there within
 * a frame, and header, rows and page numbers change together, once.
 *
 * @param first     What the address said when the page was made.
 * @param list      The element that is busy meanwhile.
 * @param onAnother Another search or filter is to be gone to, which takes the checks and the edit away (D1 §4): calls
 *   one of the two, whether that may be.
 */
export function useWorklistList(
  first: WorklistQuery,
  list: RefObject<HTMLElement | null>,
  onAnother: (go: () => void, stay: () => void) => void,
): WorklistList {
  const [query, setQuery] = useState(first);
  const [ahead, setAhead] = useState<NamedRows<PatientRow> | null>(null);
  const wanted = useRef(first), begun = useRef<Begun | null>(null);
  const [expected] = useState(() => new ExpectedList());
  /** writes the address of what is shown */
  const noting = useRef<(() => void) | null>(null);
  const patience = useRef<ReturnType<typeof setTimeout>>(undefined);

  const { data, error, isPending, isPlaceholderData, refetch, dataUpdatedAt } = useQuery({
    queryKey: queryKeys.patientList(query),
    queryFn: async ({ signal }) => {
      const early = begun.current, isMine = early !== null && early.query === query;
      if (isMine) begun.current = null;
      const { answer, isShown, abort } = isMine ? early : begin(query);
      signal.addEventListener("abort", abort);
      const list = await answer;
      isShown();
      return list;
    },
    placeholderData: keepPreviousData,
  });
  useLayoutEffect(() => {
    // set by hand, where the page waits without being drawn
    const isBusy = isPending || isPlaceholderData || wanted.current !== query;
    list.current?.setAttribute("aria-busy", String(isBusy));
  });

  /** Goes to a list. @returns whether its rows are there already. */
  const show = (next: WorklistQuery): boolean => {
    wanted.current = next;
    // whatever was expected has come, or not
    setAhead(null);
    clearTimeout(patience.current);
    begun.current?.abort();
    begun.current = null;
    if (isPlaceholderData) {
      void queryClient.cancelQueries({ queryKey: queryKeys.patientList(query), exact: true });
    }
    const key = queryKeys.patientList(next);
    if (queryClient.getQueryData(key) !== undefined) {
      setQuery(next);
      return true;
    }
    const mine = expected.take(next) ?? begin(next);
    const put = (data: PatientListResponse) => {
      clearTimeout(patience.current);
      mine.isShown();
      const { page_idx } = data, there = page_idx === next.page_idx ? next : { ...next, page_idx };
      queryClient.setQueryData(queryKeys.patientList(there), data);
      wanted.current = there;
      setQuery(there);
    };
    if (mine.data !== undefined) {
      put(mine.data);
      return true;
    }
    begun.current = mine;
    list.current?.setAttribute("aria-busy", "true");
    patience.current = setTimeout(() => setQuery(next), PATIENCE_MS);
    mine.answer.then((data) => {
      if (begun.current !== mine) return;
      begun.current = null;
      flushSync(() => put(data));
      if (wanted.current !== next) noteAddress(() => replaceAddress(wanted.current));
    }, () => {
      // the query itself fails with it, and says so
      if (begun.current !== mine) return;
      clearTimeout(patience.current);
      setQuery(next);
    });
    return false;
  };
  /** After the rows: an address costs as much as some of them. */
  const noteAddress = (note: () => void) => {
    const mine = noting.current = () => {
      if (noting.current !== mine) return;
      noting.current = null;
      note();
    };
    afterFrame(mine);
  };
  const follow = () => {
    noting.current = null;
    const next = worklistQueryOf(new URLSearchParams(location.search));
    const stay = () => {
      const address = addressOf(wanted.current);
      if (address !== location.pathname + location.search) pushAddress(wanted.current);
    };
    if (isAnotherSearch(next, wanted.current)) onAnother(() => show(next), stay);
    else show(next);
  };
  const latest = useRef(follow);
  latest.current = follow;
  useEffect(() => {
    const onStep = () => latest.current();
    addEventListener("popstate", onStep);
    return () => removeEventListener("popstate", onStep);
  }, []);

  const after = (change: Change): WorklistQuery => ({
    ...wanted.current,
    ...typeof change === "function" ? change(wanted.current) : change,
  });
  const expect = async (change: Change) => {
    const next = after(change);
    if (isSame(next, wanted.current)) return;
    const known = queryClient.getQueryData<PatientListResponse>(queryKeys.patientList(next));
    if (known !== undefined) expected.drop();
    const data = known ?? await expected.ask(next, begin);
    if (data === null) return;
    const list = worklistSearchOf({ ...next, page_idx: data.page_idx });
    startTransition(() => setAhead({ list, rows: data.patients }));
  };
  // what is not in the cache yet is not brought up to date
  useEffect(() => {
    const stops = [onServerEvent(() => expected.drop()), onReconnect(() => expected.drop())];
    return () => stops.forEach((stop) => stop());
  }, []);

  const go: WorklistList["go"] = (change, { isTyping = false, done, stay = () => {} } = {}) => {
    const next = after(change);
    const leave = () => {
      noting.current?.();
      // the server works while the address changes
      const isThere = show(next);
      if (isTyping) replaceAddress(wanted.current);
      else if (isThere) noteAddress(() => pushAddress(wanted.current));
      else pushAddress(next);
      done?.();
    };
    if (isAnotherSearch(next, wanted.current)) onAnother(leave, stay);
    else leave();
  };
  // an address may name what there is not: a page after the last
  useEffect(() => {
    const address = addressOf(first);
    if (address !== location.pathname + location.search) {
      history.replaceState(null, "", address + location.hash);
    }
  }, []);
  // the last page may be gone after a deletion, and the address may name one that never was
  const lastPage = data ? Math.max(1, Math.ceil(data.total / query.page_size)) : 1;
  useEffect(() => {
    if (data && !isPlaceholderData && query.page_idx > lastPage) {
      go({ page_idx: lastPage }, { isTyping: true });
    }
  });

  // a list that did not come is asked for again when the network is back; the socket may not have noticed
  useEffect(() => {
    if (error === null) return;
    const again = () => void refetch();
    addEventListener("online", again);
    return () => removeEventListener("online", again);
  }, [error]);

  return {
    query,
    data,
    error,
    isPending,
    isPlaceholder: isPlaceholderData,
    updatedAt: dataUpdatedAt,
    refetch: () => void refetch(),
    go,
    expect: (change) => void expect(change),
    ahead,
  };
}

const addressOf = (query: WorklistQuery): string => location.pathname + worklistSearchOf(query);
const pushAddress = (query: WorklistQuery): void => history.pushState(null, "", addressOf(query));
const replaceAddress = (query: WorklistQuery): void => history.replaceState(null, "", addressOf(query));
