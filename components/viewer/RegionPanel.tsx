import type { Signal } from "@preact/signals-react";
import { useSignals } from "@preact/signals-react/runtime";
import { useState } from "react";
import { type Part, PARTS, type RegionGroup, regionOf } from "@/model/regions.ts";
import type { NormReason, RegionData } from "@/model/schema/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { partName } from "@/model/text/regions.ts";
import { REGION_GROUP_TEXT, viewerText } from "@/model/text/viewer.ts";
import {
  bandOf,
  factsOf,
  type PercentileBasis,
  percentileDigits,
  percentileWords,
  regionName,
  totalOf,
} from "@/components/viewer/region_facts.ts";

/** The signals that the list reads and writes. */
export interface RegionControls {
  hidden: Signal<ReadonlySet<number>>;
  basis: Signal<PercentileBasis>;
  setHidden(labels: readonly number[], isHidden: boolean): void;
  setAllHidden(isHidden: boolean): void;
  goTo(label: number): boolean;
}

interface RegionPanelProps {
  results: readonly RegionData[];
  normReason: NormReason | null;
  controls: RegionControls;
  language: Language;
}

const GROUPS = [...new Set(PARTS.map((part) => part.group))].map((group) => ({
  group,
  parts: PARTS.filter((part) => part.group === group),
}));

const BAND = {
  low: "text-red-300 font-semibold",
  watch: "text-yellow-300",
  usual: "text-gray-200",
  none: "text-gray-400",
} as const;

const BUTTON = "px-2 py-1 rounded border border-gray-700 text-xs text-gray-200 hover:bg-gray-800";

/** Every region by group: colour, volumes, percentiles; a click goes there, the eye hides it. */
export function RegionPanel({ results, normReason, controls, language }: RegionPanelProps) {
  useSignals();
  const [search, setSearch] = useState("");
  const t = (key: keyof typeof viewerText) => textIn(viewerText[key], language);
  const words = search.trim().toLowerCase();
  const shown = GROUPS.map(({ group, parts }) => ({
    group,
    parts: parts.filter((part) =>
      part.part.toLowerCase().includes(words) || partName(part.part, language).includes(words) ||
      groupName(group, language).includes(words)
    ),
  })).filter(({ parts }) => parts.length > 0);
  return (
    <section aria-label={t("regions")} className="flex flex-col min-h-0 h-full bg-gray-900 text-gray-200">
      <div className="flex items-center gap-2 px-3 py-2 border-b border-gray-700 shrink-0">
        <input
          type="search"
          value={search}
          onChange={(event) =>
            setSearch(event.currentTarget.value)}
          placeholder={t("search")}
          aria-label={t("search")}
          className="flex-1 min-w-0 bg-gray-800 border border-gray-700 rounded px-2 py-1 text-sm text-gray-100 placeholder-gray-400"
        />
        <Basis basis={controls.basis} language={language} />
        <button
          type="button"
          className={BUTTON}
          onClick={() =>
            controls.setAllHidden(false)}
        >
          {t("showAll")}
        </button>
        <button type="button" className={BUTTON} onClick={() => controls.setAllHidden(true)}>
          {t("hideAll")}
        </button>
      </div>
      <div className="flex-1 min-h-0 overflow-y-auto" data-testid="region-list" tabIndex={0}>
        <table className="w-full text-sm border-collapse">
          <thead className="sticky top-0 bg-gray-900 text-xs text-gray-400 z-10">
            <tr>
              <th scope="col" className="w-8">
                <span className="sr-only">{t("hideRegion").replace("{region}", "")}</span>
              </th>
              <th scope="col" className="text-left font-normal py-1">{t("columnRegion")}</th>
              <SideHead side={t("columnLeft")} unit={t("columnMl")} percentile={t("columnPercentile")} />
              <SideHead side={t("columnRight")} unit={t("columnMl")} percentile={t("columnPercentile")} />
              <SideHead side={t("columnTotal")} unit={t("columnMl")} percentile={t("columnPercentile")} />
            </tr>
          </thead>
          {shown.map(({ group, parts }) => (
            <tbody key={group}>
              <tr className="bg-gray-800">
                <td className="pl-2">
                  <Eye
                    labels={parts.flatMap((p) => [...p.labels])}
                    name={groupName(group, language)}
                    controls={controls}
                    language={language}
                  />
                </td>
                <th
                  scope="rowgroup"
                  colSpan={7}
                  className="text-left text-xs font-semibold text-gray-300 py-1"
                >
                  {groupName(group, language)}
                </th>
              </tr>
              {parts.map((part) => (
                <Row
                  key={part.part}
                  part={part}
                  results={results}
                  normReason={normReason}
                  controls={controls}
                  language={language}
                />
              ))}
            </tbody>
          ))}
        </table>
        {shown.length === 0 && <p className="p-4 text-sm text-gray-400">{t("noMatch")}</p>}
      </div>
    </section>
  );
}

const groupName = (group: RegionGroup, language: Language) => textIn(REGION_GROUP_TEXT[group], language);

const SideHead = ({ side, unit, percentile }: { side: string; unit: string; percentile: string }) => (
  <>
    <th scope="col" className="text-right font-normal py-1 pl-2 pr-1 whitespace-nowrap">{side} {unit}</th>
    <th scope="col" className="text-right font-normal py-1 pl-2 pr-2 whitespace-nowrap">{percentile}</th>
  </>
);

function Basis({ basis, language }: { basis: Signal<PercentileBasis>; language: Language }) {
  useSignals();
  return (
    <label className="flex items-center gap-1 text-xs text-gray-300 whitespace-nowrap">
      {textIn(viewerText.percentileBasis, language)}
      <select
        value={basis.value}
        onChange={(event) => basis.value = event.currentTarget.value === "icv" ? "icv" : "region"}
        className="bg-gray-800 border border-gray-700 rounded px-1 py-1 text-xs text-gray-100"
      >
        <option value="region">{textIn(viewerText.basisRegion, language)}</option>
        <option value="icv">{textIn(viewerText.basisIcv, language)}</option>
      </select>
    </label>
  );
}

function Eye(
  { labels, name, controls, language }: {
    labels: readonly number[];
    name: string;
    controls: RegionControls;
    language: Language;
  },
) {
  useSignals();
  const isHidden = labels.every((label) => controls.hidden.value.has(label));
  const text = isHidden ? viewerText.showRegion : viewerText.hideRegion;
  return (
    <button
      type="button"
      aria-label={textIn(text, language, { region: name })}
      aria-pressed={isHidden}
      onClick={() => controls.setHidden(labels, !isHidden)}
      className={`p-1 rounded hover:bg-gray-700 ${isHidden ? "text-gray-500" : "text-gray-300"}`}
    >
      <svg viewBox="0 0 16 16" className="w-4 h-4" aria-hidden="true">
        <path d="M1 8c2-4 4.5-5 7-5s5 1 7 5c-2 4-4.500 5-7 5s-5-1-7-5z" fill="none" stroke="currentColor" />
        {isHidden
          ? <path d="M2 14L14 2" stroke="currentColor" />
          : <circle cx="8" cy="8" r="2.2" fill="currentColor" />}
      </svg>
    </button>
  );
}

/** Into the first of the labels that the label map has. */
const goToFirst = (controls: RegionControls, labels: readonly number[]) =>
  void labels.some((label) => controls.goTo(label));

interface RowProps extends RegionPanelProps {
  part: Part;
}

function Row({ part, results, normReason, controls, language }: RowProps) {
  const [first, second] = part.labels;
  const name = partName(part.part, language);
  const shared = { results, normReason, controls, language };
  const rgb = regionOf(first)?.rgb ?? [128, 128, 128];
  return (
    <tr className="border-b border-gray-800 hover:bg-gray-800">
      <td className="pl-2 w-8">
        <Eye labels={part.labels} name={name} controls={controls} language={language} />
      </td>
      <th scope="row" className="text-left font-normal max-w-0 w-full">
        <button
          type="button"
          title={textIn(viewerText.goToRegion, language, { region: name })}
          onClick={() => goToFirst(controls, part.labels)}
          className="flex items-center gap-2 py-0.5 w-full text-left text-gray-100 hover:text-white"
        >
          <svg viewBox="0 0 12 12" className="w-3 h-3 shrink-0" aria-hidden="true">
            <rect width="12" height="12" rx="2" fill={`rgb(${rgb.join(",")})`} />
          </svg>
          <span className="truncate">{name}</span>
        </button>
      </th>
      {second === undefined ? <td colSpan={4} /> : (
        <>
          <Figures label={first} {...shared} />
          <Figures label={second} {...shared} />
        </>
      )}
      <Figures label={first} isTotal {...shared} />
    </tr>
  );
}

/** Volume and percentile of one side, or of both sides together. */
function Figures(
  { label, isTotal = false, results, normReason, controls, language }: RegionPanelProps & {
    label: number;
    isTotal?: boolean;
  },
) {
  useSignals();
  const facts = (isTotal ? totalOf : factsOf)(label, results, controls.basis.value);
  const percentile = facts?.percentile ?? null;
  return (
    <>
      <td className="text-right tabular-nums whitespace-nowrap pl-2">
        <button
          type="button"
          title={textIn(viewerText.goToRegion, language, { region: regionName(label, language) })}
          onClick={() => controls.goTo(label)}
          className="px-1 rounded hover:bg-gray-700"
        >
          {facts?.volumeMl?.toFixed(2) ?? "–"}
        </button>
      </td>
      <td
        className={`text-right tabular-nums whitespace-nowrap pl-2 pr-2 ${BAND[bandOf(label, percentile)]}`}
        title={percentileWords(label, percentile, normReason, language)}
      >
        {percentile === null ? "–" : percentileDigits(percentile)}
      </td>
    </>
  );
}
