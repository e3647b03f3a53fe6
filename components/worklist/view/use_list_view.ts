import { useEffect, useRef, useState } from "react";
import type { ColumnKey, ListView } from "@/model/schema/worklist/list_view.ts";
import { saveListView } from "@/client/api/worklist/list_view.ts";
import { browserApi } from "@/client/browser_api.ts";
import { presentError } from "@/client/notices/present_error.ts";

/** Delay between the last change and storing, ms: a drag of a column counts as one change. */
const SAVE_MS = 500;

interface ListViewChoice {
  view: ListView;
  change: (change: Partial<ListView>) => void;
  /** width in px; `null`: default width */
  resize: (key: ColumnKey, width: number | null) => void;
}

/**
 * The user's display settings of the list; changes appear immediately and are stored after a delay.
 */
export function useListView(first: ListView): ListViewChoice {
  const [view, setView] = useState(first), latest = useRef(first);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const save = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    saveListView(browserApi, latest.current).catch(presentError);
  };
  useEffect(() => {
    // stores pending changes when the user leaves the page
    const leave = () => timer.current !== undefined && save();
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      clearTimeout(timer.current);
    };
  }, []);
  const change = (change: Partial<ListView>) => {
    setView(latest.current = { ...latest.current, ...change });
    clearTimeout(timer.current);
    timer.current = setTimeout(save, SAVE_MS);
  };
  const resize = (key: ColumnKey, width: number | null) =>
    change({
      columns: latest.current.columns.map((column) => column.key === key ? { key, width } : column),
    });
  return { view, change, resize };
}
