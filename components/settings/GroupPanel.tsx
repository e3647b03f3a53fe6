import { useId } from "react";
import type { GroupSettings, SettingsConfig } from "@/model/schema/site/settings.ts";
import type { TagField } from "@/model/settings/settings_form.ts";
import { type Language, textIn } from "@/model/text.ts";
import { encodingText, settingsText } from "@/model/text/settings/settings.ts";
import { INPUT, Problem, Section, Switch } from "@/components/fields.tsx";

const RULES = ["t1w_tag", "t1w_includes", "t2w_tag", "t2w_includes"] as const;

interface GroupPanelProps {
  group: GroupSettings;
  config: SettingsConfig;
  /** DICOM tags that are invalid, checked when the field loses focus and by the server */
  problems: readonly TagField[];
  language: Language;
  onBlur: (field: TagField) => void;
  onChange: (change: Partial<GroupSettings>) => void;
}

/** Tab "General" of the organisation's settings: how uploads are decoded and analysed. */
export function GroupPanel(
  { group, config, problems, language, onBlur, onChange }: GroupPanelProps,
) {
  const t = (key: keyof typeof settingsText) => textIn(settingsText[key], language);
  const id = useId();
  return (
    <>
      <Section
        title={`${t("swType")} · ${t("biasCorrection")}`}
        hint={t("biasHint")}
        control={
          <Switch
            label={t("biasCorrection")}
            isOn={group.bias_correction}
            words={[t("on"), t("off")]}
            onChange={(bias_correction) => onChange({ bias_correction })}
          />
        }
      />
      <Section
        title={t("secondOpinion")}
        hint={t("secondOpinionHint")}
        control={
          <Switch
            label={t("secondOpinion")}
            isOn={group.second_opinion}
            words={[t("on"), t("off")]}
            onChange={(second_opinion) => onChange({ second_opinion })}
          />
        }
      />
      <Section
        title={t("deepStructures")}
        hint={t("deepStructuresHint")}
        control={
          <Switch
            label={t("deepStructures")}
            isOn={group.deep_structures}
            words={[t("on"), t("off")]}
            onChange={(deep_structures) => onChange({ deep_structures })}
          />
        }
      />
      <Section title={t("dicomLanguage")} hint={t("dicomLanguageHint")}>
        <select
          aria-label={t("dicomLanguage")}
          value={group.dicom_encoding_id}
          onChange={(event) => onChange({ dicom_encoding_id: Number(event.currentTarget.value) })}
          className={`${INPUT} w-full`}
        >
          {config.dicom_encoding_list.map(({ encoding_id, disp_name }) => (
            <option key={encoding_id} value={encoding_id}>
              {encoding_id in encodingText
                ? textIn(encodingText[encoding_id as keyof typeof encodingText], language)
                : disp_name}
            </option>
          ))}
        </select>
      </Section>
      <Section title={t("classify")} hint={t("classifyHint")}>
        <div className="flex flex-col gap-2">
          {RULES.map((field) => {
            const isWrong = problems.some((problem) => problem === field);
            const isTag = field === "t1w_tag" || field === "t2w_tag";
            return (
              <div key={field} className="flex items-start gap-3">
                <label htmlFor={`${id}${field}`} className="w-[116px] pt-2 text-ink">
                  {t(field)}
                </label>
                <div className="flex-1 min-w-0">
                  <input
                    id={`${id}${field}`}
                    value={group[field]}
                    maxLength={isTag ? 300 : 1000}
                    aria-invalid={isWrong}
                    aria-describedby={`${id}${field}-problem`}
                    onBlur={() => isTag && onBlur(field)}
                    onChange={(event) => onChange({ [field]: event.currentTarget.value })}
                    className={`${INPUT} w-full ${isWrong ? "border-red-700" : ""}`}
                  />
                  <Problem id={`${id}${field}-problem`} text={isWrong ? t("tagUnknown") : null} />
                </div>
              </div>
            );
          })}
        </div>
      </Section>
    </>
  );
}
