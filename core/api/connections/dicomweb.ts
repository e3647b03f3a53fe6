import type { Context } from "hono";
import { AppError } from "@/model/errors.ts";
import { readMultipart } from "@/model/wire/multipart.ts";
import {
  renderInstance,
  searchInstances,
  searchSeries,
  searchStudies,
  webBytes,
  webFile,
  webMetadata,
  type WebObject,
  webObjects,
  webQuery,
} from "@/core/services/connections/dicomweb.ts";
import { stow, type WebStored } from "@/core/services/connections/stow.ts";
import { bulkDataOf, framesOf, type WebPart } from "@/core/services/connections/web_frames.ts";
import type { ServiceContext } from "@/core/services/context.ts";
import type { ApiEnv, Routes } from "@/core/api/app.ts";

const ROOT = "/api/v1/dicomweb/studies", UID = "{[0-9.]{1,64}}";
const STUDY = `${ROOT}/:study${UID}`, SERIES = `${STUDY}/series/:series${UID}`;
const INSTANCE = `${SERIES}/instances/:instance${UID}`;

const dicomJson = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/dicom+json", "cache-control": "no-store" },
  });

interface Part {
  type: string;
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Parts, one after the other (PS3.18 §8.6.1.2.1). @param type Media type that all of them have. */
function multipart(type: string, all: Iterable<Part>): Response {
  const boundary = `sulcus${crypto.randomUUID()}`, text = new TextEncoder();
  async function* body() {
    for (const part of all) {
      yield text.encode(`--${boundary}\r\nContent-Type: ${part.type}\r\n\r\n`);
      yield* part.body;
      yield text.encode("\r\n");
    }
    yield text.encode(`--${boundary}--\r\n`);
  }
  return new Response(ReadableStream.from(body()), {
    headers: {
      "content-type": `multipart/related; type="${type}"; boundary=${boundary}`,
      "cache-control": "no-store",
    },
  });
}

const files = (services: ServiceContext, objects: readonly WebObject[]) =>
  multipart(
    "application/dicom",
    objects.map((object) => ({ type: "application/dicom", body: webFile(services, object) })),
  );

const frameParts = (frames: readonly WebPart[]) =>
  multipart(
    frames[0]!.type.split(";")[0]!,
    frames.map(({ type, bytes }) => ({ type, body: [bytes] })),
  );

function stowAnswer(results: readonly WebStored[]): Response {
  const reference = ({ sopClassUid, sopInstanceUid }: WebStored) => ({
    "00081150": { vr: "UI", ...(sopClassUid ? { Value: [sopClassUid] } : {}) },
    "00081155": { vr: "UI", ...(sopInstanceUid ? { Value: [sopInstanceUid] } : {}) },
  });
  const stored = results.filter(({ reason }) => reason === 0),
    failed = results.filter(({ reason }) => reason !== 0);
  const status = failed.length === 0 ? 200 : stored.length > 0 ? 202 : 409;
  return dicomJson({
    ...(stored.length > 0 ? { "00081199": { vr: "SQ", Value: stored.map(reference) } } : {}),
    ...(failed.length > 0
      ? {
        "00081198": {
          vr: "SQ",
          Value: failed.map((one) => ({ ...reference(one), "00081197": { vr: "US", Value: [one.reason] } })),
        },
      }
      : {}),
  }, status);
}

/** DICOMweb over what is stored: STOW-RS into the inbox, QIDO-RS and WADO-RS of the images. */
export const dicomwebRoutes: Routes = (api, services) => {
  for (const path of [ROOT, STUDY]) {
    api.post(path, async ({ req }) => {
      const { body, headers } = req.raw;
      if (body === null) throw new AppError("input.invalid", "Cannot take the objects: no body");
      const results: WebStored[] = [];
      for await (const part of readMultipart(body, headers.get("content-type") ?? "")) {
        results.push(await stow(services, part.body, req.param("study")));
      }
      return stowAnswer(results);
    });
  }
  const query = (url: string) => webQuery(new URL(url).searchParams);
  api.get(ROOT, async ({ req }) => dicomJson(await searchStudies(services, query(req.url))));
  api.get(
    `${STUDY}/series`,
    async ({ req }) => dicomJson(await searchSeries(services, req.param("study"), query(req.url))),
  );
  api.get(
    `${STUDY}/instances`,
    async ({ req }) =>
      dicomJson(await searchInstances(services, req.param("study"), undefined, query(req.url))),
  );
  api.get(
    `${SERIES}/instances`,
    async ({ req }) =>
      dicomJson(await searchInstances(services, req.param("study"), req.param("series"), query(req.url))),
  );
  for (const path of [STUDY, SERIES, INSTANCE]) {
    api.get(path, async (context) => {
      const { study, series, instance } = context.req.param() as Record<string, string>;
      const found = await webObjects(services, study!, series, instance);
      context.set("audited", [found[0]!.pid]);
      return files(services, found);
    });
    api.get(`${path}/metadata`, async (context) => {
      const { study, series, instance } = context.req.param() as Record<string, string>;
      const found = await webObjects(services, study!, series, instance), json = [];
      context.set("audited", [found[0]!.pid]);
      const { url } = context.req, root = url.slice(0, url.indexOf(study!) + study!.length);
      for (const one of found) json.push(await webMetadata(services, one, root));
      return dicomJson(json);
    });
  }
  const oneOf = async (context: Context<ApiEnv>) => {
    const { study, series, instance } = context.req.param() as Record<string, string>;
    const [found] = await webObjects(services, study!, series, instance);
    context.set("audited", [found!.pid]);
    return await webBytes(services, found!);
  };
  api.get(`${INSTANCE}/frames/:frames{[0-9,]{1,400}}`, async (context) => {
    const wanted = context.req.param("frames").split(",").filter(Boolean).map(Number);
    return frameParts(framesOf(await oneOf(context), wanted.length > 0 ? wanted : [0]));
  });
  api.get(`${INSTANCE}/bulkdata/:tag{[0-9A-Fa-f]{8}}`, async (context) => {
    const bytes = bulkDataOf(await oneOf(context), context.req.param("tag"));
    return frameParts([{ type: "application/octet-stream", bytes }]);
  });
  for (const path of [`${INSTANCE}/rendered`, `${INSTANCE}/frames/:frame{[0-9]{1,6}}/rendered`]) {
    api.get(path, async (context) => {
      const { study, series, instance, frame } = context.req.param() as Record<string, string>;
      const [found] = await webObjects(services, study!, series, instance);
      context.set("audited", [found!.pid]);
      const picture = await renderInstance(services, found!, Number(frame ?? 1));
      return new Response(picture, {
        headers: { "content-type": "image/jpeg", "cache-control": "no-store" },
      });
    });
  }
};
