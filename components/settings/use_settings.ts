import { useEffect, useRef, useState } from "react";
import { AppError, asAppError, isRetryable } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { Settings, SettingsConfig } from "@/model/schema/site/settings.ts";
import type { Language } from "@/model/text.ts";
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
import { getSettings, getSettingsConfig, saveSettings } from "@/client/api/site/settings.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage } from "@/client/page/language.ts";
import {
  chooseInModal,
  confirmInModal,
  presentError,
  presentToast,
} from "@/client/notices/present_error.ts";
import { queryClient } from "@/client/page/query.ts";
import { type OpinionChoice, opinionName } from "@/components/settings/OpinionPanel.tsx";

const TABS = ["general", "report", "reportResult", "group", "norms"] as const;
/** Name of a tab of the settings dialog. */
export type Tab = (typeof TABS)[number];
/** Shows the norms tab to administrators only. */
export const tabsOf = (user: User | null): readonly Tab[] =>
  userMay(user, "administer") ? TABS : TABS.filter((each) => each !== "norms");
/** Queries invalidated by saving (D1 §7): settings with assessments, and reports. */
const STALE = [queryKeys.settings, queryKeys.reports] as const;

type Loaded = Settings & { version?: string };

interface LoadedSettings {
  stored: Loaded;
  config: SettingsConfig;
}

/**
 * The opinion being edited: the text follows the selected opinion,
 * which follows the report's language.
 */
function useOpinion(loaded: LoadedSettings | null, form: SettingsForm | null, language: Language) {
  const [opinionId, setOpinionId] = useState<number | null>(null),
    [working, setWorking] = useState("");
  const opinions: OpinionChoice[] = !loaded || !form
    ? []
    : loaded.config.opinion.flatMap((opinion) => {
      const inLanguage = opinion[form.report.language];
      return typeof inLanguage === "object" ? [{ name: opinion.name, ...inLanguage }] : [];
    });
  const messageIn = (edits: SettingsForm["report_result"], opinion: OpinionChoice | undefined) =>
    edits.find((edit) => edit.opinion_id === opinion?.opinion_id)?.message ?? opinion?.message ??
      "";
  const chosen = opinions.find((opinion) => opinion.opinion_id === opinionId) ?? opinions[0];
  const storedMessage = messageIn(form?.report_result ?? [], chosen);
  // D1 §4: after a change of language, the first opinion is selected
  useEffect(() => setOpinionId(null), [form?.report.language]);
  const follows = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (follows.current === chosen?.opinion_id) return;
    follows.current = chosen?.opinion_id;
    setWorking(storedMessage);
  });
  const isEdited = chosen !== undefined && working !== storedMessage;
  /**
   * Asks about unsaved text before the selected opinion changes.
   * @returns the edits to continue with; `null`: cancelled.
   */
  const leaveOpinion = async (): Promise<SettingsForm["report_result"] | null> => {
    const edits = form?.report_result ?? [];
    if (!isEdited) return edits;
    const answer = await chooseInModal("opinion.leave", { name: opinionName(chosen, language) });
    if (answer === "alternative") return edits;
    return answer === "confirm" && !isOpinionTooLong(working)
      ? withOpinion(edits, chosen, working)
      : null;
  };
  return {
    opinions,
    chosen,
    working,
    isEdited,
    storedMessage,
    savedMessage: messageIn(loaded?.stored.individual.report_result ?? [], chosen),
    choose: setOpinionId,
    edit: setWorking,
    leaveOpinion,
  };
}

/** Stored and edited settings, with the actions of the dialog. */
export function useSettings(onClose: () => void) {
  const language = useLanguage();
  const [loaded, setLoaded] = useState<LoadedSettings | null>(null);
  const [form, setForm] = useState<SettingsForm | null>(null);
  const [failure, setFailure] = useState<AppError | null>(null);
  const [tab, setTab] = useState<Tab>("general");
  const [checked, setChecked] = useState<ReadonlySet<"threshold" | TagField>>(new Set());
  const [isSaving, setSaving] = useState(false);

  const load = async () => {
    setFailure(null);
    try {
      const [stored, config] = await Promise.all([
        getSettings(browserApi),
        getSettingsConfig(browserApi),
      ]);
      setLoaded({ stored, config });
      setForm(formOf(stored));
    } catch (error) {
      setFailure(asAppError(error));
    }
  };
  useEffect(() => void load(), []);

  const change = (next: Partial<SettingsForm>) => setForm((now) => ({ ...now!, ...next }));
  const check = (field: "threshold" | TagField) => setChecked((now) => new Set([...now, field]));
  const open = (next: Tab) => {
    setTab(next);
    if (next === "group" && tab !== "group") presentToast("settings.group");
  };

  const opinion = useOpinion(loaded, form, language);
  const { isEdited: isOpinionEdited, leaveOpinion } = opinion;
  const isEdited = form !== null && loaded !== null &&
    (isChanged(form, loaded.stored) || isOpinionEdited);
  const problems = form ? problemsOf(form, loaded?.config.classify_tag_list ?? []) : { tags: [] };
  const close = async () => {
    const leaves = !isEdited || await confirmInModal("changes.discard");
    if (leaves) onClose();
  };

  /**
   * After another user has saved settings: shows those with this form's changes, for review.
   */
  const acceptTheirs = async () => {
    const theirs = await getSettings(browserApi);
    setForm(mergeForms(loaded!.stored, form!, theirs));
    setLoaded({ ...loaded!, stored: theirs });
  };
  const refresh = () =>
    Promise.all(STALE.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  const failed = async (error: unknown) => {
    const code = asAppError(error).code;
    if (code === "settings.changed") {
      // closes first, because the message refers to the dialog's new state
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
    // keeps the dialog with its input after a short network failure; other errors close it (D1 §7)
    if (isRetryable(code)) return;
    await refresh();
    onClose();
  };
  const chooseOpinion = async (next: number) => {
    const report_result = await leaveOpinion();
    if (report_result === null) return;
    change({ report_result });
    opinion.choose(next);
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
      presentToast(
        isGroupChanged(form, loaded.stored) ? "settings.updated_group" : "settings.updated",
      );
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
  return {
    loaded,
    form,
    failure,
    tab,
    checked,
    opinion,
    isEdited,
    isSaving,
    problems,
    load,
    change,
    check,
    open,
    close,
    save,
    chooseOpinion,
    changeReport,
  };
}

/** State of the settings dialog. */
export type SettingsState = ReturnType<typeof useSettings>;
