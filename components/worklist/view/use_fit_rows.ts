import { useEffect, useRef } from "react";
import {
  type ListView,
  MAX_LIST_PAGE_SIZE,
  MIN_PAGE_SIZE,
} from "@/model/schema/worklist/list_view.ts";

/** Heights of the table's header and rows in px, as in static/css/worklist.css. */
const HEAD_HEIGHT = 58, ROW_HEIGHTS = { comfortable: 52, compact: 40 } as const;
/** Height of all elements above and below the list, and minimum height of the list, px. */
const AROUND_LIST = 296, MIN_LIST_HEIGHT = 240;
/** Debounce of window resizes, ms. */
const REST_MS = 200;

/** Number of rows that fit into a table of a given height in px. */
export function fittingRows(height: number, density: ListView["density"]): number {
  const rows = Math.floor((height - HEAD_HEIGHT) / ROW_HEIGHTS[density]);
  return Math.min(Math.max(rows, MIN_PAGE_SIZE), MAX_LIST_PAGE_SIZE);
}

/**
 * Calls `onFit` with the number of rows that fit into the window, initially and after resizes.
 * @param pageSize Current number of rows per page; another number is fitted again.
 */
export function useFitRows(
  { is_fit, density }: Pick<ListView, "is_fit" | "density">,
  pageSize: number,
  onFit: (rows: number) => void,
): void {
  const latest = useRef(onFit);
  latest.current = onFit;
  useEffect(() => {
    if (!is_fit) return;
    const fit = () => {
      // cards have no fixed height and are not fitted
      if (document.querySelector(".worklist-scroll") === null) return;
      // max-height is "none" while the list is empty, so that no number can be read
      const height = Math.max(MIN_LIST_HEIGHT, innerHeight - AROUND_LIST);
      latest.current(fittingRows(height, density));
    };
    let timer: ReturnType<typeof setTimeout>;
    const onResize = () => {
      clearTimeout(timer);
      timer = setTimeout(fit, REST_MS);
    };
    fit();
    addEventListener("resize", onResize);
    return () => {
      clearTimeout(timer);
      removeEventListener("resize", onResize);
    };
  }, [is_fit, density, pageSize]);
}
