import { assessment, settings, settingsConfig, settingsPut } from "@/model/schema/site/settings.ts";
import { getAssessment } from "@/server/core/reports/service/assessment.ts";
import {
  getSettings,
  saveSettings,
  SETTINGS_CONFIG,
  type VersionedSettings,
} from "@/server/core/settings/service/settings.ts";
import { json, pidOf, readJson, type Routes } from "@/server/core/http/app.ts";

/** Response with the settings; the entity tag is the version of the settings. */
function tagged({ version, ...answer }: VersionedSettings): Response {
  const response = json(settings, answer);
  response.headers.set("etag", `"${version}"`);
  return response;
}

export const settingsRoutes: Routes = (api, services) => {
  api.get("/api/v1/settings/config", () => json(settingsConfig, SETTINGS_CONFIG));
  api.get(
    "/api/v1/settings",
    async (context) => tagged(await getSettings(services, context.var.caller)),
  );
  api.put("/api/v1/settings", async (context) => {
    const put = await readJson(context.req.raw, settingsPut);
    const sent = /^"([0-9a-f]+)"$/.exec(context.req.header("if-match") ?? "")?.[1];
    return tagged(await saveSettings(services, put, sent, context.var.caller));
  });
  api.get("/api/v1/settings/assessment/:id{[0-9]+}", async (context) => {
    const pid = pidOf(context.req.param("id"));
    context.set("shown", [pid]);
    return json(assessment, await getAssessment(services, pid, context.var.caller));
  });
};
