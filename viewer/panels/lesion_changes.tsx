import { useEffect, useRef, useState } from "react";
import { userMay } from "@/model/accounts/roles.ts";
import { AppError } from "@/model/errors.ts";
import { browserApi } from "@/client/browser_api.ts";
import { judgeLesionChange, listLesionChanges } from "@/client/api/reading/lesion_changes.ts";
import { onServerEvent } from "@/client/live/live_updates.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { useUser } from "@/client/page/user.ts";
import type { LesionChange, LesionChangeList } from "@/model/schema/reading/lesion_changes.ts";
import { lesionCountSentence } from "@/model/measured/lesion_counts.ts";
import { lesionFigure } from "@/model/text/lesions/lesion_figure.ts";
import { lesionPlaceAndSite } from "@/model/text/lesions/lesion_place.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerLesionChangesText as texts } from "@/model/text/viewer/viewer_lesion_changes.ts";
import { useLetterKeys } from "@/viewer/input/letter_keys.ts";
import { stepLesion } from "@/viewer/panels/LesionPanel.tsx";
import type { SidePanelProps } from "@/viewer/panels/side_panel.tsx";
import type { ViewerSession } from "@/viewer/session/session.ts";

const BUTTON =
  "h-7 px-2 rounded border border-gray-700 text-xs text-gray-200 whitespace-nowrap outline-none hover:bg-gray-800 focus-visible:ring-2 ring-cyan-400 disabled:opacity-40 aria-pressed:bg-gray-700";

/** Lesion changes of the current study, kept up to date. */
function useLesionChanges({ pid }: ViewerSession): [LesionChangeList | null, () => Promise<void>] {
  const [list, setList] = useState<LesionChangeList | null>(null), isGone = useRef(false);
  const refresh = async () => {
    try {
      const changes = await listLesionChanges(browserApi, pid);
      if (!isGone.current) setList(changes);
    } catch (error) {
      // a core of another vendor lacks this call
      if (!(error instanceof AppError && error.code === "entity.not_found")) presentError(error);
    }
  };
  useEffect(() => {
    isGone.current = false;
    void refresh();
    const stop = onServerEvent((event) => {
      if (event.event === "study_reading" && event.pid === pid) void refresh();
    });
    return () => {
      isGone.current = true;
      stop();
    };
  }, [pid]);
  return [list, refresh];
}

/** Position of a lesion's change, RAS mm. */
const placesOf = ({ places_ras_mm, centre_ras_mm }: LesionChange) =>
  places_ras_mm ?? [centre_ras_mm];

/**
 * Lesions that changed since the previous study: J and K move through them, Y confirms, U rejects.
 */
export function LesionChanges({ session, language }: SidePanelProps) {
  const [list, refresh] = useLesionChanges(session);
  const [{ current, place }, setCurrent] = useState({ current: -1, place: 0 });
  const lesions = list?.lesions ?? [],
    shown = lesions[current],
    canEdit = userMay(useUser(), "edit");
  const t = (key: keyof typeof texts, values?: Record<string, string | number>) =>
    textIn(texts[key], language, values);
  const go = (index: number, place = 0) => {
    const lesion = lesions[index], mm = lesion && placesOf(lesion).at(place);
    if (!lesion || !mm) return;
    setCurrent({ current: index, place: place < 0 ? placesOf(lesion).length - 1 : place });
    session.showLesions();
    session.goToMm(mm);
  };
  /** Moves to the next position of the same changed lesion, if its change has several positions. */
  const step = (by: 1 | -1) => {
    const nextPlace = place + by;
    if (shown && nextPlace >= 0 && nextPlace < placesOf(shown).length) go(current, nextPlace);
    else go(stepLesion(current, by, lesions.length), by < 0 ? -1 : 0);
  };
  const judge = async (isConfirmed: boolean) => {
    if (!shown || !canEdit) return;
    const verdict = shown.is_confirmed === isConfirmed ? null : isConfirmed;
    try {
      await judgeLesionChange(browserApi, session.pid, shown.lesion, verdict);
    } catch (error) {
      presentError(error);
    }
    await refresh();
  };
  useLetterKeys(session, "jkyu", (letter) => {
    if (letter === "j" || letter === "k") {
      step(letter === "j" ? 1 : -1);
    } else if (shown) void judge(letter === "y");
    return lesions.length > 0;
  });
  if (!list?.prior) return null;
  return (
    <section
      aria-label={t("title", { date: list.prior.study_date })}
      data-testid="lesion-changes"
      className="flex flex-col shrink-0 max-h-[45%] min-h-0 border-t border-gray-700 bg-gray-900 text-gray-200"
    >
      <div className="flex items-center gap-1.5 px-3 py-2 shrink-0">
        <h2 className="flex-1 text-[13px] font-semibold text-gray-100" title={t("hint")}>
          {t("title", { date: list.prior.study_date })}
        </h2>
        <span className="text-xs tabular-nums text-gray-300" aria-live="polite">
          {lesions.length > 0 &&
            t("place", { n: current < 0 ? "–" : current + 1, total: lesions.length })}
        </span>
        {([-1, 1] as const).map((by) => (
          <button
            key={by}
            type="button"
            className={BUTTON}
            aria-label={t(by < 0 ? "previous" : "next")}
            title={t(by < 0 ? "previous" : "next")}
            disabled={lesions.length === 0}
            onClick={() => step(by)}
          >
            {by < 0 ? "▲" : "▼"}
          </button>
        ))}
      </div>
      {shown && (
        <div className="flex gap-1.5 px-3 pb-2 shrink-0">
          {([true, false] as const).map((verdict) => (
            <button
              key={String(verdict)}
              type="button"
              className={BUTTON}
              disabled={!canEdit}
              aria-pressed={shown.is_confirmed === verdict}
              onClick={() => void judge(verdict)}
            >
              {t(verdict ? "confirm" : "refuse")}
            </button>
          ))}
        </div>
      )}
      {lesions.length === 0
        ? (
          <p role="status" className="px-3 pb-3 text-xs text-gray-300">
            {t(list.state === "compared" ? "none" : list.state === "failed" ? "failed" : "waiting")}
          </p>
        )
        : (
          <>
            <p className="px-3 pb-2 shrink-0 text-xs text-gray-300" data-testid="lesion-counts">
              {lesionCountSentence(list, language)}
            </p>
            {list.is_other_method && (
              <p className="px-3 pb-2 shrink-0 text-xs text-yellow-300">{t("otherMethod")}</p>
            )}
            <ChangeRows
              lesions={lesions}
              changes={list}
              current={current}
              onGo={go}
              language={language}
            />
          </>
        )}
    </section>
  );
}

interface RowsProps {
  lesions: readonly LesionChange[];
  changes: Pick<LesionChangeList, "is_prior_unreliable" | "is_current_unreliable">;
  current: number;
  onGo: (index: number) => void;
  language: Language;
}

/** List of changed lesions, with the volumes in both studies. */
export function ChangeRows({ lesions, changes, current, onGo, language }: RowsProps) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const t = (key: keyof typeof texts, values?: Record<string, string | number>) =>
    textIn(texts[key], language, values);
  const verdictOf = ({ is_confirmed, decided_by }: LesionChange) =>
    is_confirmed === null
      ? ""
      : t(is_confirmed ? "confirmed" : "refused", { who: decided_by || "–" });
  return (
    <ul ref={list} className="overflow-y-auto min-h-0 text-xs">
      {lesions.map((lesion, index) => (
        <li key={lesion.lesion}>
          <button
            type="button"
            aria-current={index === current}
            onClick={() => onGo(index)}
            className="flex flex-wrap gap-x-2 w-full px-3 py-1.5 text-left outline-none hover:bg-gray-800 focus-visible:ring-2 ring-inset ring-cyan-400 aria-[current=true]:bg-gray-800"
          >
            <span
              className={`flex-1 ${
                lesion.is_confirmed === false ? "line-through text-gray-400" : ""
              }`}
            >
              {lesion.lesion + 1}. {t(lesion.kind)}
              {!lesion.is_sure && <span className="text-yellow-300">{` (${t("possible")})`}</span>}
              {lesion.places_ras_mm && `, ${t("places", { n: lesion.places_ras_mm.length })}`}
              {lesionPlaceAndSite(lesion, language) && ` · ${lesionPlaceAndSite(lesion, language)}`}
            </span>
            <span className="tabular-nums">
              {t("volumes", {
                before: lesionFigure(
                  lesion.before_ml.toFixed(2),
                  changes.is_prior_unreliable,
                  language,
                ),
                after: lesionFigure(
                  t("valueMl", { value: lesion.after_ml.toFixed(2) }),
                  changes.is_current_unreliable,
                  language,
                ),
              })}
            </span>
            {verdictOf(lesion) && <span className="w-full text-gray-300">{verdictOf(lesion)}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}
