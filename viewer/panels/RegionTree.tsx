import { useSignals } from "@preact/signals-react/runtime";
import { type KeyboardEvent, startTransition, useEffect, useId, useRef, useState } from "react";
import { textIn } from "@/model/text.ts";
import { viewerRegionsText as texts } from "@/model/text/viewer/viewer_regions.ts";
import {
  checkOf,
  LobeLine,
  type OnOpen,
  PartLine,
  type RowProps,
} from "@/viewer/panels/region_lines.tsx";
import {
  findTyped,
  type LobeRow,
  moveInTree,
  type TreePlace,
  type TreeRow,
} from "@/viewer/panels/region_tree.ts";

interface RegionTreeProps extends RowProps {
  rows: readonly TreeRow[];
  onOpen: OnOpen;
}

/** Maximum time between two typed letters that belong to the same search word, ms. */
const TYPING_MS = 700;

const labelsAt = (row: TreeRow, side: number): readonly number[] =>
  row.kind === "lobe" ? row.lobe.labels : side > 0 ? [row.part.labels[side - 1]!] : row.part.labels;

const keyOf = (row: TreeRow): string =>
  row.kind === "lobe" ? row.lobe.group : String(row.part.labels[0]);

/** Number of rows that are rendered first (more than fit on the screen), then added per step. */
const FIRST_ROWS = 16, STEP_ROWS = 20;

/**
 * Number of list rows to render now: rendering all rows at once would block the page for 0.1 s.
 * The returned function renders all remaining rows.
 */
function useRowsInSteps(count: number): [shown: number, showAll: () => void] {
  const [shown, setShown] = useState(typeof document === "undefined" ? Infinity : FIRST_ROWS);
  useEffect(() => {
    if (shown >= count) return;
    const timer = setTimeout(() => startTransition(() => setShown(shown + STEP_ROWS)), 16);
    return () => clearTimeout(timer);
  }, [shown, count]);
  return [shown, () => setShown(Infinity)];
}

/** Tree of lobes, regions and both sides of regions, for pointer and keyboard. */
export function RegionTree({ rows, onOpen, ...shared }: RegionTreeProps) {
  useSignals();
  const { actions, canHide, language } = shared;
  const prefix = useId(), tree = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<TreePlace>({ row: 0, side: 0 }),
    [isFocused, setFocused] = useState(false);
  const typed = useRef({ words: "", at: 0 });
  const [shown, showAll] = useRowsInSteps(rows.length);
  const selected = actions.selected.value, hidden = actions.hidden.value;
  const here = place.row < rows.length ? place : { row: 0, side: 0 } as const;
  const idOf = (row: TreeRow) => `${prefix}${keyOf(row).replace(/\W/g, "-")}`;
  const show = (next: TreePlace) => {
    setPlace(next);
    if (next.row >= shown) showAll();
    document.getElementById(`${idOf(rows[next.row]!)}-${next.side}`)?.scrollIntoView({
      block: "nearest",
    });
  };
  // scrolls to the row of a region that was selected on a slice, on the surface or in the tree
  const selectedRow = rows.findIndex((row) =>
    row.kind === "part" && (row.part.labels as readonly number[]).includes(selected)
  );
  useEffect(() => {
    const row = rows[selectedRow];
    if (row?.kind !== "part") return;
    const side = row.part.sides.length === 2
      ? (row.part.labels as readonly number[]).indexOf(selected) + 1
      : 0;
    show({ row: selectedRow, side: side as TreePlace["side"] });
  }, [selected, selectedRow, selectedRow < shown]);

  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[here.row];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const labels = labelsAt(row, here.side);
    const move = moveInTree(rows, here, event.key);
    if (move === "open" || move === "close") {
      onOpen((row as { lobe: LobeRow }).lobe.group, move === "open");
    } else if (move) show(move);
    else if (event.key === "Enter" && event.shiftKey) {
      if (canHide) actions.solo(labels);
    } else if (event.key === "Enter") {
      if (row.kind === "lobe") onOpen(row.lobe.group, !row.isOpen);
      else labels.some((label) => actions.goTo(label));
    } else if (event.key === " ") {
      if (canHide) actions.setHidden(labels, checkOf(labels, hidden) === "true");
    } else if (/^\p{L}$/u.test(event.key)) {
      const isNew = event.timeStamp - typed.current.at > TYPING_MS;
      const words = (isNew ? "" : typed.current.words) + event.key.toLowerCase();
      typed.current = { words, at: event.timeStamp };
      const hit = findTyped(rows, here.row + (isNew ? 1 : 0), words, language);
      if (hit >= 0) show({ row: hit, side: 0 });
    } else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    // keys pressed in the focused tree must not also control the viewer
    event.stopPropagation();
  };
  const lobeCount = rows.filter(({ kind }) => kind === "lobe").length;
  let lobes = 0, parts = 0, siblings = rows.length;
  return (
    <div
      ref={tree}
      role="tree"
      tabIndex={0}
      aria-label={textIn(texts.tree, language)}
      aria-activedescendant={rows[here.row] && `${idOf(rows[here.row]!)}-${here.side}`}
      data-testid="region-list"
      onKeyDown={onKeyDown}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      className="relative flex-1 min-h-0 overflow-y-auto overflow-x-hidden outline-none focus-visible:ring-1 ring-inset ring-cyan-600"
    >
      {rows.slice(0, shown).map((row, n) => {
        const id = idOf(row), focused = isFocused && here.row === n ? here.side : -1;
        if (row.kind === "lobe") {
          [parts, siblings] = [0, row.lobe.parts.length];
          return (
            <LobeLine
              key={keyOf(row)}
              id={id}
              lobe={row.lobe}
              isOpen={row.isOpen}
              focused={focused}
              check={checkOf(row.lobe.labels, hidden)}
              onOpen={onOpen}
              nth={++lobes}
              count={lobeCount}
              {...shared}
            />
          );
        }
        return (
          <PartLine
            key={keyOf(row)}
            id={id}
            part={row.part}
            focused={focused}
            check={checkOf(row.part.labels, hidden)}
            selectedLabel={(row.part.labels as readonly number[]).includes(selected) ? selected : 0}
            level={lobeCount > 0 ? 2 : 1}
            nth={++parts}
            count={siblings}
            {...shared}
          />
        );
      })}
    </div>
  );
}
