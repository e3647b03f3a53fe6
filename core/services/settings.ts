import { DEFAULT_RULES } from "@/core/dicom/classify.ts";
import type { Database } from "@/core/storage/database.ts";
import { readSettings } from "@/core/storage/settings.ts";

/** Settings that apply to every user of the organisation (D1 §3, group.general). */
export interface GroupSettings {
  bias_correction: boolean;
  dicom_encoding_id: number;
  t1w_tag: string;
  t2w_tag: string;
  t1w_includes: string;
  t2w_includes: string;
}

const DEFAULTS: GroupSettings = {
  bias_correction: true,
  dicom_encoding_id: 1,
  t1w_tag: DEFAULT_RULES.t1wTag,
  t2w_tag: DEFAULT_RULES.t2wTag,
  t1w_includes: DEFAULT_RULES.t1wIncludes,
  t2w_includes: DEFAULT_RULES.t2wIncludes,
};

const GROUP = "group";

/** The group settings: what is stored, and the defaults for the rest. */
export async function groupSettings(db: Database): Promise<GroupSettings> {
  const stored = await readSettings(db, GROUP);
  const text = (key: keyof GroupSettings, fallback: string) =>
    typeof stored[key] === "string" ? stored[key] : fallback;
  return {
    bias_correction: typeof stored.bias_correction === "boolean"
      ? stored.bias_correction
      : DEFAULTS.bias_correction,
    dicom_encoding_id: typeof stored.dicom_encoding_id === "number"
      ? stored.dicom_encoding_id
      : DEFAULTS.dicom_encoding_id,
    t1w_tag: text("t1w_tag", DEFAULTS.t1w_tag),
    t2w_tag: text("t2w_tag", DEFAULTS.t2w_tag),
    t1w_includes: text("t1w_includes", DEFAULTS.t1w_includes),
    t2w_includes: text("t2w_includes", DEFAULTS.t2w_includes),
  };
}

/** Whether a user's uploads are analysed at once (individual.general.auto_analyze); on unless switched off. */
export async function autoAnalyzes(db: Database, userId: number): Promise<boolean> {
  return (await readSettings(db, `user:${userId}`)).auto_analyze !== false;
}
