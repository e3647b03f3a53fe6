import { comparableList } from "@/model/schema/reading/comparables.ts";
import { seriesVolumeQuery, studySeriesList } from "@/model/schema/reading/series.ts";
import { getComparables } from "@/server/core/reading/service/comparables.ts";
import {
  getStudySeries,
  openSeriesVolume,
  openViewingCopy,
} from "@/server/core/reading/service/series.ts";
import { json, pidOf, readQuery, type Routes } from "@/server/core/http/app.ts";
import { numberOf } from "@/server/core/reading/routes/measurements.ts";

const ALL = "/api/v1/patients/:pid{[0-9]+}/series";

/** Cache headers for files that never change at their URL. */
const volumeFile = (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Response =>
  new Response(stream, {
    headers: {
      "content-type": "application/gzip",
      "cache-control": "private, max-age=31536000, immutable",
      "vary": "authorization",
    },
  });

/** Routes of a study's series as they were acquired, with original voxel values. */
export const seriesRoutes: Routes = (api, services) => {
  api.get(ALL, async ({ req }) => {
    return json(studySeriesList, await getStudySeries(services, pidOf(req.param("pid"))));
  });
  api.get("/api/v1/patients/:pid{[0-9]+}/comparables", async ({ req }) => {
    return json(comparableList, await getComparables(services, pidOf(req.param("pid"))));
  });
  api.get(`${ALL}/:series{[0-9]{1,15}}/volume`, async ({ req }) => {
    const { v } = readQuery(req.raw, seriesVolumeQuery), id = numberOf(req.param("series"));
    const stream = await openSeriesVolume(services, pidOf(req.param("pid")), id, v);
    return volumeFile(stream);
  });
  api.get(`${ALL}/refused/volume`, async ({ req }) => {
    const { v } = readQuery(req.raw, seriesVolumeQuery);
    return volumeFile(await openViewingCopy(services, pidOf(req.param("pid")), v));
  });
};
