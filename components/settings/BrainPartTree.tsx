import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import {
  type BrainNode,
  groupOfKey,
  nodeState,
  searchTree,
  withNode,
} from "@/model/regions/brain_parts.ts";
import { type Language, LANGUAGES, textIn } from "@/model/text.ts";
import { partName, REGION_GROUP_TEXT } from "@/model/text/regions.ts";
import { settingsText } from "@/model/text/settings/settings.ts";
import { INPUT } from "@/components/fields.tsx";

/** Delay between typing and the search, ms (D1 §9). */
const SEARCH_MS = 500;

interface BrainPartTreeProps {
  tree: readonly BrainNode[];
  /** keys of the brain parts with a checked box */
  chosen: readonly string[];
  /** keys of the expanded branches */
  expanded: readonly string[];
  language: Language;
  onChoose: (keys: string[]) => void;
  onExpand: (keys: string[]) => void;
}

/** Name of a group or a part; `null` for the root, which searches ignore. */
function nameIn({ key, title, children }: BrainNode, language: Language): string | null {
  const group = groupOfKey(key);
  if (group) return textIn(REGION_GROUP_TEXT[group], language);
  return children ? null : partName(title, language);
}

interface Row {
  node: BrainNode;
  level: number;
  isOpen: boolean;
}

const rowsOf = (nodes: readonly BrainNode[], isOpen: (key: string) => boolean, level = 1): Row[] =>
  nodes.flatMap((node) => {
    const open = node.children !== undefined && isOpen(node.key);
    return [
      { node, level, isOpen: open },
      ...(open ? rowsOf(node.children!, isOpen, level + 1) : []),
    ];
  });

const STATES = { all: "true", some: "mixed", none: "false" } as const;
const INDENT = ["pl-1", "pl-6", "pl-11"] as const;

/** Check boxes of brain parts by group; a search expands groups with results. */
export function BrainPartTree(
  { tree, chosen, expanded, language, onChoose, onExpand }: BrainPartTreeProps,
) {
  const [typed, setTyped] = useState(""), [sought, setSought] = useState("");
  const [current, setCurrent] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSought(typed), SEARCH_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const isSearching = sought.trim() !== "";
  const rows = useMemo(() => {
    const matchingTree = searchTree(
      tree,
      sought,
      (node) => LANGUAGES.flatMap((each) => nameIn(node, each) ?? []),
    );
    return rowsOf(matchingTree, (key) => isSearching || expanded.includes(key));
  }, [tree, sought, expanded]);
  const set = useMemo(() => new Set(chosen), [chosen]);
  const t = (key: keyof typeof settingsText, values?: Record<string, string | number>) =>
    textIn(settingsText[key], language, values);
  const at = Math.min(current, rows.length - 1);

  const check = ({ node }: Row) =>
    onChoose(withNode(tree, chosen, node, nodeState(node, set) !== "all"));
  const open = ({ node }: Row, isOpen: boolean) => {
    if (!node.children || isSearching) return;
    const otherExpanded = expanded.filter((key) => key !== node.key);
    onExpand(isOpen ? [...otherExpanded, node.key] : otherExpanded);
  };
  const focus = (index: number) => {
    const target = Math.min(Math.max(index, 0), rows.length - 1);
    setCurrent(target);
    list.current?.querySelectorAll<HTMLElement>("[role=treeitem]")[target]?.focus();
  };
  const byKey = (event: KeyboardEvent) => {
    const row = rows[at];
    if (!row) return;
    if (event.key === "ArrowDown") focus(at + 1);
    else if (event.key === "ArrowUp") focus(at - 1);
    else if (event.key === "Home") focus(0);
    else if (event.key === "End") focus(rows.length - 1);
    else if (event.key === "ArrowRight") {
      if (row.node.children && !row.isOpen) open(row, true);
      else if (row.isOpen) focus(at + 1);
    } else if (event.key === "ArrowLeft") {
      if (row.isOpen && !isSearching) open(row, false);
      else focus(rows.findLastIndex((each, n) => n < at && each.level < row.level));
    } else if (event.key === " " || event.key === "Enter") check(row);
    else return;
    event.preventDefault();
  };
  return (
    <div>
      <div className="flex items-center gap-3">
        <input
          type="search"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          aria-label={t("searchPart")}
          placeholder={t("searchPart")}
          className={`${INPUT} flex-1 min-w-0`}
        />
        <span role="status" className="text-[13px] text-ink-soft tabular">
          {t("chosenParts", { n: chosen.length })}
        </span>
      </div>
      <ul
        ref={list}
        role="tree"
        aria-label={t("priority")}
        aria-multiselectable="true"
        onKeyDown={byKey}
        className="mt-2 h-[248px] overflow-y-auto rounded-lg border border-line bg-white p-1"
      >
        {rows.map((row, n) => {
          const { node, level, isOpen } = row,
            name = nameIn(node, language) ?? t("all"),
            state = nodeState(node, set);
          return (
            <li
              key={node.key}
              role="treeitem"
              aria-level={level}
              aria-checked={STATES[state]}
              aria-expanded={node.children ? isOpen : undefined}
              aria-label={name}
              tabIndex={n === at ? 0 : -1}
              onFocus={() => setCurrent(n)}
              onClick={() => check(row)}
              className={`flex items-center h-8 rounded cursor-pointer hover:bg-canvas ${
                INDENT[level - 1]
              }`}
            >
              {node.children
                ? (
                  <span
                    title={t(isOpen ? "collapse" : "expand", { name })}
                    onClick={(event) => {
                      event.stopPropagation();
                      open(row, !isOpen);
                    }}
                    className="w-6 h-6 shrink-0 grid place-items-center rounded hover:bg-brand-100"
                  >
                    <svg
                      viewBox="0 0 12 12"
                      className={`w-3 h-3 text-ink-soft ${isOpen ? "rotate-90" : ""}`}
                      fill="none"
                      stroke="currentColor"
                      aria-hidden="true"
                    >
                      <path d="M4.5 2.5L8 6 4.5 9.5" strokeWidth="1.6" />
                    </svg>
                  </span>
                )
                : <span className="w-6 shrink-0" />}
              <span
                aria-hidden="true"
                className={`w-4 h-4 mx-1.5 shrink-0 grid place-items-center rounded border ${
                  state === "none" ? "border-line-strong bg-white" : "border-brand-600 bg-brand-600"
                }`}
              >
                <svg
                  viewBox="0 0 12 12"
                  className="w-3 h-3 text-white"
                  fill="none"
                  stroke="currentColor"
                >
                  {state === "all" && <path d="M2.5 6.2L5 8.7l4.5-5" strokeWidth="1.8" />}
                  {state === "some" && <path d="M3 6h6" strokeWidth="1.8" />}
                </svg>
              </span>
              <span className={`truncate ${node.children ? "font-medium text-ink" : "text-ink"}`}>
                {name}
              </span>
            </li>
          );
        })}
        {rows.length === 0 && (
          <li role="none" className="p-3 text-ink-soft">
            {t("noPart")}
          </li>
        )}
      </ul>
    </div>
  );
}
