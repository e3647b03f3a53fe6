import { AppError } from "@/model/errors.ts";
import {
  archivedSeriesFound,
  archivedSeriesRequest,
  archiveFound,
  archives,
  archiveSearch,
  pullRequest,
  pulls,
} from "@/model/schema/connections/pacs.ts";
import { listArchives, searchArchive } from "@/server/core/connections/service/archive_search.ts";
import { listArchivedSeries } from "@/server/core/connections/service/archive_series.ts";
import { listPulls, requestPulls } from "@/server/core/connections/service/pulls.ts";
import { json, readJson, type Routes } from "@/server/core/http/app.ts";

const ONE = "/api/v1/pacs/:id{[0-9]{1,15}}";

function idOf(text: string): number {
  const id = Number(text);
  if (id > 0) return id;
  throw new AppError("entity.not_found", "Cannot find the archive: not its number");
}

/** HTTP routes that search archives (PACS) and retrieve studies from archives. */
export const pacsRoutes: Routes = (api, services) => {
  api.get("/api/v1/pacs", async () => {
    const systems = await listArchives(services.db);
    return json(archives, { systems: systems.map(({ id, name }) => ({ id, name })) });
  });
  api.get(
    "/api/v1/pacs/pulls",
    async ({ var: { caller } }) => json(pulls, { pulls: await listPulls(services.db, caller) }),
  );
  api.post(`${ONE}/search`, async ({ req }) => {
    const search = await readJson(req.raw, archiveSearch);
    return json(archiveFound, await searchArchive(services, idOf(req.param("id")), search));
  });
  api.post(`${ONE}/series`, async ({ req }) => {
    const { study_uid } = await readJson(req.raw, archivedSeriesRequest);
    return json(
      archivedSeriesFound,
      await listArchivedSeries(services, idOf(req.param("id")), study_uid),
    );
  });
  api.post(`${ONE}/pulls`, async ({ req, var: { caller } }) => {
    const request = await readJson(req.raw, pullRequest);
    return json(pulls, {
      pulls: await requestPulls(services, idOf(req.param("id")), request, caller),
    });
  });
};
