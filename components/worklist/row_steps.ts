// In what order a list of rows is drawn: first what is looked at, then the rest.
import { type RefObject, startTransition, useEffect, useLayoutEffect, useReducer, useState } from "react";
import { afterFrame } from "@/components/worklist/after_frame.ts";

/** px; static/css/worklist.css. */
const ROW_HEIGHT = 52, HEAD_HEIGHT = 58;
/** Elements that are kept, about as many as a window shows: those below are drawn later, and each costs every frame. */
const KEPT = 16;

/** Rows around those in view that are drawn as if they were, and rows that a window may show at first. */
const AROUND = 2, FIRST = 24;

const NO_VIEW: [from: number, to: number] = [0, 0];

/** Whether a row is out of view in a page that has just come. */
export const isFarAtFirst = (at: number): boolean => at >= FIRST;

/** A row and the element it is drawn in. */
export interface DrawnRow<Row> {
  row: Row;
  /** of the list before: out of view, and about to be drawn anew */
  isOld: boolean;
  /** out of view when its list was drawn: it waits until it is seen */
  isFar: boolean;
  /** key of the element */
  slot: number;
}

/**
 * Elements of rows. Another list takes over the elements of the one before, in order, which is much less work than new
 * ones; while the list is the same a row keeps its element, whatever comes and goes around it.
 */
export function slotsOf(
  pids: readonly number[],
  before: ReadonlyMap<number, number>,
  isSameList: boolean,
): Map<number, number> {
  if (!isSameList) return new Map(pids.map((pid, at) => [pid, at]));
  const slots = new Map(pids.flatMap((pid) => before.has(pid) ? [[pid, before.get(pid)!] as const] : []));
  const taken = new Set(slots.values());
  let free = 0;
  for (const pid of pids) {
    if (slots.has(pid)) continue;
    while (taken.has(free)) free++;
    slots.set(pid, free++);
  }
  return slots;
}

/** Indexes of the rows of a table that are seen: `[from, to)`. */
function inView(table: HTMLElement): [from: number, to: number] {
  const top = table.getBoundingClientRect().top + HEAD_HEIGHT;
  return [Math.floor(-top / ROW_HEIGHT), Math.ceil((innerHeight - top) / ROW_HEIGHT)];
}

/**
 * Rows to draw now. Of another list only those in view come at once; the others stay what they were until these are on
 * the screen, some milliseconds.
 *
 * @param list Names the list; its rows may change.
 * @returns `hasLater`: more is drawn soon; `spares`: elements of longer lists before, which are kept out of sight,
 *   because making them anew is most of the work of a list that grows.
 */
export function useRowSteps<Row extends { pid: number }>(
  rows: readonly Row[],
  list: string,
  body: RefObject<HTMLElement | null>,
  table: RefObject<HTMLElement | null>,
): { drawn: DrawnRow<Row>[]; spares: { row: Row; slot: number }[]; hasLater: boolean } {
  const [, draw] = useReducer((n: number) => n + 1, 0);
  const [now] = useState(() => ({
    list,
    /** the list all of whose rows are drawn */
    done: list,
    /** the list that is on the screen */
    shown: list,
    slots: new Map<number, number>(),
    view: table.current ? inView(table.current) : NO_VIEW,
    drawn: rows,
    /** what every element that there is shows */
    kept: new Map<number, Row>(),
  }));
  const isAnother = now.list !== list;
  if (isAnother) {
    now.list = list;
    if (body.current === null) now.done = list;
    else now.view = inView(table.current!);
  }
  now.slots = slotsOf(rows.map(({ pid }) => pid), now.slots, !isAnother);
  const [from, to] = now.view;
  const isFar = (at: number) => to === 0 ? isFarAtFirst(at) : at < from - AROUND || at >= to + AROUND;
  const isLater = (at: number) => now.done !== list && (at < from || at >= to);

  const drawn = rows.flatMap((row, at): DrawnRow<Row>[] => {
    const slot = now.slots.get(row.pid)!;
    if (!isLater(at)) return [{ row, slot, isOld: false, isFar: isFar(at) }];
    const old = now.drawn[at];
    return old === undefined ? [] : [{ row: old, slot, isOld: true, isFar: true }];
  });
  const hasLater = rows.some((_row, at) => isLater(at));
  const used = new Set(drawn.map(({ slot }) => slot));
  // in a fixed order: an element that moves is laid out anew
  const spares = [...now.kept].filter(([slot]) => slot < KEPT && !used.has(slot)).sort(([a], [b]) => a - b)
    .map(([slot, row]) => ({ slot, row }));
  useLayoutEffect(() => {
    for (const { slot, row } of drawn) now.kept.set(slot, row);
    now.drawn = drawn.map(({ row }) => row);
    if (!hasLater) now.done = list;
    // a row of another list is not what had the focus
    const { activeElement } = document;
    if (now.shown !== list && activeElement instanceof HTMLElement && body.current?.contains(activeElement)) {
      activeElement.blur();
    }
    now.shown = list;
  });
  useEffect(() => {
    if (!hasLater) return;
    return afterFrame(() => {
      now.done = list;
      startTransition(draw);
    });
  }, [list, hasLater]);
  return { drawn, spares, hasLater };
}
