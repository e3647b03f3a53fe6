import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useId, useRef } from "react";
import { lesionKindOf, placeDigits } from "@/model/regions/lesion_kind.ts";
import { isUnsearched, type LesionPlace } from "@/model/regions/lesion_site.ts";
import type { WmhDetail } from "@/model/schema/studies/patients.ts";
import { lesionFigure } from "@/model/text/lesions/lesion_figure.ts";
import {
  lesionPlace,
  lesionSearchText,
  lesionSiteText,
} from "@/model/text/lesions/lesion_place.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerLesionsText as texts } from "@/model/text/viewer/viewer_lesions.ts";

/** A row of the list of lesions. */
export interface ListedLesion {
  volumeMl: number;
  deepMl: number;
  periMl: number;
  kind: "deep" | "periventricular";
  centreRasMm: readonly [number, number, number];
  nearLabel?: number;
  place?: LesionPlace;
}

/** lesion volumes of the study, mL; `null` if the analysis has not measured them */
interface LesionFigures {
  wm: number | null;
  wmh: number | null;
  deep_wmh: number | null;
  peri_wmh: number | null;
  wmh_detail: WmhDetail | null;
  quality_notes: { t2: string | null };
}

interface LesionPanelProps {
  figures: LesionFigures;
  /** lesions, largest first; `null` during the search */
  lesions: readonly ListedLesion[] | null;
  /** index of the last visited lesion; −1 for none */
  current: number;
  onGo: (index: number) => void;
  colours: Record<"deep" | "peri", string>;
  /** further measurements on the FLAIR, shown between the lesion volumes and the list */
  children?: ReactNode;
  language: Language;
}

/** Formats WMH as a percentage of white matter with 2 decimals, or a dash (D2 §5). */
export function ratioDigits({ wm, wmh, wmh_detail }: LesionFigures): string {
  const percent = wmh_detail?.ratio_percent ?? (wm && wmh !== null ? 100 * wmh / wm : null);
  return percent === null ? "–" : `${percent.toFixed(2)}\u00a0%`;
}

/**
 * Index of the next lesion by step ±1, cyclic; −1 without lesions.
 * Without a current lesion, the first or last lesion.
 */
export function stepLesion(current: number, step: 1 | -1, count: number): number {
  if (count === 0) return -1;
  if (current < 0) return step > 0 ? 0 : count - 1;
  return (current + step + count) % count;
}

const BUTTON =
  "h-7 px-2 rounded border border-gray-700 text-xs text-gray-200 whitespace-nowrap outline-none hover:bg-gray-800 focus-visible:ring-2 ring-cyan-400 disabled:opacity-40";

/** Lesion volumes of a study, and the list of lesions. */
export function LesionPanel(
  { figures, lesions, current, onGo, colours, children, language }: LesionPanelProps,
) {
  const t = (key: keyof typeof texts, values?: Record<string, string | number>) =>
    textIn(texts[key], language, values);
  const isUnreliable = figures.wmh_detail?.is_unreliable;
  const ml = (value: number | null) =>
    value === null
      ? "–"
      : lesionFigure(t("valueMl", { value: value.toFixed(2) }), isUnreliable, language);
  const { wmh_detail: detail, quality_notes: { t2: note } } = figures, count = lesions?.length ?? 0;
  const rows = [
    { name: t("wmhTotal"), value: ml(figures.wmh) },
    { name: t("wmhDeepVolume"), value: ml(figures.deep_wmh), colour: colours.deep },
    { name: t("wmhPeriVolume"), value: ml(figures.peri_wmh), colour: colours.peri },
    { name: t("wmhRatio"), value: lesionFigure(ratioDigits(figures), isUnreliable, language) },
    { name: t("wmhCount"), value: detail ? String(detail.lesion_count) : "–" },
  ];
  return (
    <section
      aria-label={t("wmh")}
      className="flex flex-col min-h-0 h-full overflow-y-auto bg-gray-900 text-gray-200"
    >
      <dl className="px-3 py-2 border-b border-gray-700 text-[13px] shrink-0">
        {rows.map(({ name, value, colour }) => (
          <div key={name} className="flex items-center h-6">
            <dt className="flex flex-1 items-center gap-2 text-gray-300">
              {colour && <Dot colour={colour} />}
              {name}
            </dt>
            <dd className="tabular-nums text-gray-100">{value}</dd>
          </div>
        ))}
      </dl>
      {detail && <Places detail={detail} language={language} />}
      {(note || detail?.is_low_confidence || detail?.is_minimal) && (
        <div
          role="note"
          className="px-3 py-2 border-b border-gray-700 text-xs text-yellow-300 shrink-0"
        >
          {note && <p>⚠ {note}</p>}
          {detail?.is_low_confidence && <p>⚠ {t("wmhLow")}</p>}
          {detail?.is_minimal && <p>⚠ {t("wmhMinimal")}</p>}
        </div>
      )}
      {children}
      <div className="flex items-center gap-1.5 px-3 py-2 border-b border-gray-700 shrink-0">
        <h2 className="flex-1 text-[13px] font-semibold text-gray-100" title={t("lesionsHint")}>
          {t("lesions")}
        </h2>
        <span
          className="text-xs tabular-nums text-gray-300"
          aria-live="polite"
          data-testid="lesion-place"
        >
          {lesions && t("lesionPlace", { n: current < 0 ? "–" : current + 1, total: count })}
        </span>
        {([-1, 1] as const).map((step) => {
          const name = t(step < 0 ? "lesionPrevious" : "lesionNext");
          return (
            <button
              key={step}
              type="button"
              className={BUTTON}
              aria-label={name}
              title={name}
              disabled={count === 0}
              onClick={() => onGo(stepLesion(current, step, count))}
            >
              {step < 0 ? "▲" : "▼"}
            </button>
          );
        })}
      </div>
      {detail && lesions && count !== detail.lesion_count && (
        <p
          className="px-3 py-1.5 border-b border-gray-700 text-[11px] text-gray-300 shrink-0"
          title={t("lesionsHint")}
        >
          {t("lesionsCounted")}
        </p>
      )}
      {count > 0
        ? (
          <List
            lesions={lesions!}
            current={current}
            onGo={onGo}
            colours={colours}
            isUnreliable={isUnreliable}
            language={language}
          />
        )
        : (
          <p className="p-4 text-sm text-gray-300" role="status">
            {t(lesions ? "lesionsNone" : "lesionsSearching")}
          </p>
        )}
    </section>
  );
}

/** Table of lesion numbers and volumes by location, with the locations that are not searched. */
function Places({ detail, language }: { detail: WmhDetail; language: Language }) {
  const { places, is_unreliable } = detail;
  return (
    <section
      aria-label={textIn(texts.places, language)}
      className="px-3 py-2 border-b border-gray-700 text-xs text-gray-300 shrink-0"
    >
      {places && (
        <>
          <h2 className="text-[13px] font-semibold text-gray-100">
            {textIn(texts.places, language)}
          </h2>
          <dl>
            {places.map(({ site, count, volume }) => (
              <div key={site} className="flex items-center h-5">
                <dt className="flex-1">{textIn(lesionSiteText[site], language)}</dt>
                <dd className="tabular-nums text-gray-100">
                  {isUnsearched({ site, count })
                    ? textIn(lesionSearchText.notSearched, language)
                    : textIn(texts.placeFigure, language, {
                      n: count,
                      volume: lesionFigure(
                        textIn(texts.valueMl, language, { value: volume.toFixed(2) }),
                        is_unreliable,
                        language,
                      ),
                    })}
                </dd>
              </div>
            ))}
          </dl>
          <p className="text-[11px]">{textIn(texts.placesHint, language)}</p>
        </>
      )}
      <p className="text-[11px]">{textIn(lesionSearchText.note, language)}</p>
    </section>
  );
}

/**
 * Coloured symbol of a lesion's kind; with both kinds, each colour fills one half of the symbol.
 */
const Dot = ({ colour, second = colour }: { colour: string; second?: string }) => (
  <svg viewBox="0 0 12 12" className="w-3 h-3 shrink-0" aria-hidden="true">
    <rect width="12" height="12" rx="2" fill={second} />
    <path d="M2 0h4v12H2a2 2 0 0 1-2-2V2a2 2 0 0 1 2-2" fill={colour} />
  </svg>
);

const KIND_TEXT = { both: "lesionBoth", deep: "wmhDeep", periventricular: "wmhPeri" } as const;

function List(
  { lesions, current, onGo, colours, isUnreliable, language }:
    & Omit<LesionPanelProps, "figures" | "lesions">
    & { lesions: readonly ListedLesion[]; isUnreliable: boolean | undefined },
) {
  const prefix = useId(), list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    document.getElementById(`${prefix}${current}`)?.scrollIntoView({ block: "nearest" });
  }, [current, prefix]);
  const onKeyDown = (event: KeyboardEvent) => {
    const to = event.key === "ArrowDown"
      ? Math.min(current + 1, lesions.length - 1)
      : event.key === "ArrowUp"
      ? Math.max(current - 1, 0)
      : event.key === "Home"
      ? 0
      : event.key === "End"
      ? lesions.length - 1
      : event.key === "Enter"
      ? Math.max(current, 0)
      : -1;
    if (to < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    onGo(to);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={list}
      role="listbox"
      tabIndex={0}
      aria-label={textIn(texts.lesionsList, language)}
      aria-activedescendant={current < 0 ? undefined : `${prefix}${current}`}
      onKeyDown={onKeyDown}
      className="flex-1 min-h-[56px] overflow-y-auto outline-none focus-visible:ring-2 ring-inset ring-cyan-400"
    >
      {lesions.map((lesion, n) => {
        const key = KIND_TEXT[lesionKindOf(lesion.deepMl, lesion.periMl)];
        const [colour, second] = key === "lesionBoth"
          ? [colours.deep, colours.peri]
          : key === "wmhDeep"
          ? [colours.deep]
          : [colours.peri];
        // an unreliable volume is not divided by kind: one warning could not cover two numbers
        const kinds = isUnreliable ? undefined : textIn(texts.lesionKinds, language, {
          deep: lesion.deepMl.toFixed(2),
          peri: lesion.periMl.toFixed(2),
        });
        const { place, nearLabel: near_label } = lesion;
        const placeName = lesionPlace({ place, near_label }, language);
        const site = place && textIn(lesionSiteText[place.site], language);
        return (
          <div
            key={n}
            id={`${prefix}${n}`}
            role="option"
            aria-selected={n === current}
            title={[placeName, site, kinds].filter(Boolean).join("; ") || undefined}
            onClick={() => onGo(n)}
            className={`flex items-center gap-2 ${
              site ? "min-h-[36px]" : "h-7"
            } px-3 text-xs cursor-pointer border-b border-gray-800 ${
              n === current ? "bg-cyan-900 text-white" : "text-gray-200 hover:bg-gray-800"
            }`}
          >
            <span className="w-5 text-right tabular-nums text-gray-300">{n + 1}</span>
            <Dot colour={colour!} second={second} />
            <span className="flex-1 min-w-0 leading-4">
              <span className="block truncate">{placeName || textIn(texts[key], language)}</span>
              {site && <span className="block text-[11px] leading-3 text-gray-300">{site}</span>}
              {/* for screen readers; the colours show the kind to others */}
              {placeName && <span className="sr-only">{`, ${textIn(texts[key], language)}`}</span>}
            </span>
            <span className="tabular-nums whitespace-nowrap">
              {lesionFigure(
                textIn(texts.valueMl, language, { value: lesion.volumeMl.toFixed(2) }),
                isUnreliable,
                language,
              )}
            </span>
            <span className="w-[88px] text-right tabular-nums whitespace-nowrap text-gray-300">
              {placeDigits(lesion.centreRasMm)}
            </span>
          </div>
        );
      })}
    </div>
  );
}
