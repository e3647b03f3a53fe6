import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useMemo, useState } from "react";
import { CrashBoundary } from "@/components/message/CrashBoundary.tsx";
import { asAppError } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { dicomKindsOf, percentileMapOf } from "@/model/dicom/dicom_kinds.ts";
import type { MtaPut } from "@/model/schema/report/report.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { dicomButtonText } from "@/model/text/dicom.ts";
import { reportViewerText } from "@/model/text/report/report.ts";
import { type Language } from "@/model/text.ts";
import { useMay } from "@/client/page/user.ts";
import { getReport, getReportPdf, saveMta } from "@/client/api/report/report.ts";
import { Button } from "@/components/Button.tsx";
import { HeaderFrame } from "@/components/page/HeaderFrame.tsx";
import { LanguageChoice } from "@/components/page/LanguageChoice.tsx";
import { type PageRefusal, ReportSideMenu } from "@/report/html/ReportSideMenu.tsx";
import { ReportSheet } from "@/report/html/ReportSheet.tsx";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { presentError, presentToast } from "@/client/notices/present_error.ts";
import { saveResponse } from "@/client/files/save_file.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { whenIdle } from "@/client/page/when_idle.ts";
import { useStudyEvents } from "@/client/live/study_events.ts";
import { withQueries } from "@/components/page/with_queries.tsx";
import { HelpButton } from "@/components/header/HelpButton.tsx";

const TrayMenu = lazyPart(() => import("@/components/header/tray_menu.tsx"));
const ContextStatus = lazyPart(() => import("@/components/header/context_status.tsx"));
const ReportTextDialog = lazyPart(() => import("@/components/report_text/report_text_dialog.tsx"));
const DicomDialog = lazyPart(() => import("@/components/dicom_export/dicom_dialog.tsx"));

export interface ReportChoice {
  language: Language;
  anonymize: "true" | "false";
  /** codes of the selected report pages, comma-joined; absent: the pages chosen in the settings */
  page_list?: string | undefined;
  /** key of the opinion (a prepared comment) or `none`; absent: suggested by the results */
  opinion?: string | undefined;
}
interface ReportViewerProps {
  pid: number;
  /** report options in the page address, for which the server has prefetched the report */
  choice: ReportChoice;
}

const NOTHING = {};

/** Controls above the report, excluded from printing. */
function ReportHeader({ pid, choice, onChoose: choose }: {
  pid: number;
  choice: ReportChoice;
  onChoose: (change: Partial<ReportChoice>) => void;
}) {
  const text = useText(reportViewerText), common = useText(commonText);
  // these controls load after the first paint, when the browser is idle, so as not to delay clicks
  const [isStarted, setStarted] = useState(false);
  useEffect(() => whenIdle(() => setStarted(true)), []);
  return (
    <div className="report-bar no-print sticky top-0 z-10">
      <HeaderFrame title={text("title")} homeLabel={common("goHome")}>
        {isStarted && (
          <Suspense>
            <ContextStatus pid={pid} page="report" />
            <TrayMenu />
          </Suspense>
        )}
        <a href="/" className="text-sm font-medium text-brand-700 hover:underline">
          {text("worklist")}
        </a>
        <a
          href={`/viewer/${pid}`}
          className="mr-2 text-sm font-medium text-brand-700 hover:underline"
        >
          {text("viewer")}
        </a>
        <label className="inline-flex items-center gap-2 text-sm text-ink cursor-pointer">
          <input
            type="checkbox"
            role="switch"
            className="w-4 h-4 accent-brand-600"
            checked={choice.anonymize === "true"}
            onChange={(event) => choose({ anonymize: event.target.checked ? "true" : "false" })}
          />
          {text("anonymize")}
        </label>
        <LanguageChoice
          label={text("language")}
          isLabelled
          language={choice.language}
          onChoose={(language) => choose({ language })}
        />
        <HelpButton of="report" />
      </HeaderFrame>
    </div>
  );
}

/** Placeholder for a report that is loading or failed to load. */
function Waiting({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  const text = useText(reportViewerText), language = useLanguage();
  const failure = error === null ? null : messageOf(
    asAppError(error).code,
    asAppError(error).details,
    language,
  );
  return (
    <div className="min-h-[50vh] grid place-items-center">
      {failure === null
        ? (
          <p role="status" className="flex items-center gap-3 text-sm text-ink-soft">
            <span className="spinner" aria-hidden="true" />
            {text("loading")}
          </p>
        )
        : (
          <div role="alert" className="text-center">
            <p className="text-base font-semibold text-ink">{text("failed")}</p>
            <p className="mt-1 mb-4 text-sm text-ink-soft">{failure}</p>
            <Button onClick={onRetry}>{text("retry")}</Button>
          </div>
        )}
    </div>
  );
}

/** Printable report of one study: the sheet on a grey background, with printing and download. */
function ReportViewer({ pid, choice: given }: ReportViewerProps) {
  const text = useText(reportViewerText), dicom = useText(dicomButtonText);
  const pageLanguage = useLanguage();
  const [choice, setChoice] = useState(given);
  const [isSaving, setSaving] = useState(false), [isDicomOpen, setDicomOpen] = useState(false);
  const [isTextOpen, setTextOpen] = useState(false);
  const { data: report, error, isPlaceholderData, refetch } = useQuery({
    queryKey: [...queryKeys.report(pid), choice],
    queryFn: ({ signal }) => getReport(browserApi, pid, choice, signal),
    placeholderData: keepPreviousData,
  });
  const sheets = useMemo(() => report && reportSheetsOf(report), [report]);
  const percentileMap = report && percentileMapOf(report.regions, report.qc.warnings);

  // the viewer links here with `?dicom` to open the DICOM dialog
  useEffect(() => setDicomOpen(new URLSearchParams(location.search).has("dicom")), []);

  const choose = (change: Partial<ReportChoice>) => {
    const nextChoice = { ...choice, ...change };
    setChoice(nextChoice);
    // a reload must show the same report
    const query = Object.entries(nextChoice).filter((entry): entry is [string, string] =>
      entry[1] !== undefined
    );
    history.replaceState(null, "", `?${new URLSearchParams(query)}`);
  };

  // shows a modal when another user deletes or edits the study
  useStudyEvents(pid, NOTHING);

  const download = async () => {
    setSaving(true);
    try {
      await saveResponse(await getReportPdf(browserApi, pid, choice));
    } catch (problem) {
      presentError(problem);
    } finally {
      setSaving(false);
    }
  };

  const refuse = (why: PageRefusal) =>
    presentToast(why === "none_left" ? "report.no_page" : "report.too_few_longitudinal");
  const canEdit = useMay("edit");
  const enterMta = async (put: MtaPut) => {
    try {
      await saveMta(browserApi, pid, put);
      await refetch();
    } catch (problem) {
      presentError(problem);
    }
  };

  return (
    <>
      <ReportHeader pid={pid} choice={choice} onChoose={choose} />
      <main className="report-desk min-h-screen bg-line py-6" aria-busy={isPlaceholderData}>
        {sheets
          ? (
            <div className="report-layout flex justify-center gap-3 px-2">
              <CrashBoundary>
                <ReportSideMenu
                  actions={
                    <>
                      <Button
                        kind="primary"
                        disabled={isSaving}
                        onClick={() => void download()}
                      >
                        {isSaving ? text("preparingPdf") : text("download")}
                      </Button>
                      <Button onClick={() => print()}>{text("print")}</Button>
                      <Button
                        title={dicom("menuHint")}
                        aria-haspopup="dialog"
                        onClick={() => setDicomOpen(true)}
                      >
                        {dicom("menu")}
                      </Button>
                    </>
                  }
                  report={report!}
                  pages={choice.page_list?.split(",").map(Number) ?? report!.page_list}
                  language={pageLanguage}
                  onPages={(pages) => choose({ page_list: pages.join(",") })}
                  onRefused={refuse}
                  onMta={canEdit ? (put) => void enterMta(put) : undefined}
                  onText={canEdit ? () => setTextOpen(true) : undefined}
                  opinion={choice.opinion}
                  onOpinion={(opinion) => choose({ opinion })}
                />
              </CrashBoundary>
              <div
                role="group"
                aria-label={text("title")}
                tabIndex={0}
                className={`report-sheets ${isPlaceholderData ? "opacity-60" : ""}`}
              >
                {sheets.map((sheet, index) => (
                  <CrashBoundary key={index}>
                    <ReportSheet sheet={sheet} />
                  </CrashBoundary>
                ))}
              </div>
            </div>
          )
          : <Waiting error={error} onRetry={() => void refetch()} />}
      </main>
      {isTextOpen && (
        <Suspense>
          <ReportTextDialog
            pid={pid}
            language={choice.language}
            onChanged={() => void refetch()}
            onClose={() => setTextOpen(false)}
          />
        </Suspense>
      )}
      {isDicomOpen && report && (
        <Suspense>
          <DicomDialog
            pid={pid}
            kinds={dicomKindsOf({
              hasT1: report.report_type !== "t2",
              hasFlair: report.wmh !== null,
              hasChanges: report.flair_longitudinal?.changes.lesions.some(({ is_confirmed }) =>
                is_confirmed !== false
              ) ??
                false,
              hasThickness: report.thickness !== null,
              hasPercentiles: percentileMap === "possible",
            })}
            isMapLeftOut={percentileMap === "scanner_not_accepted"}
            corrections={report.findings?.corrections}
            filter={{ language: choice.language, page_list: choice.page_list }}
            onClose={() => setDicomOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}

export default withQueries(ReportViewer);
