import { AppError } from "@/model/errors.ts";
import {
  type Assessment,
  assessment,
  type Settings,
  settings,
  type SettingsConfig,
  settingsConfig,
  type SettingsPut,
} from "@/model/schema/site/settings.ts";
import { type Api, callJson, callTagged } from "@/client/api/http.ts";

/** Allowed values of the settings: brain regions, languages, report pages, opinions. */
export const getSettingsConfig = (api: Api, signal?: AbortSignal): Promise<SettingsConfig> =>
  callJson(api, settingsConfig, "/api/v1/settings/config", { signal });

/** Settings of the caller and the organisation. Pass `version` to {@link saveSettings}. */
export const getSettings = (
  api: Api,
  signal?: AbortSignal,
): Promise<Settings & { version?: string }> =>
  callTagged(api, settings, "/api/v1/settings", { signal });

/**
 * Like {@link getSettings}, for a page that works without settings: `null` if the API has none,
 * `unknown` if the settings could not be read.
 * Unknown settings hide the patient's identity: see {@link hidesIdentity}.
 *
 * @throws {AppError} `token.*`, `access.forbidden`.
 */
export async function findSettings(
  api: Api,
  signal?: AbortSignal,
): Promise<Settings | null | "unknown"> {
  try {
    return await getSettings(api, signal);
  } catch (error) {
    if (!(error instanceof AppError)) return "unknown";
    if (error.status === 401 || error.status === 403) throw error;
    return error.status === 404 ? null : "unknown";
  }
}

/** Whether a page hides the patient's identity: as set, or because the settings are unknown. */
export const hidesIdentity = (found: Settings | null | "unknown"): boolean =>
  found === "unknown" || (found?.individual.report.anonymize ?? false);

/**
 * Stores the settings of the user and the organisation.
 * @param version Version of the settings from which the edit started.
 * @throws {AppError} `input.invalid` with `details.field`;
 * `settings.changed` if another user has saved settings since `version`.
 */
export const saveSettings = (
  api: Api,
  put: SettingsPut,
  version?: string,
): Promise<Settings & { version?: string }> =>
  callTagged(api, settings, "/api/v1/settings", {
    method: "PUT",
    json: put,
    headers: version === undefined ? {} : { "if-match": `"${version}"` },
  });

/** The opinion (a prepared comment) that the results of a study suggest. */
export const getAssessment = (api: Api, pid: number, signal?: AbortSignal): Promise<Assessment> =>
  callJson(api, assessment, `/api/v1/settings/assessment/${pid}`, { signal });
