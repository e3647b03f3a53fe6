import type { ReadonlySignal } from "@preact/signals-react";
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
import { rankText } from "@/model/text/ranks.ts";
import { viewerRegionsText as texts } from "@/model/text/viewer/viewer_regions.ts";
import { symbolOf } from "@/model/norms/bands.ts";
import { formatRank } from "@/model/norms/rank_format.ts";
import {
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
import type { RegionActions } from "@/viewer/panels/region_lines.tsx";
import { RegionTree } from "@/viewer/panels/RegionTree.tsx";
import type { RegionControls } from "@/viewer/panels/regions/region_controls.ts";
import { RegionFilter } from "@/viewer/panels/regions/RegionFilter.tsx";
import { SelectedRegion } from "@/viewer/panels/regions/SelectedRegion.tsx";

interface PanelProps {
  aggregates: readonly Aggregate[];
  normReason: NormReason | null;
  /** intracranial volume of the study, mL */
  icvMl: number | null;
  /** quality warnings of the segmentation, in `language` */
  qualityNote: string | null;
  /** statement that the scanner is not accepted for percentiles, in `language` */
  provisionalNote?: string | undefined;
  controls: RegionControls;
  /** priority parts of the brain (D1 §2), which are listed first */
  priority?: ReadonlySet<string>;
  language: Language;
}

const NONE_FIRST: ReadonlySet<string> = new Set();
const REASONS = {
  quality: texts.reasonQuality,
  age_outside_norms: texts.reasonAge,
  age_unknown: texts.reasonAgeUnknown,
  sex_unknown: texts.reasonSexUnknown,
  scanner_stopped: texts.reasonStopped,
  scanner_unread: texts.reasonUnread,
  scanner_refused: texts.reasonRefused,
} as const;

const colourOfPart = (part: PartRow): string => regionColour(part.labels[0]);

/** Panel that lists the volumes of all regions by lobe. */
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
  /** Colour in which the overlay shows a thickness in mm. */
  colourOfMm: (mm: number) => string;
}

/** Panel that lists the thickness of the cortical regions by lobe. */
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

/** State of the list: search words, sort order and expanded groups. */
function useRegionFilter() {
  const [search, setSearch] = useState(""), [order, setOrder] = useState<RegionOrder>("lobe");
  const [isLowOnly, setLowOnly] = useState(false),
    [closed, setClosed] = useState<ReadonlySet<RegionGroup>>(new Set());
  const open = useCallback((group: RegionGroup, isOpen: boolean) =>
    setClosed((before) => {
      const nextClosed = new Set(before);
      if (isOpen) nextClosed.delete(group);
      else nextClosed.add(group);
      return nextClosed;
    }), []);
  return { search, setSearch, order, setOrder, isLowOnly, setLowOnly, closed, open };
}

function Panel(props: ListProps) {
  useSignals();
  const { unit, lobes: given, colourOf, controls, priority = NONE_FIRST, language } = props;
  const lobes = useMemo(() => prioritised(given, priority), [given, priority]);
  const filter = useRegionFilter(), { search, order, isLowOnly, closed } = filter;
  const actions = useMemo(() => withSolo(controls), [controls]);
  const threshold = controls.threshold.value, isVolume = unit === "Ml", { thresholds } = controls;
  const matchingLobes = useMemo(
    () => filterLobes(lobes, search, isLowOnly ? threshold : null),
    [lobes, search, isLowOnly, threshold],
  );
  // a search expands every lobe that contains a match
  const rows = useMemo(
    () => treeRows(matchingLobes, order, search.trim() ? new Set() : closed, !isVolume),
    [matchingLobes, order, closed, search, isVolume],
  );
  return (
    <section
      aria-label={textIn(isVolume ? texts.volumes : texts.thickness, language)}
      className="flex flex-col min-h-0 h-full bg-gray-900 text-gray-200"
    >
      <div className="flex flex-col gap-1.5 px-2 py-2 border-b border-gray-700 shrink-0">
        <RegionFilter
          filter={filter}
          isVolume={isVolume}
          hasPercentiles={props.normReason === null}
          controls={controls}
          language={language}
        />
        <PanelNotes {...props} />
      </div>
      <ColumnHeads isVolume={isVolume} language={language} />
      {rows.length > 0
        ? (
          <RegionTree
            rows={rows}
            unit={unit}
            thresholds={thresholds}
            canHide={isVolume}
            colourOf={colourOf}
            actions={actions}
            onOpen={filter.open}
            language={language}
          />
        )
        : <p className="flex-1 p-4 text-sm text-gray-300">{textIn(texts.noMatch, language)}</p>}
      <SelectedRegion
        lobes={lobes}
        unit={unit}
        controls={controls}
        normReason={props.normReason}
        language={language}
      />
      <Legend isVolume={isVolume} controls={controls} language={language} />
    </section>
  );
}

/** Intracranial volume or mean thickness of the hemispheres, and limitations of the results. */
function PanelNotes(
  { unit, controls, aggregates, icvMl, qualityNote, provisionalNote, normReason, language }:
    ListProps,
) {
  useSignals();
  const isVolume = unit === "Ml";
  return (
    <>
      {isVolume && controls.basis.value === "icv" && icvMl !== null && (
        <IcvVolume ml={icvMl} outline={controls.outline} language={language} />
      )}
      {qualityNote && <p role="note" className="text-xs text-yellow-300">⚠ {qualityNote}</p>}
      {normReason && !(normReason === "quality" && qualityNote) && (
        <p role="note" className="text-xs text-yellow-300">
          {textIn(texts.noPercentiles, language, { reason: textIn(REASONS[normReason], language) })}
        </p>
      )}
      {provisionalNote && <p role="note" className="text-xs text-gray-400">{provisionalNote}</p>}
      {!isVolume && (
        <HemisphereThickness
          aggregates={aggregates}
          thresholds={controls.thresholds}
          language={language}
        />
      )}
    </>
  );
}

function HemisphereThickness(
  { aggregates, thresholds, language }: Pick<ListProps, "aggregates" | "language"> & {
    thresholds: readonly number[];
  },
) {
  const sides = hemisphereThickness(aggregates);
  const isWithheld = sides &&
    [sides.left, sides.right].some(({ rank }) => rank?.has_bands === false);
  return sides && (
    <p
      title={isWithheld ? textIn(rankText.withheld, language) : undefined}
      className="text-xs text-gray-200 tabular-nums"
    >
      {(["left", "right"] as const).map((side) => {
        const { value, rank } = sides[side];
        const printed = rank
          ? ` (${[markOf(37, rank, thresholds), formatRank(rank, language)].join(" ").trim()})`
          : "";
        return textIn(texts[side], language, {
          value: `${value?.toFixed(2) ?? "–"}\u00a0mm${printed}`,
        });
      }).join(" · ")}
    </p>
  );
}

interface VolumeOrThickness {
  isVolume: boolean;
  language: Language;
}

/** Column heads of the list; a screen reader reads the side with each value instead. */
function ColumnHeads({ isVolume, language }: VolumeOrThickness) {
  return (
    <div
      aria-hidden="true"
      className="flex items-center gap-2 h-6 pl-6 pr-2 text-[11px] text-gray-300 bg-gray-800 border-b border-gray-700 shrink-0"
    >
      {(["leftShort", "rightShort"] as const).map((side) => (
        <span key={side} className="flex flex-1 min-w-0 pl-1">
          <span className="w-3 shrink-0">{textIn(texts[side], language)}</span>
          <span className="w-[42px] shrink-0 text-right">{isVolume ? "mL" : "mm"}</span>
          <span className="flex-1 text-right truncate">{textIn(texts.percentile, language)}</span>
        </span>
      ))}
    </div>
  );
}

/** Explains the percentile marks, and by which volume the percentiles are adjusted. */
function Legend(
  { isVolume, controls, language }: VolumeOrThickness & { controls: RegionControls },
) {
  useSignals();
  const t = (key: keyof typeof texts, values?: Record<string, string>) =>
    textIn(texts[key], language, values);
  const { thresholds } = controls;
  const basis = isVolume && controls.basis.value === "icv" ? "basisIcv" : "basisRegion";
  return (
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
      <span className="block truncate">{`${t("basis")}: ${t(basis)}`}</span>
    </p>
  );
}

/** Legend of the marks by percentile: "▼<5 ▽<25", for fluid "▲>95 △>75". */
const signsOf = (thresholds: readonly number[], isFluid: boolean): string =>
  thresholds.map((threshold, n) =>
    `${symbolOf(thresholds.length - n, thresholds, isFluid)}${
      isFluid ? `>${100 - threshold}` : `<${threshold}`
    }`
  ).join(" ");

/** Row of the intracranial volume, in the outline's colour; a symbol if no outline can be drawn. */
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

/** Shows only the selected region; a second click shows all regions again. */
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
