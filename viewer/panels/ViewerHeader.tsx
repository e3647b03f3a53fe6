import type { Signal } from "@preact/signals-react";
import { useSignals } from "@preact/signals-react/runtime";
import type { KeyboardEvent, ReactNode } from "react";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import type { ViewerPatient } from "@/model/viewer/viewer_patient.ts";

/** One tab of the viewer; a disabled tab shows the reason as text. */
interface ViewerTab {
  type: "parcellation" | "corticalThickness" | "wmh";
  refusal: string | null;
}

interface ViewerHeaderProps {
  patient: ViewerPatient;
  tabs: readonly ViewerTab[];
  type: Signal<ViewerTab["type"]>;
  onOpen: (type: ViewerTab["type"]) => void;
  language: Language;
  onLanguage: (language: Language) => void;
  /** controls shown before the language selection; their code is loaded later */
  children?: ReactNode;
}

const LINK =
  "px-2 py-1.5 rounded text-sm text-gray-200 whitespace-nowrap hover:bg-gray-800 focus-visible:ring-2 ring-cyan-400";

/** Patient identity, tabs, links to other pages, and language. */
export function ViewerHeader(props: ViewerHeaderProps) {
  const { patient, tabs, type, onOpen, language, onLanguage, children } = props;
  const t = (key: keyof typeof viewerText, values?: Record<string, string | number>) =>
    textIn(viewerText[key], language, values);
  const facts = [
    patient.patient_sex && t(patient.patient_sex),
    patient.patient_age !== null && t("years", { age: patient.patient_age }),
  ].filter(Boolean).join(" · ");
  return (
    <header className="flex items-center gap-3 h-12 px-3 bg-gray-900 border-b border-gray-700 shrink-0">
      <a href="/" className={LINK}>
        <span aria-hidden="true">←</span> {t("worklist")}
      </a>
      <div className="w-px h-6 bg-gray-700 shrink-0" />
      <div className="min-w-0 leading-tight">
        <h1 className="text-sm font-semibold text-white truncate" data-testid="patient-name">
          <bdi>{patient.patient_name}</bdi>
        </h1>
        <dl className="flex items-center gap-2.5 text-xs text-gray-300 whitespace-nowrap overflow-hidden">
          {patient.patient_id && (
            <div className="flex gap-1 min-w-0" title={patient.patient_id}>
              <dt className="text-gray-400">{t("patientId")}</dt>
              <dd className="text-gray-100 truncate">
                <bdi>{patient.patient_id}</bdi>
              </dd>
            </div>
          )}
          {facts && (
            <div className="shrink-0">
              <dt className="sr-only">{t("male")}/{t("female")}</dt>
              <dd className="text-gray-100">{facts}</dd>
            </div>
          )}
          {patient.study_date && (
            <div className="shrink-0">
              <dt className="sr-only">{t("studyDate", { date: "" })}</dt>
              {/* a narrow header shows the date without the words before it */}
              <dd className="hidden xl:inline">{t("studyDate", { date: patient.study_date })}</dd>
              <dd className="xl:hidden">{patient.study_date}</dd>
            </div>
          )}
        </dl>
      </div>
      <div className="flex-1" />
      <Tabs tabs={tabs} type={type} onOpen={onOpen} language={language} />
      <div className="flex-1" />
      {children}
      <div
        className="flex shrink-0 rounded border border-gray-700 overflow-hidden"
        role="group"
        aria-label={t("language")}
      >
        {(["en", "ko"] as const).map((each) => (
          <button
            key={each}
            type="button"
            lang={each}
            aria-pressed={each === language}
            onClick={() => each !== language && onLanguage(each)}
            className={`px-2.5 py-1 text-xs ${
              each === language ? "bg-gray-700 text-white" : "text-gray-300 hover:bg-gray-800"
            }`}
          >
            {each === "en" ? "EN" : "한국어"}
          </button>
        ))}
      </div>
      <a
        href={`/report/${patient.pid}`}
        className="px-3 py-1.5 rounded text-sm font-medium bg-cyan-800 text-white hover:bg-cyan-700 whitespace-nowrap"
      >
        {t("report")}
      </a>
    </header>
  );
}

/**
 * Tabs of the viewer: arrow keys, Home and End move the focus, also to disabled tabs with a reason.
 */
function Tabs(
  { tabs, type, onOpen, language }: Pick<
    ViewerHeaderProps,
    "tabs" | "type" | "onOpen" | "language"
  >,
) {
  useSignals();
  const go = (event: KeyboardEvent<HTMLElement>) => {
    const at = tabs.findIndex((tab) =>
      `viewer-tab-${tab.type}` === (event.target as HTMLElement).id
    );
    const steps: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: -1,
    };
    const target = steps[event.key];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    document.getElementById(`viewer-tab-${tabs.at(target % tabs.length)!.type}`)?.focus();
  };
  return (
    <div
      role="tablist"
      aria-label={textIn(viewerText.tabs, language)}
      onKeyDown={go}
      className="flex self-stretch shrink-0"
    >
      {tabs.map(({ type: each, refusal }) => {
        const isOpen = type.value === each;
        return (
          <button
            key={each}
            id={`viewer-tab-${each}`}
            type="button"
            role="tab"
            aria-selected={isOpen}
            aria-controls="viewer-tabpanel"
            aria-disabled={refusal !== null}
            aria-description={refusal ?? undefined}
            title={refusal ?? undefined}
            tabIndex={isOpen ? 0 : -1}
            onClick={() => refusal === null && onOpen(each)}
            className={`px-3 text-sm whitespace-nowrap border-b-2 outline-none focus-visible:ring-2 ring-inset ring-cyan-400 ${
              isOpen
                ? "border-cyan-400 text-white font-semibold"
                : refusal === null
                ? "border-transparent text-gray-300 hover:text-white hover:bg-gray-800"
                : "border-transparent text-gray-500 cursor-not-allowed"
            }`}
          >
            {textIn(viewerText[each], language)}
          </button>
        );
      })}
    </div>
  );
}
