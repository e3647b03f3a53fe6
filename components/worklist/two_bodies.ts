// Two bodies of rows in turns: one is seen, the other has the list that is expected, or the one before.
import { useRef } from "react";

/** Rows of a list; its name says whose they are. */
export interface NamedRows<Row> {
  rows: readonly Row[];
  list: string;
}

/** What two bodies hold, and which of them is seen. */
export interface TwoBodies<Row> {
  held: [NamedRows<Row>, NamedRows<Row> | null];
  front: 0 | 1;
}

/**
 * The bodies with `shown` in front. A list that the body behind holds comes to the front with it, drawn and laid out
 * already; any other is drawn in the body that is in front. Behind stands `ahead`, or what was shown before.
 */
export function turnedTo<Row>(
  { held, front }: TwoBodies<Row>,
  shown: NamedRows<Row>,
  ahead: NamedRows<Row> | null,
): TwoBodies<Row> {
  const behind = front === 0 ? 1 : 0;
  const isTurned = held[front]!.list !== shown.list && held[behind]?.list === shown.list;
  const next: TwoBodies<Row> = { held: [...held], front: isTurned ? behind : front };
  const at = next.front, other = at === 0 ? 1 : 0;
  if (next.held[at]!.list !== shown.list || next.held[at]!.rows !== shown.rows) next.held[at] = shown;
  if (ahead !== null && ahead.list !== shown.list) next.held[other] = ahead;
  return next;
}

/** {@link turnedTo}, from one drawing to the next. */
export function useTwoBodies<Row>(shown: NamedRows<Row>, ahead: NamedRows<Row> | null): TwoBodies<Row> {
  const now = useRef<TwoBodies<Row>>({ held: [shown, null], front: 0 });
  return now.current = turnedTo(now.current, shown, ahead);
}
