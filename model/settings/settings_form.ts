import { MAX_OPINION_LENGTH, messageLength, type OpinionEdit } from "@/model/report/opinions.ts";
import type { GroupSettings, Settings, SettingsPut } from "@/model/schema/site/settings.ts";
import {
  countOf,
  fieldsOf,
  isAscending,
  MAX_THRESHOLD,
  type ThresholdFields,
  thresholdFlags,
  thresholdListOf,
} from "@/model/settings/settings_rules.ts";

/** Settings as edited in the dialog: thresholds as three fields, all others as in the API. */
export interface SettingsForm {
  general: Settings["individual"]["general"];
  report: Omit<Settings["individual"]["report"], "threshold_list">;
  thresholds: ThresholdFields;
  thresholdCount: number;
  report_result: readonly OpinionEdit[];
  group: GroupSettings;
}

export function formOf({ individual, group }: Settings): SettingsForm {
  const { threshold_list, ...report } = individual.report, thresholds = fieldsOf(threshold_list);
  return {
    general: individual.general,
    report,
    thresholds,
    thresholdCount: countOf(thresholds),
    report_result: individual.report_result,
    group: group.general,
  };
}

/** Request body of a form; empty thresholds are omitted (D1 §5). */
export const putOf = (form: SettingsForm): SettingsPut => ({
  individual: {
    general: form.general,
    report: {
      ...form.report,
      threshold_list: thresholdListOf(form.thresholds, form.thresholdCount),
    },
    report_result: [...form.report_result],
  },
  group: { general: form.group },
});

export type TagField = "t1w_tag" | "t2w_tag";
/** Validation errors of a form. */
export interface SettingsProblems {
  threshold?: "thresholdOrder" | "thresholdRange";
  tags: readonly TagField[];
}

/** Whether a DICOM Classify rule names an attribute, by keyword or by a tag of eight digits. */
function namesAttribute(rule: string, keywords: readonly string[]): boolean {
  if (rule.trim() === "" || keywords.length === 0) return true;
  if (/\(?\b[0-9a-f]{4},?\s?[0-9a-f]{4}\b\)?/i.test(rule)) return true;
  const keywordSet = new Set(keywords.map((keyword) => keyword.toLowerCase()));
  return rule.split(",").some((part) =>
    keywordSet.has(part.trim().toLowerCase().replace(/[\s_-]/g, ""))
  );
}

/**
 * @param keywords Attributes that the server accepts; when empty, only the server checks the tags.
 */
export function problemsOf(form: SettingsForm, keywords: readonly string[]): SettingsProblems {
  const used = form.thresholds.slice(0, form.thresholdCount);
  const isFlagged = thresholdFlags(form.thresholds, form.thresholdCount).includes(true);
  const isOutside = used.some((value) => value > MAX_THRESHOLD || value === 0);
  return {
    ...(isFlagged
      ? { threshold: isOutside && isAscending(used) ? "thresholdRange" : "thresholdOrder" }
      : {}),
    tags: (["t1w_tag", "t2w_tag"] as const).filter((field) =>
      !namesAttribute(form.group[field], keywords)
    ),
  };
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Whether saving would change anything. */
export const isChanged = (form: SettingsForm, stored: Settings): boolean =>
  !isSame(form, formOf(stored));
/** Whether saving would change settings of the organisation. */
export const isGroupChanged = (form: SettingsForm, stored: Settings): boolean =>
  !isSame(form.group, formOf(stored).group);

function merged<T extends object>(before: T, mine: T, theirs: T): T {
  return Object.fromEntries(
    Object.entries(theirs).map(([key, value]) => {
      const mineValue = mine[key as keyof T];
      return [key, isSame(mineValue, before[key as keyof T]) ? value : mineValue];
    }),
  ) as T;
}

/** Settings that other users saved in the meantime, with the user's own changes applied on top. */
export function mergeForms(before: Settings, mine: SettingsForm, theirs: Settings): SettingsForm {
  const was = formOf(before), now = formOf(theirs);
  const isOwnThreshold = !isSame([mine.thresholds, mine.thresholdCount], [
    was.thresholds,
    was.thresholdCount,
  ]);
  const { thresholds, thresholdCount } = isOwnThreshold ? mine : now;
  return {
    general: merged(was.general, mine.general, now.general),
    report: merged(was.report, mine.report, now.report),
    thresholds,
    thresholdCount,
    report_result: isSame(mine.report_result, was.report_result)
      ? now.report_result
      : mine.report_result,
    group: merged(was.group, mine.group, now.group),
  };
}

/** All edits of opinions after storing one text; a text equal to the default is not stored. */
export function withOpinion(
  edits: readonly OpinionEdit[],
  opinion: OpinionEdit,
  message: string,
): OpinionEdit[] {
  const { opinion_id } = opinion;
  const otherEdits = edits.filter((edit) => edit.opinion_id !== opinion_id);
  if (message === opinion.message) return otherEdits;
  return [...otherEdits, { opinion_id, message }].sort((a, b) => a.opinion_id - b.opinion_id);
}

export const isOpinionTooLong = (message: string): boolean =>
  messageLength(message) > MAX_OPINION_LENGTH;
