import { useId, useState } from "react";
import type { ReportType } from "@/model/report/pages.ts";
import type { SettingsConfig } from "@/model/schema/site/settings.ts";
import type { SettingsForm, SettingsProblems } from "@/model/settings/settings_form.ts";
import {
  MAX_THRESHOLDS,
  thresholdFlags,
  withCount,
  withPage,
  withTyped,
} from "@/model/settings/settings_rules.ts";
import { type Language, LANGUAGES, textIn } from "@/model/text.ts";
import { reportPageText } from "@/model/text/report/report_page_names.ts";
import { settingsText } from "@/model/text/settings/settings.ts";
import { PageCheck } from "@/components/page/PageCheck.tsx";
import { Choice, INPUT, Problem, Section, Switch } from "@/components/fields.tsx";

const TYPES: readonly { value: ReportType; label: string }[] = [
  { value: "t1", label: "T1w" },
  { value: "t2", label: "T2w" },
  { value: "t1t2", label: "T1w+T2w" },
];
const FIELDS = [0, 1, 2] as const;

interface ReportPanelProps {
  form: SettingsForm;
  config: SettingsConfig;
  problem: SettingsProblems["threshold"];
  /** whether errors are shown: after a threshold field lost the focus, or an attempt to save */
  isChecked: boolean;
  language: Language;
  onBlur: () => void;
  onChange: (change: Partial<SettingsForm>) => void;
  /** called when the user tries to clear the last page of a report type */
  onRefused: () => void;
}

/**
 * Tab "Report" of the user's settings: language, thresholds, anonymity, pages of each report type.
 */
export function ReportPanel(
  { form, config, problem, isChecked, language, onBlur, onChange, onRefused }: ReportPanelProps,
) {
  const t = (key: keyof typeof settingsText, values?: Record<string, string | number>) =>
    textIn(settingsText[key], language, values);
  const [type, setType] = useState<ReportType>("t1");
  const languageId = useId(), problemId = useId();
  const { report, thresholds, thresholdCount } = form, pages = report.page_list[type];
  const flags = thresholdFlags(thresholds, thresholdCount);
  const choosePage = (code: number, isChosen: boolean) => {
    const newPages = withPage(pages, code, isChosen);
    if (newPages === null) onRefused();
    else onChange({ report: { ...report, page_list: { ...report.page_list, [type]: newPages } } });
  };
  const chooseLanguage = (value: string) => {
    const chosenLanguage = LANGUAGES.find((each) => each === value);
    if (chosenLanguage) onChange({ report: { ...report, language: chosenLanguage } });
  };
  return (
    <>
      <Section
        title={t("language")}
        control={
          <select
            id={languageId}
            aria-label={t("language")}
            value={report.language}
            onChange={(event) => chooseLanguage(event.currentTarget.value)}
            className={`${INPUT} w-[200px]`}
          >
            {config.report_language_list.map((each) => (
              <option key={each.language} value={each.language}>{each.disp_name}</option>
            ))}
          </select>
        }
      />
      <Section title={t("threshold")} hint={t("thresholdHint")}>
        <div className="flex items-center gap-3" onBlur={onBlur}>
          <Choice
            label={t("count")}
            value={thresholdCount}
            options={Array.from(
              { length: MAX_THRESHOLDS },
              (_, n) => ({ value: n + 1, label: `${n + 1}` }),
            )}
            onChange={(count) =>
              onChange({ thresholdCount: count, thresholds: withCount(thresholds, count) })}
          />
          {FIELDS.map((n) => (
            <input
              key={n}
              inputMode="numeric"
              aria-label={t("thresholdOf", { n: n + 1 })}
              aria-invalid={flags[n]}
              aria-describedby={problemId}
              disabled={n >= thresholdCount}
              value={thresholds[n] || ""}
              onChange={(event) =>
                onChange({ thresholds: withTyped(thresholds, n, event.currentTarget.value) })}
              className={`${INPUT} w-[84px] text-right tabular ${flags[n] ? "border-red-700" : ""}`}
            />
          ))}
        </div>
        <div className="mt-1">
          <Problem id={problemId} text={isChecked && problem ? t(problem) : null} />
        </div>
      </Section>
      <Section
        title={t("anonymize")}
        hint={t("anonymizeHint")}
        control={
          <Switch
            label={t("anonymize")}
            isOn={report.anonymize}
            words={[t("on"), t("off")]}
            onChange={(anonymize) => onChange({ report: { ...report, anonymize } })}
          />
        }
      />
      <Section
        title={t("pageList")}
        hint={t("pageListHint")}
        control={<Choice label={t("reportType")} value={type} options={TYPES} onChange={setType} />}
      >
        <fieldset className="grid grid-cols-2 gap-x-6 gap-y-0.5 rounded-lg border border-line bg-white px-3 py-2">
          <legend className="sr-only">{t("pageList")}</legend>
          {config.report_page.map(({ code, name, types }) => {
            const isEnabled = types.includes(type);
            const words = code in reportPageText
              ? reportPageText[code as keyof typeof reportPageText]
              : null;
            return (
              <PageCheck
                key={code}
                name={words ? textIn(words, language) : name}
                isChecked={pages.includes(code)}
                isEnabled={isEnabled}
                onChoose={(isChosen) => choosePage(code, isChosen)}
              />
            );
          })}
        </fieldset>
      </Section>
    </>
  );
}
