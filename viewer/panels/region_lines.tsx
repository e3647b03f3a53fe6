// Components for the rows of the region list.
import type { Signal } from "@preact/signals-react";
import { memo } from "react";
import { asymmetryDigits } from "@/model/regions/asymmetry.ts";
import type { RegionGroup } from "@/model/regions/regions.ts";
import { type Language, textIn } from "@/model/text.ts";
import { partName } from "@/model/text/regions.ts";
import { viewerRegionsText as texts } from "@/model/text/viewer/viewer_regions.ts";
import { intervalDigits, intervalText, percentileDigits } from "@/model/norms/rank_format.ts";
import { bandKindOf, bandText, percentileText, regionName } from "@/viewer/session/region_facts.ts";
import {
  type Figure,
  groupName,
  type LobeRow,
  markOf,
  type PartRow,
  type SideFigure,
} from "@/viewer/panels/region_tree.ts";

/** Handlers of clicks and keys in the tree. */
export interface RegionActions {
  hidden: Signal<ReadonlySet<number>>;
  selected: Signal<number>;
  setHidden(labels: readonly number[], isHidden: boolean): void;
  /** Shows only the given labels, or all labels if only the given ones are visible. */
  solo(labels: readonly number[]): void;
  goTo(label: number): boolean;
}

/** CSS class names for a percentile, by how abnormal the percentile is. */
const BAND = {
  low: "text-red-300 font-semibold",
  watch: "text-yellow-300",
  possible: "text-yellow-200",
  doubt: "text-yellow-300",
  unsure: "text-gray-300",
  usual: "text-gray-300",
  none: "text-gray-400",
} as const;

/** Asymmetry as text: "+3.2 %", "−11.0 %". */
export const asymmetryText = (percent: number): string => `${asymmetryDigits(percent)}\u00a0%`;

const digits = (value: number | null): string => value === null ? "–" : value.toFixed(2);

function sideText(
  side: SideFigure,
  { unit, thresholds, language }: Pick<RowProps, "unit" | "thresholds" | "language">,
): string {
  const value = textIn(texts[`value${unit}`], language, { value: digits(side.value) });
  const percentile = side.rank === null ? [] : [
    percentileText(side.label, side.rank, null, language),
    bandText(side.label, side.rank, thresholds, language),
  ];
  return [regionName(side.label, language), value, ...percentile].filter(Boolean).join(", ");
}

/** Value of the attribute `aria-checked`. */
type Check = "true" | "false" | "mixed";

/** Whether all, none or some of the labels are visible. */
export function checkOf(labels: readonly number[], hidden: ReadonlySet<number>): Check {
  const count = labels.filter((label) => hidden.has(label)).length;
  return count === 0 ? "true" : count === labels.length ? "false" : "mixed";
}

const CHECK_PATHS: Record<Check, string> = {
  true: "M3 6.5l2.2 2.2L9.5 3.5",
  false: "",
  mixed: "M3 6h6",
};

/** A decorative check box: the row exposes the state, and the space key toggles the state. */
const CheckBox = (
  { state, hint, onClick }: { state: Check; hint: string; onClick: () => void },
) => (
  <span
    aria-hidden="true"
    title={hint}
    data-check
    onClick={(event) => {
      event.stopPropagation();
      onClick();
    }}
    className="shrink-0 py-1 pr-1.5 cursor-pointer"
  >
    <svg viewBox="0 0 12 12" className="block w-3.5 h-3.5">
      <rect
        x="0.5"
        y="0.5"
        width="11"
        height="11"
        rx="2"
        className={state === "false"
          ? "fill-gray-800 stroke-gray-500"
          : "fill-cyan-700 stroke-cyan-500"}
      />
      <path d={CHECK_PATHS[state]} fill="none" strokeWidth="1.6" className="stroke-white" />
    </svg>
  </span>
);

/**
 * Value with percentile, abnormality mark and 80 % interval: "3.61 ▼ 4 1–12".
 * The mark is a shape, so that it does not depend on colour.
 */
function Numbers(
  { figure, label, thresholds, language }:
    & { figure: Figure; label: number }
    & Pick<RowProps, "thresholds" | "language">,
) {
  const { value, rank } = figure;
  const words = rank
    ? [intervalText(rank, language), bandText(label, rank, thresholds, language)].filter(Boolean)
      .join(", ")
    : undefined;
  return (
    <>
      {/* narrower if a double mark and its interval need the width, so that neither is cut off */}
      <span className="w-[42px] text-right text-gray-100">{digits(value)}</span>
      <span
        className="flex flex-1 items-baseline justify-end gap-1 whitespace-nowrap"
        title={words}
      >
        {rank?.has_bands && (
          <span className={BAND[bandKindOf(rank, thresholds)]}>
            {`${markOf(label, rank, thresholds)} ${percentileDigits(rank.percentile)}`.trim()}
          </span>
        )}
        {rank && <span className="text-[10px] text-gray-400">{intervalDigits(rank, language)}
        </span>}
      </span>
    </>
  );
}

/** Props that the components of all rows share. */
export interface RowProps {
  unit: "Ml" | "Mm";
  /** Percentiles at which marks begin, ascending. */
  thresholds: readonly number[];
  /** Whether regions can be hidden, which requires an overlay drawn by region. */
  canHide: boolean;
  colourOf: (part: PartRow) => string;
  actions: RegionActions;
  language: Language;
}

/** Expands or collapses a lobe. */
export type OnOpen = (group: RegionGroup, isOpen: boolean) => void;

interface LineProps extends RowProps {
  id: string;
  /** index of the focused side if this row has the focus, otherwise −1 */
  focused: number;
  /** position among the rows of the same level, and the number of these rows */
  nth: number;
  count: number;
}

const RING = "ring-2 ring-inset ring-cyan-400";

/** Row of a lobe: sum, values of both sides, and visibility of the lobe's regions. */
export const LobeLine = memo(function LobeLine(
  {
    id,
    lobe,
    isOpen,
    focused,
    check,
    unit,
    thresholds,
    canHide,
    actions,
    onOpen,
    language,
    nth,
    count,
  }:
    & Omit<LineProps, "colourOf">
    & { lobe: LobeRow; isOpen: boolean; check: Check; onOpen: OnOpen },
) {
  const name = groupName(lobe.group, language),
    first = lobe.labels[0]!,
    shown = { thresholds, language };
  const figures = (["left", "right"] as const).filter((side) => lobe[side].value !== null);
  const said = figures.map((side) =>
    textIn(texts[side], language, { value: digits(lobe[side].value) })
  );
  const total = textIn(texts[`value${unit}`], language, { value: digits(lobe.total) });
  return (
    <div
      role="treeitem"
      id={`${id}-0`}
      aria-level={1}
      aria-expanded={isOpen}
      aria-selected={false}
      aria-checked={canHide ? check : undefined}
      aria-posinset={nth}
      aria-setsize={count}
      onClick={() => onOpen(lobe.group, !isOpen)}
      className={`region-row${
        figures.length === 2 ? "" : "-short"
      } px-2 py-0.5 bg-gray-800 border-b border-gray-700 cursor-pointer hover:bg-gray-700 ${
        focused === 0 ? RING : ""
      }`}
    >
      <span className="sr-only">{[name, total, ...said].join(", ")}</span>
      <div aria-hidden="true" className="flex items-center h-6">
        <svg viewBox="0 0 12 12" className="w-3 h-3 mr-1 shrink-0 text-gray-300">
          <path
            d={isOpen ? "M2 4l4 4 4-4" : "M4 2l4 4-4 4"}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.6"
          />
        </svg>
        {canHide && (
          <CheckBox
            state={check}
            hint={textIn(texts.toggleHint, language, { region: name })}
            onClick={() => actions.setHidden(lobe.labels, check === "true")}
          />
        )}
        <span className="flex-1 text-[13px] font-semibold text-gray-100 truncate">{name}</span>
        <span className="text-xs tabular-nums text-gray-200">
          <span className="text-gray-400 mr-1">
            {textIn(texts[unit === "Ml" ? "bothShort" : "meanShort"], language)}
          </span>
          {digits(lobe.total)}
        </span>
      </div>
      {figures.length === 2 && (
        <div aria-hidden="true" className="flex items-center gap-2 h-5 pl-4 text-xs tabular-nums">
          {figures.map((side) => (
            <span key={side} className="flex flex-1 min-w-0 pl-1">
              <span className="w-3 shrink-0 text-gray-400">
                {textIn(texts[`${side}Short`], language)}
              </span>
              <Numbers figure={lobe[side]} label={first} {...shown} />
            </span>
          ))}
        </div>
      )}
    </div>
  );
});

/** Row of a region: focusable values of each side, and a pair's asymmetry. */
export const PartLine = memo(function PartLine(
  {
    id,
    part,
    focused,
    check,
    selectedLabel,
    unit,
    thresholds,
    canHide,
    colourOf,
    actions,
    language,
    level,
    nth,
    count,
  }:
    & LineProps
    & { part: PartRow; check: Check; selectedLabel: number; level: number },
) {
  const name = partName(part.part, language), isPair = part.sides.length === 2;
  const textOptions = { thresholds, language };
  const isSelected = (part.labels as readonly number[]).includes(selectedLabel);
  const go = () => void part.labels.some((label) => actions.goTo(label));
  const said = isPair
    ? [name, textIn(texts[`value${unit}`], language, { value: digits(part.total) })].join(", ")
    : sideText(part.sides[0]!, { unit, ...textOptions });
  const asymmetry = part.asymmetry === null
    ? ""
    : textIn(texts.asymmetryShort, language, { value: asymmetryText(part.asymmetry) });
  return (
    <div
      role="none"
      className={`region-row${isPair ? "" : "-short"} group px-2 py-0.5 border-b border-gray-800 ${
        isSelected ? "bg-gray-800" : "hover:bg-gray-800"
      }`}
    >
      <div
        role="treeitem"
        id={`${id}-0`}
        aria-level={level}
        aria-expanded={isPair ? true : undefined}
        aria-selected={isSelected}
        aria-checked={canHide ? check : undefined}
        aria-posinset={nth}
        aria-setsize={count}
        onClick={go}
        className={`flex items-center h-6 pl-4 cursor-pointer rounded ${focused === 0 ? RING : ""}`}
      >
        <span className="sr-only">{asymmetry ? `${said}, ${asymmetry}` : said}</span>
        {canHide && (
          <CheckBox
            state={check}
            hint={textIn(texts.toggleHint, language, { region: name })}
            onClick={() => actions.setHidden(part.labels, check === "true")}
          />
        )}
        <svg viewBox="0 0 12 12" className="w-3 h-3 mr-1.5 shrink-0" aria-hidden="true">
          <rect width="12" height="12" rx="2" fill={colourOf(part)} />
        </svg>
        <span
          aria-hidden="true"
          className={`flex-1 text-[13px] truncate ${
            check === "false" ? "text-gray-400" : "text-gray-100"
          }`}
        >
          {name}
        </span>
        {canHide && (
          <button
            type="button"
            tabIndex={-1}
            aria-hidden="true"
            title={textIn(texts.soloHint, language, { region: name })}
            onClick={(event) => {
              event.stopPropagation();
              actions.solo(part.labels);
            }}
            className="px-1.5 text-[11px] rounded border border-gray-600 text-gray-200 hidden group-hover:block hover:bg-gray-700"
          >
            {textIn(texts.solo, language)}
          </button>
        )}
        {asymmetry && (
          <span
            aria-hidden="true"
            className="pl-1 text-[11px] text-gray-400 tabular-nums whitespace-nowrap"
            title={textIn(texts.asymmetryHint, language)}
          >
            {asymmetryText(part.asymmetry!)}
          </span>
        )}
        {!isPair && (
          <span
            aria-hidden="true"
            // a row without a percentile has more space for the name,
            // because names within a lobe differ only at the end
            className={`flex text-xs tabular-nums ${part.sides[0]!.rank ? "w-[124px]" : ""}`}
          >
            <Numbers figure={part.sides[0]!} label={part.labels[0]} {...textOptions} />
          </span>
        )}
      </div>
      {isPair && (
        <div role="none" className="flex items-center gap-2 h-5 pl-4 text-xs tabular-nums">
          {part.sides.map((side, n) => (
            <div
              key={side.label}
              role="treeitem"
              id={`${id}-${n + 1}`}
              aria-level={level + 1}
              aria-posinset={n + 1}
              aria-setsize={2}
              aria-selected={side.label === selectedLabel}
              onClick={() => actions.goTo(side.label)}
              className={`flex flex-1 min-w-0 pl-1 rounded cursor-pointer hover:bg-gray-700 ${
                side.label === selectedLabel ? "bg-cyan-900" : ""
              } ${focused === n + 1 ? RING : ""}`}
            >
              <span className="sr-only">{sideText(side, { unit, ...textOptions })}</span>
              <span aria-hidden="true" className="flex flex-1 min-w-0">
                <span
                  className={`w-3 shrink-0 ${
                    side.label === selectedLabel ? "text-white" : "text-gray-400"
                  }`}
                >
                  {textIn(texts[n === 0 ? "leftShort" : "rightShort"], language)}
                </span>
                <Numbers figure={side} label={side.label} {...textOptions} />
              </span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
});
