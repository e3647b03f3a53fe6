import type { ReadonlySignal, Signal } from "@preact/signals-react";
import { useSignals } from "@preact/signals-react/runtime";
import { useCallback, useMemo, useState } from "react";
import type { RegionGroup } from "@/model/regions/regions.ts";
import { OUTLINE_COLOUR, regionColour } from "@/viewer/colours.ts";
import type { OutlineState } from "@/viewer/session/overlays.ts";
import type {
  Aggregate,
  NormReason,
  RegionData,
  ThicknessData,
} from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerRegionsText as texts } from "@/model/text/viewer/viewer_regions.ts";
import { symbolOf } from "@/model/norms/bands.ts";
import { formatRank } from "@/model/norms/rank_format.ts";
import {
  bandText,
  type PercentileBasis,
  percentileText,
  regionName,
} from "@/viewer/session/region_facts.ts";
import {
  contralateral,
  filterLobes,
  hemisphereThickness,
  type LobeRow,
  markOf,
  type PartRow,
  prioritised,
  type RegionOrder,
  thicknessLobes,
  treeRows,
  volumeLobes,
} from "@/viewer/panels/region_tree.ts";
import { asymmetryDigits, type RegionActions } from "@/viewer/panels/region_lines.tsx";
import { RegionTree } from "@/viewer/panels/RegionTree.tsx";

/** Signals that the list reads and writes. */
export interface RegionControls extends RegionActions {
  basis: Signal<PercentileBasis>;
  /** Percentile 0..20 of the mask threshold. */
  threshold: ReadonlySignal<number>;
  outline: ReadonlySignal<OutlineState>;
  /** Percentiles at which marks begin, ascending, as in the reader's reports. */
  readonly thresholds: readonly number[];
  /** whether percentiles with the intracranial volume are available */
  readonly hasIcvRanks: boolean;
  setAllHidden(isHidden: boolean): void;
}

interface PanelProps {
  aggregates: readonly Aggregate[];
  normReason: NormReason | null;
  /** intracranial volume, mL */
  icvMl: number | null;
  /** quality warnings of the segmentation, in `language` */
  qualityNote: string | null;
  controls: RegionControls;
  /** priority parts, which are listed first */
  priority?: ReadonlySet<string>;
  language: Language;
}

const NONE_FIRST: ReadonlySet<string> = new Set();
const FIELD =
  "h-7 min-w-0 bg-gray-800 border border-gray-500 rounded px-1 text-xs text-gray-100 outline-none focus-visible:ring-2 ring-cyan-400";
const BUTTON =
  "h-7 px-2 rounded border border-gray-700 text-xs text-gray-200 whitespace-nowrap outline-none hover:bg-gray-800 focus-visible:ring-2 ring-cyan-400 disabled:opacity-40";

const REASONS = {
  quality: texts.reasonQuality,
  age_outside_norms: texts.reasonAge,
  age_unknown: texts.reasonAgeUnknown,
  sex_unknown: texts.reasonSexUnknown,
  scanner_stopped: texts.reasonStopped,
} as const;

const colourOfPart = (part: PartRow): string => regionColour(part.labels[0]);

/** Volumes of all regions by lobe, with the state of the mask. */
export function RegionPanel(
  { results, ...shared }: PanelProps & { results: readonly RegionData[] },
) {
  useSignals();
  const { aggregates, controls } = shared, basis = controls.basis.value;
  const lobes = useMemo(() => volumeLobes(results, aggregates, basis), [
    results,
    aggregates,
    basis,
  ]);
  return <Panel unit="Ml" lobes={lobes} colourOf={colourOfPart} {...shared} />;
}

interface ThicknessProps extends PanelProps {
  results: readonly ThicknessData[];
  /** Overlay colour of a thickness in mm. */
  colourOfMm: (mm: number) => string;
}

/** Thickness of the cortical regions by lobe. */
export function ThicknessPanel({ results, colourOfMm, ...shared }: ThicknessProps) {
  const lobes = useMemo(() => thicknessLobes(results, shared.aggregates), [
    results,
    shared.aggregates,
  ]);
  const colourOf = useCallback(
    (part: PartRow) => part.total === null ? "rgb(75,85,99)" : colourOfMm(part.total),
    [colourOfMm],
  );
  if (results.length === 0) {
    return (
      <p className="p-4 text-sm text-gray-300">{textIn(texts.noThickness, shared.language)}</p>
    );
  }
  return <Panel unit="Mm" lobes={lobes} colourOf={colourOf} {...shared} />;
}

interface ListProps extends PanelProps {
  unit: "Ml" | "Mm";
  lobes: readonly LobeRow[];
  colourOf: (part: PartRow) => string;
}

function Panel(
  {
    unit,
    lobes: given,
    colourOf,
    aggregates,
    normReason,
    icvMl,
    qualityNote,
    controls,
    priority = NONE_FIRST,
    language,
  }: ListProps,
) {
  useSignals();
  const lobes = useMemo(() => prioritised(given, priority), [given, priority]);
  const [search, setSearch] = useState(""), [order, setOrder] = useState<RegionOrder>("lobe");
  const [isLowOnly, setLowOnly] = useState(false),
    [closed, setClosed] = useState<ReadonlySet<RegionGroup>>(new Set());
  const onOpen = useCallback((group: RegionGroup, isOpen: boolean) =>
    setClosed((before) => {
      const nextClosed = new Set(before);
      if (isOpen) nextClosed.delete(group);
      else nextClosed.add(group);
      return nextClosed;
    }), []);
  const actions = useMemo(() => withSolo(controls), [controls]);
  const t = (key: keyof typeof texts, values?: Record<string, string | number>) =>
    textIn(texts[key], language, values);
  const threshold = controls.threshold.value, isVolume = unit === "Ml", { thresholds } = controls;
  const matchingLobes = useMemo(
    () => filterLobes(lobes, search, isLowOnly ? threshold : null),
    [lobes, search, isLowOnly, threshold],
  );
  // a search expands the groups of its results
  const rows = useMemo(
    () => treeRows(matchingLobes, order, search.trim() ? new Set() : closed, !isVolume),
    [matchingLobes, order, closed, search, isVolume],
  );
  const sides = isVolume ? null : hemisphereThickness(aggregates);
  return (
    <section
      aria-label={t(isVolume ? "volumes" : "thickness")}
      className="flex flex-col min-h-0 h-full bg-gray-900 text-gray-200"
    >
      <div className="flex flex-col gap-1.5 px-2 py-2 border-b border-gray-700 shrink-0">
        <input
          type="search"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          placeholder={t("search")}
          aria-label={t("search")}
          className={`${FIELD} w-full px-2 placeholder-gray-400`}
        />
        <div className="flex gap-1.5">
          <select
            value={order}
            onChange={(event) => setOrder(event.currentTarget.value as RegionOrder)}
            aria-label={t("sort")}
            title={t("sort")}
            className={`${FIELD} flex-1`}
          >
            <option value="lobe">{t("byLobe")}</option>
            <option value="value">{t(isVolume ? "byValue" : "byThinnest")}</option>
            <option value="percentile">{t("byPercentile")}</option>
            <option value="asymmetry">{t("byAsymmetry")}</option>
          </select>
          {isVolume && (
            <select
              value={controls.basis.value}
              onChange={(event) =>
                controls.basis.value = event.currentTarget.value === "icv" ? "icv" : "region"}
              aria-label={t("basis")}
              title={t("basis")}
              className={`${FIELD} w-[112px]`}
            >
              <option value="region">{t("basisRegion")}</option>
              <option value="icv" disabled={!controls.hasIcvRanks}>{t("basisIcv")}</option>
            </select>
          )}
        </div>
        <div className="flex items-center gap-1.5">
          <label
            className="flex flex-1 items-center gap-1.5 text-xs text-gray-200"
            title={t("lowOnlyHint", { high: 100 - threshold })}
          >
            <input
              type="checkbox"
              checked={isLowOnly}
              disabled={normReason !== null}
              onChange={(event) => setLowOnly(event.currentTarget.checked)}
              className="accent-cyan-500"
            />
            {t("lowOnly", { n: threshold })}
          </label>
          {isVolume && (
            <>
              <button type="button" className={BUTTON} onClick={() => controls.setAllHidden(false)}>
                {t("showAll")}
              </button>
              <button type="button" className={BUTTON} onClick={() => controls.setAllHidden(true)}>
                {t("hideAll")}
              </button>
            </>
          )}
        </div>
        {isVolume && controls.basis.value === "icv" && icvMl !== null && (
          <IcvVolume ml={icvMl} outline={controls.outline} language={language} />
        )}
        {qualityNote && <p role="note" className="text-xs text-yellow-300">⚠ {qualityNote}</p>}
        {normReason && !(normReason === "quality" && qualityNote) && (
          <p role="note" className="text-xs text-yellow-300">
            {t("noPercentiles", { reason: textIn(REASONS[normReason], language) })}
          </p>
        )}
        {sides && (
          <p className="text-xs text-gray-200 tabular-nums">
            {(["left", "right"] as const).map((side) => {
              const { value, rank } = sides[side];
              const printed = rank
                ? ` (${
                  [markOf(37, rank, thresholds), formatRank(rank, language)].join(" ").trim()
                })`
                : "";
              return t(side, { value: `${value?.toFixed(2) ?? "–"}\u00a0mm${printed}` });
            }).join(" · ")}
          </p>
        )}
      </div>
      <div
        aria-hidden="true"
        className="flex items-center gap-2 h-6 pl-6 pr-2 text-[11px] text-gray-300 bg-gray-800 border-b border-gray-700 shrink-0"
      >
        {(["leftShort", "rightShort"] as const).map((side) => (
          <span key={side} className="flex flex-1 min-w-0 pl-1">
            <span className="w-3 shrink-0">{t(side)}</span>
            <span className="w-[42px] shrink-0 text-right">{isVolume ? "mL" : "mm"}</span>
            <span className="flex-1 text-right truncate">{t("percentile")}</span>
          </span>
        ))}
      </div>
      {rows.length > 0
        ? (
          <RegionTree
            rows={rows}
            unit={unit}
            thresholds={thresholds}
            canHide={isVolume}
            colourOf={colourOf}
            actions={actions}
            onOpen={onOpen}
            language={language}
          />
        )
        : <p className="flex-1 p-4 text-sm text-gray-300">{t("noMatch")}</p>}
      <SelectedRegion
        lobes={lobes}
        unit={unit}
        controls={controls}
        normReason={normReason}
        language={language}
      />
      <p
        className="px-2 py-1 border-t border-gray-800 text-[11px] text-gray-300 shrink-0"
        title={t("legendHint") + (isVolume ? t("inversion") : "")}
      >
        <span className="block truncate">
          {t(isVolume ? "legend" : "legendTissue", {
            tissue: signsOf(thresholds, false),
            fluid: signsOf(thresholds, true),
          })}
        </span>
        <span className="block truncate">
          {`${t("basis")}: ${
            t(isVolume && controls.basis.value === "icv" ? "basisIcv" : "basisRegion")
          }`}
        </span>
      </p>
    </section>
  );
}

/** Legend of the marks: "▼<5 ▽<25", for fluid "▲>95 △>75". */
const signsOf = (thresholds: readonly number[], isFluid: boolean): string =>
  thresholds.map((threshold, n) =>
    `${symbolOf(thresholds.length - n, thresholds, isFluid)}${
      isFluid ? `>${100 - threshold}` : `<${threshold}`
    }`
  ).join(" ");

/**
 * The intracranial volume with the colour of its outline; a symbol where no outline can be drawn.
 */
function IcvVolume(
  { ml, outline, language }: {
    ml: number;
    outline: ReadonlySignal<OutlineState>;
    language: Language;
  },
) {
  useSignals();
  const state = outline.value;
  const missing = state === "absent"
    ? texts.outlineAbsent
    : state === "failed"
    ? texts.outlineFailed
    : null;
  return (
    <p
      data-testid="icv-volume"
      title={textIn(missing ?? texts.icvVolumeHint, language)}
      className={`flex items-center gap-1.5 text-xs whitespace-nowrap tabular-nums ${
        missing ? "text-amber-200" : "text-gray-200"
      }`}
    >
      {missing ? "⚠" : (
        <svg viewBox="0 0 12 12" className="w-3 h-3 shrink-0" aria-hidden="true">
          <circle cx="6" cy="6" r="4.5" fill="none" stroke={OUTLINE_COLOUR} strokeWidth="2" />
        </svg>
      )}
      {textIn(texts.icvVolume, language, { volume: ml.toFixed(2) })}
      {missing && <span className="sr-only">{textIn(missing, language)}</span>}
    </p>
  );
}

/** Shows only the selected region; a second click shows all again. */
function withSolo(controls: RegionControls): RegionActions {
  return {
    hidden: controls.hidden,
    selected: controls.selected,
    setHidden: (labels, isHidden) => controls.setHidden(labels, isHidden),
    goTo: (label) => controls.goTo(label),
    solo(labels) {
      const hidden = controls.hidden.peek(),
        isAlone = hidden.size === 104 - labels.length &&
          labels.every((label) => !hidden.has(label));
      if (isAlone) controls.setAllHidden(false);
      else controls.solo(labels);
    },
  };
}

/** Values of the selected region, and a button that selects the opposite hemisphere. */
function SelectedRegion(
  { lobes, unit, controls, normReason, language }:
    & Pick<ListProps, "lobes" | "unit" | "normReason" | "language">
    & {
      controls: RegionControls;
    },
) {
  useSignals();
  const label = controls.selected.value, { thresholds } = controls;
  const part = lobes.flatMap(({ parts }) => parts).find(({ sides }) =>
    sides.some((side) => side.label === label)
  );
  const side = part?.sides.find((each) => each.label === label), other = contralateral(label);
  // for a pair, the value of the selected side, like the volume next to it
  const icvPercent = part?.sidesIcvPercent
    ? part.sidesIcvPercent[part.sides.indexOf(side!)] ?? null
    : part?.icvPercent ?? null;
  const t = (key: keyof typeof texts, values?: Record<string, string>) =>
    textIn(texts[key], language, values);
  return (
    <div
      data-testid="selected-region"
      className="flex items-center gap-2 min-h-[76px] px-2 py-1.5 border-t border-gray-700 bg-gray-800 shrink-0"
    >
      {part && side
        ? (
          <>
            <div className="flex-1 min-w-0">
              <p className="text-[13px] font-semibold text-white truncate">
                {regionName(label, language)}
              </p>
              <p className="text-xs text-gray-200">
                {[
                  t(`value${unit}`, { value: side.value?.toFixed(2) ?? "–" }),
                  `${markOf(label, side.rank, thresholds)} ${
                    percentileText(
                      label,
                      side.rank,
                      normReason,
                      language,
                      unit === "Ml" ? controls.basis.value : undefined,
                    )
                  }`.trim(),
                ].join(" · ")}
              </p>
              <p className="text-[11px] text-gray-300" title={t("asymmetryHint")}>
                {[
                  icvPercent === null ? "" : t("icvShare", { value: icvPercent.toFixed(2) }),
                  part.asymmetry === null
                    ? ""
                    : t("asymmetryShort", { value: asymmetryDigits(part.asymmetry) }),
                  bandText(label, side.rank, thresholds, language),
                ].filter(Boolean).join(" · ")}
              </p>
            </div>
            {other > 0 && (
              <button
                type="button"
                className={BUTTON}
                title={t("otherSideHint")}
                onClick={() => controls.goTo(other)}
              >
                {t("otherSide")}
              </button>
            )}
          </>
        )
        : <p className="text-xs text-gray-300">{t("noneSelected")}</p>}
    </div>
  );
}
