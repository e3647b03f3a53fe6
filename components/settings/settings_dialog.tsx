// The settings dialog; loaded on demand.
import type { KeyboardEvent } from "react";
import { withOpinion } from "@/model/settings/settings_form.ts";
import { settingsText } from "@/model/text/settings/settings.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useMay, useUser } from "@/client/page/user.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { presentToast } from "@/client/notices/present_error.ts";
import { GeneralPanel } from "@/components/settings/GeneralPanel.tsx";
import { GroupPanel } from "@/components/settings/GroupPanel.tsx";
import { OpinionPanel } from "@/components/settings/OpinionPanel.tsx";
import { ReportPanel } from "@/components/settings/ReportPanel.tsx";
import { NormsPanel } from "@/components/settings/settings_norms.tsx";
import {
  type SettingsState,
  type Tab,
  tabsOf,
  useSettings,
} from "@/components/settings/use_settings.ts";
import { EditDialog } from "@/components/dialog/EditDialog.tsx";

function Panel({ settings }: { settings: SettingsState }) {
  const language = useLanguage(), canChangeGroup = useMay("groupSettings");
  const { form, loaded, tab, checked, problems, opinion, change, check } = settings;
  if (tab === "norms") return <NormsPanel />;
  if (!form || !loaded) return null;
  return (
    <>
      {tab === "general" && (
        <GeneralPanel
          general={form.general}
          tree={loaded.config.brain_category}
          language={language}
          onChange={(next) => change({ general: { ...form.general, ...next } })}
        />
      )}
      {tab === "report" && (
        <ReportPanel
          form={form}
          config={loaded.config}
          problem={problems.threshold}
          isChecked={checked.has("threshold")}
          language={language}
          onBlur={() => check("threshold")}
          onChange={(next) => void settings.changeReport(next)}
          onRefused={() => presentToast("report.no_page")}
        />
      )}
      {tab === "reportResult" && opinion.chosen && (
        <OpinionPanel
          opinions={opinion.opinions}
          chosen={opinion.chosen}
          saved={opinion.savedMessage}
          stored={opinion.storedMessage}
          working={opinion.working}
          language={language}
          onChoose={(next) => void settings.chooseOpinion(next)}
          onEdit={opinion.edit}
          onStore={() =>
            change({
              report_result: withOpinion(form.report_result, opinion.chosen!, opinion.working),
            })}
        />
      )}
      {tab === "group" && (
        <fieldset disabled={!canChangeGroup}>
          <GroupPanel
            group={form.group}
            config={loaded.config}
            problems={problems.tags.filter((field) => checked.has(field))}
            language={language}
            onBlur={check}
            onChange={(next) => change({ group: { ...form.group, ...next } })}
          />
        </fieldset>
      )}
    </>
  );
}

/** Settings of the user and of the group. */
export default function SettingsDialog({ onClose }: { onClose: () => void }) {
  const language = useLanguage(), text = useText(settingsText), settings = useSettings(onClose);
  const { form, failure, tab, isEdited, isSaving } = settings;
  return (
    <EditDialog
      language={language}
      text={text}
      width="w-[760px]"
      failure={failure && messageOf(failure.code, failure.details, language)}
      isSaving={isSaving}
      canSave={isEdited}
      onLoad={settings.load}
      onClose={settings.close}
      onSave={settings.save}
    >
      <div className="side-by-side flex gap-6 h-[560px]" aria-busy={form === null}>
        <Tabs tab={tab} onOpen={settings.open} />
        <div
          role="tabpanel"
          id="settings-panel"
          aria-labelledby={`settings-tab-${tab}`}
          tabIndex={-1}
          className="flex-1 min-w-0 overflow-y-auto -mr-2 pr-2 pl-1"
        >
          <Panel settings={settings} />
        </div>
      </div>
    </EditDialog>
  );
}

/** Vertical tabs below the names of tab groups; arrow keys move between the tabs. */
function Tabs({ tab, onOpen }: { tab: Tab; onOpen: (tab: Tab) => void }) {
  const text = useText(settingsText);
  const tabs = tabsOf(useUser());
  const go = (event: KeyboardEvent) => {
    const at = tabs.indexOf(tab);
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1 + tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const target = steps[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const to = tabs[target % tabs.length]!;
    onOpen(to);
    document.getElementById(`settings-tab-${to}`)?.focus();
  };
  const item = (each: Tab, isFirst = false) => (
    <button
      key={each}
      id={`settings-tab-${each}`}
      type="button"
      role="tab"
      aria-selected={each === tab}
      aria-controls="settings-panel"
      aria-label={`${text(each === "group" || each === "norms" ? "group" : "individual")}: ${
        text(each === "group" ? "general" : each)
      }`}
      tabIndex={each === tab ? 0 : -1}
      data-autofocus={isFirst || undefined}
      onClick={() => onOpen(each)}
      className={`w-full h-9 px-3 rounded-md text-left text-sm ${
        each === tab ? "bg-brand-50 text-brand-700 font-semibold" : "text-ink hover:bg-canvas"
      }`}
    >
      {text(each === "group" ? "general" : each)}
    </button>
  );
  const heading = "px-3 pt-3 pb-2 text-xs font-semibold text-ink-faint";
  return (
    <div
      role="tablist"
      aria-label={text("tabs")}
      aria-orientation="vertical"
      onKeyDown={go}
      className="w-[152px] shrink-0 border-r border-line pr-3"
    >
      <p role="presentation" className={heading}>{text("individual")}</p>
      {item("general", true)}
      {item("report")}
      {item("reportResult")}
      <p role="presentation" className={heading}>{text("group")}</p>
      {item("group")}
      {tabs.includes("norms") && item("norms")}
    </div>
  );
}
