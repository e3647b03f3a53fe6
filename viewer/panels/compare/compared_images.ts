// Images that a study can be compared with: their names, and the options of the selection.
import { differenceOf, type OtherPersonVisit } from "@/model/schema/reading/comparables.ts";
import type { RefusedSeries } from "@/model/schema/reading/series.ts";
import { type Language, textIn } from "@/model/text.ts";
import { isUploadReason, wrongIn } from "@/model/text/worklist/upload.ts";
import { viewerCompareText as texts } from "@/model/text/viewer/viewer_compare.ts";
import type { CompareStore } from "@/viewer/session/compare/compare_store.ts";
import type { CompareSource } from "@/viewer/session/compare/source.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";

/** Text and value of an option of the image selection. */
export interface ImageOption {
  key: string;
  text: string;
  source: CompareSource;
}

export const dateOf = (date: string | null): string => date ?? "–";

/** Name of compared images in the list and in the panes. */
export function nameOf(source: CompareSource, language: Language): string {
  const t = (key: keyof typeof texts, values?: Record<string, string>) =>
    textIn(texts[key], language, values);
  switch (source.kind) {
    case "study":
      return t("studyOf", { date: dateOf(source.study.study_date), series: t(source.series) });
    case "own":
      return t("thisStudy", { series: t(source.series) });
    case "oblique":
      return t(source.along);
    case "series": {
      const { description, kind, files, is_analysed } = source.series;
      return t(is_analysed ? "analysedSeries" : "storedSeries", {
        series: description || t(kind),
        files: String(files),
      });
    }
    case "refused": {
      const { description, files } = source.series;
      return t("viewedSeries", { series: description || "–", files: String(files) });
    }
  }
}

/** Reason why a series is not analysed, shown after the name of the series. */
export const reasonOf = ({ reason, details }: RefusedSeries, language: Language): string =>
  isUploadReason(reason) ? `: ${wrongIn(language, reason, details)}` : "";

export function optionsOf(
  store: CompareStore,
  session: ViewerSession,
  language: Language,
): ImageOption[] {
  const { t1w_file, t2w_file } = session.patient;
  void session.type.value;
  const sources: CompareSource[] = [
    ...store.studies.value.flatMap((study) =>
      study.series.map((series) => ({ kind: "study", study, series }) as const)
    ),
    ...(["t1", "t2"] as const)
      .filter((series) => series !== store.own && (series === "t1" ? t1w_file : t2w_file) !== null)
      .map((series) => ({ kind: "own", series }) as const),
    ...store.obliques.value.filter((along) => store.canCut(along))
      .map((along) => ({ kind: "oblique", along }) as const),
    ...store.series.value.map((series) => ({ kind: "series", series }) as const),
  ];
  return sources.map((source) => ({ key: keyOf(source), text: nameOf(source, language), source }));
}

/** Series that the analysis refused, but that can be viewed. */
export const viewedOf = (store: CompareStore, language: Language): ImageOption[] =>
  store.refused.value.flatMap((series, at) => {
    if (!series.volume) return [];
    const source = { kind: "refused", series, volume: series.volume, at } as const;
    return [{
      key: keyOf(source),
      text: nameOf(source, language) + reasonOf(series, language),
      source,
    }];
  });

/** A study that is not compared because it may be of another person, with the reason. */
export const otherPersonOf = (
  { study_date, differs, shared_id }: OtherPersonVisit,
  language: Language,
): string => {
  const byRecord = differenceOf(differs) ?? "unknownPerson";
  const byId = shared_id === "placeholder" ? "placeholderId" : "sharedId";
  return textIn(texts.otherPerson, language, {
    date: dateOf(study_date),
    recorded: textIn(texts[shared_id ? byId : byRecord], language),
  });
};

/** Value of the option for a source of compared images. */
export const keyOf = (source: CompareSource | null): string =>
  source === null
    ? ""
    : source.kind === "study"
    ? `s${source.study.pid}${source.series}`
    : source.kind === "own"
    ? `o${source.series}`
    : source.kind === "oblique"
    ? `c${source.along}`
    : source.kind === "refused"
    ? `v${source.at}`
    : `r${source.series.id}`;

/** Whether both images have the same contrast, T1w or FLAIR, so that a difference is meaningful. */
export function isSameContrast(store: CompareStore): boolean {
  const source = store.source.value;
  return (source?.kind === "study" || source?.kind === "own") && source.series === store.own;
}
