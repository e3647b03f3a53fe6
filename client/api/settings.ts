import { AppError } from "@/model/errors.ts";
import {
  type Assessment,
  assessment,
  type Settings,
  settings,
  type SettingsConfig,
  settingsConfig,
  type SettingsPut,
} from "@/model/schema/settings.ts";
import { type Api, callJson, callTagged } from "@/client/api/http.ts";

/** What the settings can be chosen from. */
export const getSettingsConfig = (api: Api, signal?: AbortSignal): Promise<SettingsConfig> =>
  callJson(api, settingsConfig, "/api/v1/settings/config", { signal });

/** The caller's settings and the organisation's. `version` goes into {@link saveSettings}. */
export const getSettings = (api: Api, signal?: AbortSignal): Promise<Settings & { version?: string }> =>
  callTagged(api, settings, "/api/v1/settings", { signal });

/** {@link getSettings}, or `null` when the API has none that this version can read. @throws {AppError} `token.*`. */
export async function findSettings(api: Api, signal?: AbortSignal): Promise<Settings | null> {
  try {
    return await getSettings(api, signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.status === 401 || error.status === 403) throw error;
    return null;
  }
}

/**
 * Stores the settings.
 * @param version State that the edit started from.
 * @throws {AppError} `settings.changed` when others were saved since `version`; `input.invalid` with `details.field`.
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

/** The opinion suggested for a study. */
export const getAssessment = (api: Api, pid: number, signal?: AbortSignal): Promise<Assessment> =>
  callJson(api, assessment, `/api/v1/settings/assessment/${pid}`, { signal });
