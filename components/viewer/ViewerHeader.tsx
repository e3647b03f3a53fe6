import type { Language } from "@/model/text.ts";
import { textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer.ts";

/** Whose images these are. */
export interface ViewerPatient {
  pid: number;
  patient_id: string;
  patient_name: string;
  patient_sex: "male" | "female" | null;
  patient_age: number | null;
  study_date: string | null;
}

interface ViewerHeaderProps {
  patient: ViewerPatient;
  language: Language;
  onLanguage: (language: Language) => void;
}

const LINK = "px-3 py-1.5 rounded text-sm text-gray-200 hover:bg-gray-800 focus-visible:ring-2 ring-cyan-400";

/** Patient identity, the ways out, and the language. */
export function ViewerHeader({ patient, language, onLanguage }: ViewerHeaderProps) {
  const t = (key: keyof typeof viewerText, values?: Record<string, string | number>) =>
    textIn(viewerText[key], language, values);
  const facts = [
    patient.patient_sex && t(patient.patient_sex),
    patient.patient_age !== null && t("years", { age: patient.patient_age }),
  ].filter(Boolean).join(" · ");
  return (
    <header className="flex items-center gap-4 h-12 px-3 bg-gray-900 border-b border-gray-700 shrink-0">
      <a href="/" className={LINK}>
        <span aria-hidden="true">←</span> {t("worklist")}
      </a>
      <div className="w-px h-6 bg-gray-700" />
      <h1 className="text-base font-semibold text-white truncate max-w-md" data-testid="patient-name">
        {patient.patient_name}
      </h1>
      <dl className="flex items-center gap-4 text-sm text-gray-300 whitespace-nowrap">
        <div className="flex gap-1.5">
          <dt className="text-gray-400">{t("patientId")}</dt>
          <dd className="text-gray-100">{patient.patient_id}</dd>
        </div>
        {facts && (
          <div>
            <dt className="sr-only">{t("male")}/{t("female")}</dt>
            <dd className="text-gray-100">{facts}</dd>
          </div>
        )}
        {patient.study_date && (
          <div>
            <dt className="sr-only">{t("studyDate", { date: "" })}</dt>
            <dd>{t("studyDate", { date: patient.study_date })}</dd>
          </div>
        )}
      </dl>
      <div className="flex-1" />
      <div
        className="flex rounded border border-gray-700 overflow-hidden"
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
        className="px-3 py-1.5 rounded text-sm font-medium bg-cyan-800 text-white hover:bg-cyan-700"
      >
        {t("report")}
      </a>
    </header>
  );
}
