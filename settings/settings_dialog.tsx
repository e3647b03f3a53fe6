// The settings dialog; loaded when it is opened.
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { AppError, isRetryable } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { Settings, SettingsConfig } from "@/model/schema/site/settings.ts";
import { userMay } from "@/model/accounts/roles.ts";
import type { User } from "@/model/schema/accounts/user.ts";
import {
  formOf,
  isChanged,
  isGroupChanged,
  isOpinionTooLong,
  mergeForms,
  problemsOf,
  putOf,
  type SettingsForm,
  type TagField,
  withOpinion,
} from "@/model/settings/settings_form.ts";
import { settingsText } from "@/model/text/settings/settings.ts";
import { getSettings, getSettingsConfig, saveSettings } from "@/client/api/site/settings.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useMay, useUser } from "@/client/page/user.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { chooseInModal, confirmInModal, presentError, presentToast } from "@/client/notices/present_error.ts";
import { queryClient } from "@/client/page/query.ts";
import { GeneralPanel } from "@/settings/GeneralPanel.tsx";
import { GroupPanel } from "@/settings/GroupPanel.tsx";
import { type OpinionChoice, opinionName, OpinionPanel } from "@/settings/OpinionPanel.tsx";
import { ReportPanel } from "@/settings/ReportPanel.tsx";
import { NormsPanel } from "@/settings/settings_norms.tsx";
import { EditDialog } from "@/components/dialog/EditDialog.tsx";

const TABS = ["general", "report", "reportResult", "group", "norms"] as const;
type Tab = (typeof TABS)[number];
/** Norms are for administrators. */
const tabsOf = (user: User | null): readonly Tab[] =>
  userMay(user, "administer") ? TABS : TABS.filter((each) => each !== "norms");
/** What a save makes old (D1 §7): settings with assessments, and reports. */
const STALE = [queryKeys.settings, queryKeys.reports] as const;

type Loaded = Settings & { version?: string };

export default function SettingsDialog({ onClose }: { onClose: () => void }) {
  const language = useLanguage(), text = useText(settingsText), canChangeGroup = useMay("groupSettings");
  const [loaded, setLoaded] = useState<{ stored: Loaded; config: SettingsConfig } | null>(null);
  const [form, setForm] = useState<SettingsForm | null>(null);
  const [failure, setFailure] = useState<AppError | null>(null);
  const [tab, setTab] = useState<Tab>("general");
  const [checked, setChecked] = useState<ReadonlySet<"threshold" | TagField>>(new Set());
  const [opinionId, setOpinionId] = useState<number | null>(null), [working, setWorking] = useState("");
  const [isSaving, setSaving] = useState(false);

  const load = async () => {
    setFailure(null);
    try {
      const [stored, config] = await Promise.all([getSettings(browserApi), getSettingsConfig(browserApi)]);
      setLoaded({ stored, config });
      setForm(formOf(stored));
    } catch (error) {
      setFailure(error instanceof AppError ? error : new AppError("internal", String(error)));
    }
  };
  useEffect(() => void load(), []);

  const change = (next: Partial<SettingsForm>) => setForm((now) => ({ ...now!, ...next }));
  const check = (field: "threshold" | TagField) => setChecked((now) => new Set([...now, field]));
  const open = (next: Tab) => {
    setTab(next);
    if (next === "group" && tab !== "group") presentToast("settings.group");
  };

  const opinions: OpinionChoice[] = !loaded || !form ? [] : loaded.config.opinion.flatMap((opinion) => {
    const own = opinion[form.report.language];
    return typeof own === "object" ? [{ name: opinion.name, ...own }] : [];
  });
  const messageIn = (edits: SettingsForm["report_result"], opinion: OpinionChoice | undefined) =>
    edits.find((edit) => edit.opinion_id === opinion?.opinion_id)?.message ?? opinion?.message ?? "";
  const chosen = opinions.find((opinion) => opinion.opinion_id === opinionId) ?? opinions[0];
  const storedMessage = messageIn(form?.report_result ?? [], chosen);
  // D1 §4: another language begins with its first opinion
  useEffect(() => setOpinionId(null), [form?.report.language]);
  // the working text follows the chosen opinion, which follows the report's language
  const follows = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (follows.current === chosen?.opinion_id) return;
    follows.current = chosen?.opinion_id;
    setWorking(storedMessage);
  });

  const isEdited = form !== null && loaded !== null &&
    (isChanged(form, loaded.stored) || (chosen !== undefined && working !== storedMessage));
  const problems = form ? problemsOf(form, loaded?.config.classify_tag_list ?? []) : { tags: [] };
  const close = async () => {
    const leaves = !isEdited || await confirmInModal("changes.discard");
    if (leaves) onClose();
  };

  /** Somebody saved in the meantime: theirs, with what was changed here on top, to be looked at again. */
  const acceptTheirs = async () => {
    const theirs = await getSettings(browserApi);
    setForm(mergeForms(loaded!.stored, form!, theirs));
    setLoaded({ ...loaded!, stored: theirs });
  };
  const refresh = () => Promise.all(STALE.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  const failed = async (error: unknown) => {
    const code = error instanceof AppError ? error.code : "internal";
    if (code === "settings.changed") {
      // it speaks of what then stands in the dialog
      await acceptTheirs();
      return presentError(error);
    }
    const field = error instanceof AppError ? error.details.field : undefined;
    if (code === "input.invalid" && (field === "t1w_tag" || field === "t2w_tag")) {
      check(field);
      return setTab("group");
    }
    if (code.startsWith("token.")) return presentError(error);
    presentToast("settings.failed");
    // what was typed survives a network that was away for a moment; everything else closes (D1 §7)
    if (isRetryable(code)) return;
    await refresh();
    onClose();
  };
  /**
   * What goes away from the chosen opinion asks what becomes of text that is not stored in it.
   * @returns the edits to go on with; `null`: stay.
   */
  const leaveOpinion = async (): Promise<SettingsForm["report_result"] | null> => {
    const edits = form?.report_result ?? [];
    if (!chosen || working === storedMessage) return edits;
    const answer = await chooseInModal("opinion.leave", { name: opinionName(chosen, language) });
    if (answer === "alternative") return edits;
    return answer === "confirm" && !isOpinionTooLong(working) ? withOpinion(edits, chosen, working) : null;
  };
  const chooseOpinion = async (next: number) => {
    const report_result = await leaveOpinion();
    if (report_result === null) return;
    change({ report_result });
    setOpinionId(next);
  };
  const changeReport = async (next: Partial<SettingsForm>) => {
    const isOther = next.report !== undefined && next.report.language !== form?.report.language;
    const report_result = isOther ? await leaveOpinion() : form?.report_result;
    if (report_result) change({ ...next, report_result });
  };
  const save = async () => {
    if (!loaded || !form) return;
    if (problems.threshold) {
      check("threshold");
      return setTab("report");
    }
    if (problems.tags[0]) {
      check(problems.tags[0]);
      return setTab("group");
    }
    const report_result = await leaveOpinion();
    if (report_result === null) return;
    setSaving(true);
    try {
      await saveSettings(browserApi, putOf({ ...form, report_result }), loaded.stored.version);
      presentToast(isGroupChanged(form, loaded.stored) ? "settings.updated_group" : "settings.updated");
      const { auto_analyze } = form.general;
      if (auto_analyze !== loaded.stored.individual.general.auto_analyze) {
        presentToast(auto_analyze ? "settings.auto_on" : "settings.auto_off");
      }
      await refresh();
      onClose();
    } catch (error) {
      await failed(error).catch(presentError);
    } finally {
      setSaving(false);
    }
  };

  return (
    <EditDialog
      language={language}
      text={text}
      width="w-[760px]"
      failure={failure && messageOf(failure.code, failure.details, language)}
      isSaving={isSaving}
      canSave={isEdited}
      onLoad={load}
      onClose={close}
      onSave={save}
    >
      <div className="side-by-side flex gap-6 h-[560px]" aria-busy={form === null}>
        <Tabs tab={tab} onOpen={open} />
        <div
          role="tabpanel"
          id="settings-panel"
          aria-labelledby={`settings-tab-${tab}`}
          tabIndex={-1}
          className="flex-1 min-w-0 overflow-y-auto -mr-2 pr-2 pl-1"
        >
          {form && loaded && tab === "general" && (
            <GeneralPanel
              general={form.general}
              tree={loaded.config.brain_category}
              language={language}
              onChange={(next) => change({ general: { ...form.general, ...next } })}
            />
          )}
          {form && loaded && tab === "report" && (
            <ReportPanel
              form={form}
              config={loaded.config}
              problem={problems.threshold}
              isChecked={checked.has("threshold")}
              language={language}
              onBlur={() => check("threshold")}
              onChange={(next) => void changeReport(next)}
              onRefused={() => presentToast("report.no_page")}
            />
          )}
          {form && loaded && tab === "reportResult" && chosen && (
            <OpinionPanel
              opinions={opinions}
              chosen={chosen}
              saved={messageIn(loaded.stored.individual.report_result, chosen)}
              stored={storedMessage}
              working={working}
              language={language}
              onChoose={(next) => void chooseOpinion(next)}
              onEdit={setWorking}
              onStore={() => change({ report_result: withOpinion(form.report_result, chosen, working) })}
            />
          )}
          {form && loaded && tab === "group" && (
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
          {tab === "norms" && <NormsPanel />}
        </div>
      </div>
    </EditDialog>
  );
}

/** The tabs, one below the other under the names of their groups; arrow keys go from one to the next. */
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
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const to = tabs[next % tabs.length]!;
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
