import type { BrainNode } from "@/model/regions/brain_parts.ts";
import type { SettingsForm } from "@/model/settings/settings_form.ts";
import { type Language, textIn } from "@/model/text.ts";
import { settingsText } from "@/model/text/settings/settings.ts";
import { BrainPartTree } from "@/components/settings/BrainPartTree.tsx";
import { Choice, Section, Switch } from "@/components/fields.tsx";

interface GeneralPanelProps {
  general: SettingsForm["general"];
  tree: readonly BrainNode[];
  language: Language;
  onChange: (change: Partial<SettingsForm["general"]>) => void;
}

/**
 * Tab "General" of the user's settings: automatic analysis, panes of the viewer, and priority
 * parts.
 */
export function GeneralPanel({ general, tree, language, onChange }: GeneralPanelProps) {
  const t = (key: keyof typeof settingsText, values?: Record<string, string | number>) =>
    textIn(settingsText[key], language, values);
  return (
    <>
      <Section
        title={t("autoAnalyze")}
        hint={t("autoAnalyzeHint")}
        control={
          <Switch
            label={t("autoAnalyze")}
            isOn={general.auto_analyze}
            words={[t("on"), t("off")]}
            onChange={(auto_analyze) => onChange({ auto_analyze })}
          />
        }
      />
      <Section
        title={t("division")}
        hint={t("divisionHint")}
        control={
          <Choice
            label={t("division")}
            value={general.division}
            options={([3, 4] as const).map((value) => ({ value, label: t("panes", { n: value }) }))}
            onChange={(division) => onChange({ division })}
          />
        }
      />
      <Section title={t("priority")} hint={t("priorityHint")}>
        <BrainPartTree
          tree={tree}
          chosen={general.brain_part_list}
          expanded={general.expanded_part_list}
          language={language}
          onChoose={(brain_part_list) => onChange({ brain_part_list })}
          onExpand={(expanded_part_list) => onChange({ expanded_part_list })}
        />
      </Section>
    </>
  );
}
