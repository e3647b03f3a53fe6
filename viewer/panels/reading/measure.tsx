import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useState } from "react";
import { Choice, Icon } from "@/viewer/panels/controls.tsx";
import type { ReadingStore } from "@/viewer/session/reading/reading_store.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { REGION_TOOLS, type Tool, type ToolState } from "@/viewer/session/tool_state.ts";
import { isRegion, isWhole, measured, type Measurement } from "@/viewer/slices/marks/measure.ts";
import { valueDigits } from "@/model/regions/measured_shape.ts";
import { confirmInModal } from "@/client/notices/present_error.ts";
import type { PixelStatistics, StudyMeasurement } from "@/model/schema/reading/measurements.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerReadingText as texts } from "@/model/text/viewer/viewer_reading.ts";

const PATHS = {
  ruler: "M1.5 11 11 1.5l3.5 3.5L5 14.5zM4.5 8l1.5 1.500M7 5.500l1.500 1.500",
  angle: "M13 2.5 2.5 13.5h11.500",
  ellipse: "M8 3.500c3.500 0 6 2 6 4.500s-2.500 4.500-6 4.500-6-2-6-4.500 2.500-4.500 6-4.500z",
  rectangle: "M2 4h12v8H2z",
  freehand: "M3 9C2 4 6 2 8 4s6 0 5.500 4S9 14 6.500 13 3.500 11 3 9z",
} as const;
type Drawn = keyof typeof PATHS;
const DRAWN: readonly Drawn[] = ["ruler", "angle", ...REGION_TOOLS];

export const SMALL =
  "h-7 px-2 rounded border border-gray-700 text-xs text-gray-200 whitespace-nowrap outline-none hover:bg-gray-800 focus-visible:ring-2 ring-cyan-400 disabled:opacity-40";

const SERIES_NAMES = { t1: "T1w", t2: "FLAIR" } as const;

/** Formats author and time in the hospital's time zone: "Kim, 2026-01-06 14:05". */
export const byWhom = (who: string, at: string, timeZone: string, language: Language): string =>
  textIn(texts.byWhom, language, { who: who || "–", when: minuteIn(timeZone, Date.parse(at)) });

interface MeasureProps {
  session: ViewerSession;
  tools: ToolState;
  store: ReadingStore;
  language: Language;
  /** whether the user may edit the study */
  canEdit: boolean;
}

/** Measuring tools, the value at the crosshair, and the list of measurements. */
export function MeasureSection({ session, tools, store, language, canEdit }: MeasureProps) {
  useSignals();
  const t = (key: keyof typeof texts) => textIn(texts[key], language);
  const tool = tools.tool.value,
    unsaved = session.measurements.value.filter(({ id }) => id === undefined);
  const finished = unsaved.filter(isWhole),
    stored = store.stored.value,
    isBusy = store.isBusy.value;
  const drawn = new Map(session.measurements.value.map((one) => [one.id, one]));
  return (
    <>
      <div className="flex flex-col gap-2 px-2 py-2 border-b border-gray-700 shrink-0">
        <Choice<Tool>
          name={t("tool")}
          value={tool}
          options={DRAWN.map((value) => ({
            value,
            text: t(value),
            mark: <Icon path={PATHS[value]} />,
          }))}
          onChoose={(chosen) => {
            tools.discardUnfinished();
            tools.tool.value = chosen === tool ? "crosshair" : chosen;
          }}
        />
        <ValueHere session={session} store={store} language={language} />
      </div>
      <div className="flex-1 min-h-0 overflow-y-auto">
        {finished.length + stored.length === 0 && (
          <p className="p-3 text-sm text-gray-300">{t("none")}</p>
        )}
        {finished.length > 0 && (
          <div className="flex items-center px-2 py-1.5 bg-gray-800 text-xs">
            <span className="flex-1 text-yellow-300">{t("unsaved")}</span>
            <button
              type="button"
              className={SMALL}
              disabled={isBusy || !canEdit}
              onClick={() => void store.save(finished)}
            >
              {t("saveAll")}
            </button>
          </div>
        )}
        {finished.map((one, at) => (
          <Row
            key={`u${at}`}
            one={one}
            session={session}
            store={store}
            language={language}
            canEdit={canEdit}
          />
        ))}
        {stored.map((one) =>
          drawn.has(one.id) && (
            <Row
              key={one.id}
              one={drawn.get(one.id)!}
              stored={one}
              session={session}
              store={store}
              language={language}
              canEdit={canEdit}
            />
          )
        )}
      </div>
    </>
  );
}

/** Voxel value at the crosshair, as stored in the original series. */
function ValueHere({ session, store, language }: Omit<MeasureProps, "tools" | "canEdit">) {
  useSignals();
  void [session.moves.value, session.type.value, store.originals.changes.value];
  const t = (key: keyof typeof texts) => textIn(texts[key], language);
  const original = store.originals.of(store.series), value = store.valueAtCrosshair();
  return (
    <p className="flex text-xs text-gray-300" title={t("pixelsHint")}>
      <span className="flex-1">
        {original.kind === "loading"
          ? t("loadingValues")
          : original.kind === "absent"
          ? t("noOriginal")
          : t("valueHere")}
      </span>
      {value !== null && (
        <output className="tabular-nums text-gray-100" data-testid="value-here">
          {Number.isNaN(value) ? t("noValue") : Number(value.toFixed(2))}
        </output>
      )}
    </p>
  );
}

interface RowProps extends Omit<MeasureProps, "tools"> {
  one: Measurement;
  stored?: StudyMeasurement;
}

function Row({ one, stored, session, store, language, canEdit }: RowProps) {
  useSignals();
  const t = (key: keyof typeof texts, values?: Record<string, string | number>) =>
    textIn(texts[key], language, values);
  const timeZone = useTimeZone(), { statistics } = one, isBusy = store.isBusy.value || !canEdit;
  const middle = () => {
    const n = one.pointsMm.length / 3;
    return [0, 1, 2].map((r) =>
      one.pointsMm.reduce((sum, mm, at) => at % 3 === r ? sum + mm / n : sum, 0)
    );
  };
  const remove = async () => {
    // asks before deleting a stored measurement, because drawing it again gives another measurement
    if (!stored || await confirmInModal("measurement.remove", { measured: measured(one) })) {
      await store.remove(one);
    }
  };
  return (
    <div
      className="flex flex-col gap-1 px-2 py-2 border-b border-gray-800 text-xs"
      data-testid="measurement"
    >
      <div className="flex items-center gap-2">
        <Icon path={PATHS[one.kind]} />
        <button
          type="button"
          title={t("goThere")}
          className="flex-1 text-left text-sm text-gray-100 tabular-nums hover:underline outline-none focus-visible:ring-2 ring-cyan-400"
          onClick={() => {
            session.activePane.value = one.plane;
            session.goToMm(middle());
          }}
        >
          {measured(one)}
        </button>
        {!stored && (
          <button
            type="button"
            className={SMALL}
            disabled={isBusy}
            onClick={() => void store.save([one])}
          >
            {t("save")}
          </button>
        )}
        {(!stored || stored.is_own) && (
          <button
            type="button"
            disabled={stored !== undefined && isBusy}
            className={SMALL}
            onClick={() => void remove()}
          >
            {t("remove")}
          </button>
        )}
      </div>
      {statistics && isRegion(one) && (
        <p className="text-gray-300 tabular-nums">
          {`${SERIES_NAMES[one.series ?? store.series]}: ${statisticsText(statistics, language)}`}
        </p>
      )}
      {stored && (
        <>
          <div className="flex items-center gap-2">
            <Note stored={stored} store={store} language={language} canEdit={canEdit} />
            <label className="flex items-center gap-1 whitespace-nowrap text-gray-200">
              <input
                type="checkbox"
                checked={stored.is_in_report}
                disabled={isBusy}
                className="accent-cyan-500"
                onChange={(event) =>
                  void store.change(stored, { is_in_report: event.currentTarget.checked })}
              />
              {t("inReport")}
            </label>
          </div>
          <p className="text-[11px] text-gray-400">
            {byWhom(stored.created_by, stored.created_at, timeZone, language)}
          </p>
        </>
      )}
    </div>
  );
}

/**
 * Statistics of a region as text: "mean 812, SD 20, 750 to 870, 157 pixels".
 * Mean and SD are the same as on image and report.
 */
export function statisticsText(statistics: PixelStatistics, language: Language): string {
  const digits = valueDigits(statistics), { mean, sd, low, high, pixels } = statistics;
  return textIn(texts.statistics, language, {
    mean: digits(mean),
    sd: digits(sd),
    low: digits(low),
    high: digits(high),
    pixels,
  });
}

/** Note about a measurement, stored in the study when the text field loses focus. */
function Note(
  { stored, store, language, canEdit }: Pick<RowProps, "store" | "language" | "canEdit"> & {
    stored: StudyMeasurement;
  },
) {
  const [text, setText] = useState(stored.note);
  useEffect(() => setText(stored.note), [stored.note]);
  const words = textIn(texts.note, language);
  return (
    <input
      value={text}
      maxLength={80}
      disabled={!canEdit}
      aria-label={words}
      placeholder={words}
      className="flex-1 min-w-0 h-7 bg-gray-800 border border-gray-500 rounded px-1.5 text-xs text-gray-100 outline-none focus-visible:ring-2 ring-cyan-400"
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => text !== stored.note && void store.change(stored, { note: text })}
    />
  );
}
