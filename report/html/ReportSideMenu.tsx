import type { ReactNode } from "react";
import { NO_OPINION, OPINIONS } from "@/model/report/opinions.ts";
import { isPageAvailable, MAIN_PAGE, REPORT_PAGES } from "@/model/report/pages.ts";
import type { MtaPut, ReportResponse } from "@/model/schema/report/report.ts";
import { withPage } from "@/model/settings/settings_rules.ts";
import { type Language, textIn } from "@/model/text.ts";
import { reportViewerText } from "@/model/text/report/report.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { reportTextText } from "@/model/text/report/report_text_dialog.ts";
import { Button } from "@/components/Button.tsx";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { disagreementOf } from "@/report/sheets/disagreement.ts";
import { signedLabel } from "@/report/model/signed_label.ts";
import { PageCheck } from "@/components/page/PageCheck.tsx";

/** Reason why a page cannot be selected or deselected. */
export type PageRefusal = "none_left" | "too_few_studies";

interface ReportSideMenuProps {
  /** print and download buttons, placed next to the report's pages */
  actions?: ReactNode;
  report: ReportResponse;
  /** codes of the selected pages; newer than `report` while the new report is being loaded */
  pages: readonly number[];
  /** language of the side menu, which may differ from the report's language */
  language: Language;
  onPages: (pages: number[]) => void;
  onRefused: (why: PageRefusal) => void;
  /** called with the entered MTA grade; absent if the user may not enter grades */
  onMta?: (put: MtaPut) => void;
  /** opens the dialog with the physician's text; absent if the user may not write the text */
  onText?: () => void;
  /** key of the selected opinion (a prepared comment); absent: the results suggest an opinion */
  opinion: string | undefined;
  onOpinion: (opinion: string | undefined) => void;
}

const LONGITUDINAL = 64, WMH = 128, HOSPITAL_MTA = 16;
const GRADES = [0, 1, 2, 3, 4];
const CODES: readonly (keyof typeof pageTitle)[] = [
  ...REPORT_PAGES.map(({ code }) => code),
  MAIN_PAGE as 4,
]
  .toSorted((a, b) => a - b);

/**
 * Side menu in which the user selects the report's pages and opinion (a prepared comment).
 * A physician also enters MTA grades here (visual grades of medial temporal atrophy).
 */
export function ReportSideMenu(
  { actions, report, pages, language, onPages, onRefused, onMta, onText, opinion, onOpinion }:
    ReportSideMenuProps,
) {
  const t = (key: keyof typeof reportViewerText) => textIn(reportViewerText[key], language);
  const { report_type: type, mta } = report;
  const means = {
    type,
    hasFlair: report.wmh !== null,
    hasComparison: (report.longitudinal?.length ?? 0) >= 2 ||
      report.flair_longitudinal !== undefined,
  };
  const choose = (code: number, isChosen: boolean) => {
    if (isChosen && code === LONGITUDINAL && !means.hasComparison) {
      return onRefused("too_few_studies");
    }
    const newPages = withPage(pages, code, isChosen);
    if (newPages === null) onRefused("none_left");
    else onPages(newPages);
  };
  return (
    <aside
      aria-label={t("pages")}
      className="report-menu no-print self-start sticky top-[80px] flex flex-col gap-4 rounded-lg border border-line bg-white p-3 text-sm"
    >
      {actions && <div className="flex flex-col gap-2 shrink-0">{actions}</div>}
      <fieldset>
        <legend className="mb-1 font-semibold text-ink">{t("pages")}</legend>
        {CODES.map((code) => {
          const isMain = code === MAIN_PAGE;
          // the page Longitudinal can always be selected, because it explains its own requirements
          const isEnabled = !isMain &&
            isPageAvailable(
              code,
              code === LONGITUDINAL ? { ...means, hasComparison: true } : means,
            );
          const note = isMain
            ? t("alwaysThere")
            : code === WMH && !means.hasFlair
            ? t("needsFlair")
            : null;
          return (
            <PageCheck
              key={code}
              name={textIn(pageTitle[code], language)}
              note={note}
              isChecked={isMain || pages.includes(code)}
              isEnabled={isEnabled}
              onChoose={(isChosen) => choose(code, isChosen)}
            />
          );
        })}
      </fieldset>
      {mta && pages.includes(HOSPITAL_MTA) && (
        <fieldset disabled={onMta === undefined}>
          <legend className="mb-1 font-semibold text-ink">{t("mta")}</legend>
          {(["right", "left"] as const).map((side) => (
            <label key={side} className="flex items-center justify-between gap-2 py-1">
              <span className="whitespace-nowrap">
                {t(side === "right" ? "mtaRight" : "mtaLeft")}
              </span>
              <select
                className="h-8 min-w-0 rounded-md border border-line-strong bg-white px-2 text-sm"
                value={mta[side] ?? ""}
                onChange={({ currentTarget: { value } }) =>
                  onMta?.({
                    left: mta.left,
                    right: mta.right,
                    [side]: value === "" ? null : Number(value),
                  })}
              >
                <option value="">{t("mtaNone")}</option>
                {GRADES.map((grade) => <option key={grade} value={grade}>{grade}</option>)}
              </select>
            </label>
          ))}
        </fieldset>
      )}
      <ConclusionPart report={report} language={language} onText={onText} />
      {!report.signed_text && (
        <section>
          <label className="block">
            <span className="block mb-1 font-semibold text-ink">{t("result")}</span>
            <select
              className="h-8 w-full min-w-0 rounded-md border border-line-strong bg-white px-2 text-sm"
              value={opinion ?? ""}
              onChange={({ currentTarget: { value } }) =>
                onOpinion(value === "" ? undefined : value)}
            >
              <option value="">{t("opinionSuggested")}</option>
              {OPINIONS.map(({ key, name }) => (
                <option key={key} value={key}>{name[language]}</option>
              ))}
              <option value={NO_OPINION}>{t("opinionNone")}</option>
            </select>
          </label>
          <p lang={report.language} className="mt-2 text-[13px] leading-5 text-ink-soft">
            {report.opinion.message || t("noResult")}
          </p>
          {disagreementOf(report).length > 0 && (
            <p
              role="alert"
              lang={report.language}
              className="mt-2 text-[13px] font-medium leading-5 text-red-700"
            >
              {textIn(conclusionText.disagrees, report.language)} {findingOf(report)}
            </p>
          )}
        </section>
      )}
    </aside>
  );
}

/** First sentence of the conclusion about a finding, or the sentence that there are no findings. */
function findingOf({ conclusion }: ReportResponse): string {
  const { sentences = [], stated = [] } = conclusion ?? {};
  return sentences[Math.max(0, stated.findIndex((of) => of.length > 0))] ?? "";
}

/** States whether a physician has signed the conclusion, with a button that opens the text. */
function ConclusionPart(
  { report: { signed_text: signed, time_zone }, language, onText }: Pick<
    ReportSideMenuProps,
    "report" | "language" | "onText"
  >,
) {
  const t = (key: keyof typeof reportTextText) => textIn(reportTextText[key], language);
  return (
    <section>
      <h2 className="mb-1 font-semibold text-ink">{t("title")}</h2>
      <p
        className={`mb-2 text-[13px] leading-5 ${
          signed?.is_outdated ? "text-red-700" : "text-ink-soft"
        }`}
      >
        {signed ? signedLabel(signed, language, time_zone) : t("unsigned")}
      </p>
      {onText && (
        <Button size="small" aria-haspopup="dialog" onClick={onText}>
          {t(signed ? "openAgain" : "open")}
        </Button>
      )}
    </section>
  );
}
