import { createHash } from "node:crypto";
import { mayDo } from "@/model/accounts/roles.ts";
import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import { AppError } from "@/model/errors.ts";
import { BRAIN_CATEGORY } from "@/model/regions/brain_parts.ts";
import { DICOM_ENCODINGS } from "@/model/dicom/dicom_charset.ts";
import { isCounted } from "@/model/site/license.ts";
import { OPINIONS } from "@/model/report/opinions.ts";
import { REPORT_PAGES } from "@/model/report/pages.ts";
import {
  type GroupSettings,
  type IndividualSettings,
  type Settings,
  type SettingsConfig,
  type SettingsPut,
  settingsPut,
} from "@/model/schema/site/settings.ts";
import { LANGUAGE_NAMES, LANGUAGES } from "@/model/text.ts";
import { CLASSIFY_TAGS, DEFAULT_RULES, namesAttribute } from "@/model/dicom/classify.ts";
import type { Database } from "@/server/core/database/database.ts";
import { readSettings, writeSettings } from "@/server/core/settings/storage/settings.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { getLicense } from "@/server/core/site/service/license.ts";

export type { GroupSettings };

const INDIVIDUAL_DEFAULTS: IndividualSettings = {
  general: { auto_analyze: true, division: 4, brain_part_list: [], expanded_part_list: ["all"] },
  report: {
    language: "en",
    anonymize: false,
    threshold_list: [...DEFAULT_THRESHOLDS],
    page_list: {
      // pages of a report for which a study has no data are omitted when it is made
      t1: [1, 2, 8, 32, 64, 512, 1024],
      t2: [1, 64, 128, 1024],
      t1t2: [1, 2, 8, 32, 64, 128, 512, 1024],
    },
  },
  report_result: [],
};
const GROUP_DEFAULTS: GroupSettings = {
  bias_correction: true,
  second_opinion: true,
  deep_structures: true,
  dicom_encoding_id: 1,
  t1w_tag: DEFAULT_RULES.t1wTag,
  t2w_tag: DEFAULT_RULES.t2wTag,
  t1w_includes: DEFAULT_RULES.t1wIncludes,
  t2w_includes: DEFAULT_RULES.t2wIncludes,
};

const GROUP = "group";
const scopeOf = (userId: number) => `user:${userId}`;
const { individual: individualRules, group: groupRules } = settingsPut.shape;

interface Rule {
  safeParse(value: unknown): { success: boolean; data?: unknown };
}

/**
 * Stored values of the keys of `defaults`; a missing or invalid value is replaced by the default.
 */
function validOr<T extends object>(
  rules: Readonly<Record<keyof T, Rule>>,
  stored: Readonly<Record<string, unknown>>,
  defaults: T,
): T {
  const values = Object.keys(defaults).map((key) => {
    const read = rules[key as keyof T].safeParse(stored[key]);
    return [key, read.success ? read.data : defaults[key as keyof T]];
  });
  return Object.fromEntries(values) as T;
}

/** Settings of the organisation, with defaults for missing values. */
export async function groupSettings(db: Database): Promise<GroupSettings> {
  return validOr(groupRules.shape.general.shape, await readSettings(db, GROUP), GROUP_DEFAULTS);
}

/** Database with the settings, and the site's default language of reports. */
type Site = Pick<ServiceContext, "db" | "language">;

/** A user's personal settings, with defaults for missing values. */
export async function individualSettings(
  { db, language = INDIVIDUAL_DEFAULTS.report.language }: Site,
  userId: number,
): Promise<IndividualSettings> {
  const stored = await readSettings(db, scopeOf(userId)), { report } = stored;
  const { general, report: reportRules, report_result } = individualRules.shape;
  const edits = report_result.safeParse(stored.report_result);
  return {
    general: validOr(general.shape, stored, INDIVIDUAL_DEFAULTS.general),
    report: validOr(
      reportRules.shape,
      (report ?? {}) as Record<string, unknown>,
      { ...INDIVIDUAL_DEFAULTS.report, language },
    ),
    report_result: edits.success ? edits.data : [],
  };
}

/**
 * Whether a user's uploads are analysed automatically; on by default.
 * The setting is `individual.general.auto_analyze`.
 */
export async function autoAnalyzes(db: Database, userId: number): Promise<boolean> {
  return (await readSettings(db, scopeOf(userId))).auto_analyze !== false;
}

/** Settings, with a version that changes when they are stored. */
export type VersionedSettings = Settings & { version: string };

async function read({ db, language }: Site, userId: number): Promise<VersionedSettings> {
  const stored = {
    individual: await individualSettings({ db, language }, userId),
    group: { general: await groupSettings(db) },
  };
  const version = createHash("sha256").update(JSON.stringify(stored)).digest("hex").slice(0, 32);
  return { ...stored, use_limit: isCounted((await getLicense(db)).limit), version };
}

/** Settings of the calling user, and those of the organisation. */
export const getSettings = (services: ServiceContext, caller: Caller): Promise<VersionedSettings> =>
  read(services, caller.uid);

/**
 * Validates settings with DICOM tags by which series are classified as T1w or T2w.
 * @throws {AppError} `input.invalid` for a tag that is no DICOM attribute.
 */
function checkTags(group: GroupSettings): void {
  for (const field of ["t1w_tag", "t2w_tag"] as const) {
    if (group[field].trim() !== "" && !namesAttribute(group[field])) {
      throw new AppError(
        "input.invalid",
        "Cannot save the settings: a tag names no known attribute",
        {
          field,
        },
      );
    }
  }
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/**
 * Stores the caller's settings and those of the organisation atomically.
 * Notifies open pages of the caller, or of all users if the organisation's settings changed.
 *
 * @param version Version that the caller edited; `undefined`: not checked.
 * @throws {AppError} `settings.changed` when other settings were stored since `version`,
 * `input.invalid`, `access.forbidden` if the caller may not change the organisation's settings.
 */
export async function saveSettings(
  { db, language, publish, log }: ServiceContext,
  { individual, group }: SettingsPut,
  version: string | undefined,
  caller: Caller,
): Promise<VersionedSettings> {
  checkTags(group.general);
  const { before, after } = await db.transaction().execute(async (tx) => {
    const current = await read({ db: tx, language }, caller.uid);
    if (!isSame(current.group, group) && !mayDo(caller.role, "groupSettings")) {
      throw new AppError(
        "access.forbidden",
        "Cannot save the settings: the organisation's are not the caller's",
      );
    }
    if (version !== undefined && version !== current.version) {
      throw new AppError(
        "settings.changed",
        "Cannot save the settings: others were saved meanwhile",
      );
    }
    const { general, report, report_result } = individual;
    await writeSettings(tx, scopeOf(caller.uid), { ...general, report, report_result });
    // unchanged values are not stored, so that a later version's defaults apply to them
    const changed = Object.entries(group.general).filter(([key, value]) =>
      value !== current.group.general[key as keyof GroupSettings]
    );
    await writeSettings(tx, GROUP, Object.fromEntries(changed));
    return { before: current, after: await read({ db: tx, language }, caller.uid) };
  });
  if (!isSame(before.group, after.group)) {
    publish({ event: "setting_update", scope: "group", uid: caller.uid });
    log("info", "Changed the settings of the organisation", { uid: caller.uid });
  } else if (!isSame(before.individual, after.individual)) {
    publish({ event: "setting_update", scope: "individual", uid: caller.uid }, { uid: caller.uid });
  }
  return after;
}

/** Values that users can choose for each setting. */
export const SETTINGS_CONFIG: SettingsConfig = {
  brain_category: [...BRAIN_CATEGORY],
  report_language_list: LANGUAGES.map((language) => ({
    language,
    disp_name: LANGUAGE_NAMES[language],
  })),
  report_page: REPORT_PAGES.map(({ code, name, types, exclusiveWith }) => ({
    code,
    name,
    types: [...types],
    ...(exclusiveWith.length > 0 ? { exclusive_with: [...exclusiveWith] } : {}),
  })),
  opinion: OPINIONS.map(({ name, id, message }) => ({
    name: name.en,
    ...Object.fromEntries(
      LANGUAGES.map((language) => [
        language,
        { opinion_id: id[language], message: message[language] },
      ]),
    ),
  })) as SettingsConfig["opinion"],
  dicom_encoding_list: DICOM_ENCODINGS.map(({ encodingId, displayName }) => ({
    encoding_id: encodingId,
    disp_name: displayName,
  })),
  classify_tag_list: Object.keys(CLASSIFY_TAGS),
};
