import type { Context } from "hono";
import { AppError } from "@/model/errors.ts";
import { readMultipart } from "@/server/wire/multipart.ts";
import {
  webFile,
  webFrames,
  webMetadata,
  type WebObject,
  webObjects,
  webPicture,
  webSyntax,
  webValue,
} from "@/server/core/connections/service/web/dicomweb.ts";
import {
  searchEverywhere,
  searchInstances,
  searchSeries,
  searchStudies,
  webQuery,
} from "@/server/core/connections/service/web/search.ts";
import { correctionsOf, noteUnreadable } from "@/server/core/connections/service/web/attributes.ts";
import { renderingOf, type WebPart } from "@/server/core/connections/service/web/object_parts.ts";
import {
  MAX_STOW_OBJECTS,
  stow,
  type WebStored,
} from "@/server/core/connections/service/web/stow.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { formOf } from "@/server/core/connections/routes/accepted.ts";
import { type ApiEnv, type Routes, siteOf } from "@/server/core/http/app.ts";

const WEB = "/api/v1/dicomweb", ROOT = `${WEB}/studies`, UID = "{[0-9.]{1,64}}";
const STUDY = `${ROOT}/:study${UID}`, SERIES = `${STUDY}/series/:series${UID}`;
const INSTANCE = `${SERIES}/instances/:instance${UID}`;
/** Default width and height of a thumbnail, pixels. */
const THUMBNAIL_SIDE = 256;

const dicomJson = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/dicom+json", "cache-control": "no-store" },
  });

interface Part {
  type: string;
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Multipart HTTP response (PS3.18 §8.6.1.2.1). @param type Media type of all parts. */
function multipart(type: string, all: Iterable<Part>, status = 200): Response {
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
    status,
    headers: {
      "content-type": `multipart/related; type="${type}"; boundary=${boundary}`,
      "cache-control": "no-store",
    },
  });
}

const DICOM = "application/dicom";

/** HTTP response with one DICOM object as a single part. */
const single = ({ type, body }: Part) =>
  new Response(ReadableStream.from(body), {
    headers: { "content-type": type, "cache-control": "no-store" },
  });

/**
 * Response with DICOM files, as a single part if the client requests a single part.
 * HTTP status 206 indicates that unreadable files are left out (PS3.18 Table 10.4.3-1).
 * @throws {AppError} `media.not_acceptable`; as {@link webSyntax} when no file is readable.
 */
async function files(request: Request, services: ServiceContext, objects: readonly WebObject[]) {
  const parts: Part[] = [];
  let isSingle = objects.length === 1, failure: unknown;
  for (const object of objects) {
    const syntax = await webSyntax(services, object).catch((error) => {
      failure = error;
      if ("blob" in object) noteUnreadable(services, object.blob, error);
      return null;
    });
    if (syntax === null) continue;
    isSingle &&= formOf(request, DICOM, syntax) === "single";
    parts.push({ type: `${DICOM}; transfer-syntax=${syntax}`, body: webFile(services, object) });
  }
  if (parts.length === 0) throw failure;
  return isSingle ? single(parts[0]!) : multipart(DICOM, parts, failure === undefined ? 200 : 206);
}

/** Response with frames or bulk data of an object. @throws {AppError} `media.not_acceptable`. */
function pieces(request: Request, all: readonly WebPart[]) {
  const [type, syntax] = all[0]!.type.split("; transfer-syntax=");
  const parts = all.map(({ type, bytes }) => ({ type, body: [bytes] }));
  return formOf(request, type!, syntax) === "single" && parts.length === 1
    ? single(parts[0]!)
    : multipart(type!, parts);
}

type Found = Awaited<ReturnType<typeof searchStudies>>;

/** Response to a QIDO-RS search (PS3.18 §10.6.3) with addresses; status 204 without matches. */
async function search(
  request: Request,
  level: Parameters<typeof webQuery>[1],
  find: (query: ReturnType<typeof webQuery>) => Promise<Found>,
): Promise<Response> {
  formOf(request, "application/dicom+json");
  const query = webQuery(new URL(request.url).searchParams, level), { limit, isOwnLimit } = query;
  // one match more than the limit is requested, to see whether further matches exist
  const matches = await find(isOwnLimit ? { ...query, limit: limit + 1 } : query),
    all = matches.slice(0, limit);
  const urlOf = (one: Found[number]) =>
    [["studies", "0020000D"], ["series", "0020000E"], ["instances", "00080018"]]
      .filter(([, tag]) => one[tag!]?.Value).map(([level, tag]) =>
        `/${level}/${one[tag!]!.Value![0]}`
      ).join(
        "",
      );
  const root = `${siteOf(request)}${WEB}`;
  const answer = all.length === 0
    ? new Response(null, { status: 204, headers: { "cache-control": "no-store" } })
    : dicomJson(all.map((one) => ({
      ...one,
      "00080056": { vr: "CS", Value: ["ONLINE"] },
      "00081190": { vr: "UR", Value: [root + urlOf(one)] },
    })));
  if (matches.length > limit) {
    answer.headers.append(
      "warning",
      '299 sulcus "There are additional results that can be requested."',
    );
  }
  return answer;
}

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
          Value: failed.map((one) => ({
            ...reference(one),
            "00081197": { vr: "US", Value: [one.reason] },
          })),
        },
      }
      : {}),
  }, status);
}

/** DICOMweb routes: STOW-RS stores, QIDO-RS searches, WADO-RS retrieves images and results. */
export const dicomwebRoutes: Routes = (api, services) => {
  for (const path of [ROOT, STUDY]) {
    api.post(path, async ({ req }) => {
      const { body, headers } = req.raw;
      if (body === null) throw new AppError("input.invalid", "Cannot take the objects: no body");
      const results: WebStored[] = [];
      const contentType = headers.get("content-type") ?? "";
      for await (const part of readMultipart(body, contentType, MAX_STOW_OBJECTS)) {
        results.push(await stow(services, part.body, req.param("study")));
      }
      return stowAnswer(results);
    });
  }
  api.get(ROOT, ({ req }) => search(req.raw, "studies", (query) => searchStudies(services, query)));
  for (const level of ["series", "instances"] as const) {
    api.get(
      `${WEB}/${level}`,
      ({ req }) => search(req.raw, "of_study", (query) => searchEverywhere(services, level, query)),
    );
  }
  api.get(
    `${STUDY}/series`,
    ({ req }) =>
      search(req.raw, "of_study", (query) => searchSeries(services, req.param("study"), query)),
  );
  for (const path of [STUDY, SERIES]) {
    api.get(`${path}/instances`, ({ req }) => {
      const { study, series } = req.param() as Record<string, string>;
      return search(
        req.raw,
        "of_study",
        (query) => searchInstances(services, study!, series, query),
      );
    });
  }
  for (const path of [STUDY, SERIES, INSTANCE]) {
    api.get(path, async (context) => {
      const { study, series, instance } = context.req.param() as Record<string, string>;
      const objects = await webObjects(services, study!, series, instance);
      context.set("audited", [objects[0]!.pid]);
      return await files(context.req.raw, services, objects);
    });
    api.get(`${path}/metadata`, async (context) => {
      const { study, series, instance } = context.req.param() as Record<string, string>;
      formOf(context.req.raw, "application/dicom+json");
      const objects = await webObjects(services, study!, series, instance), json = [];
      context.set("audited", [objects[0]!.pid]);
      const root = `${siteOf(context.req.raw)}${ROOT}/${study}`;
      const corrected = await correctionsOf(services, objects[0]!.pid);
      for (const object of objects) {
        json.push(await webMetadata(services, object, instance === undefined, root, corrected));
      }
      return dicomJson(json);
    });
  }
  const oneOf = async (context: Context<ApiEnv>) => {
    const { study, series, instance } = context.req.param() as Record<string, string>;
    const [object] = await webObjects(services, study!, series, instance);
    context.set("audited", [object!.pid]);
    return object!;
  };
  api.get(`${INSTANCE}/frames/:frames{[0-9,]{1,400}}`, async (context) => {
    const wanted = context.req.param("frames").split(",").filter(Boolean).map(Number);
    const frames = await webFrames(
      services,
      await oneOf(context),
      wanted.length > 0 ? wanted : [0],
    );
    return pieces(context.req.raw, frames);
  });
  api.get(`${INSTANCE}/bulkdata/:tag{[0-9A-Fa-f]{8}}`, async (context) => {
    const bytes = await webValue(services, await oneOf(context), context.req.param("tag"));
    return pieces(context.req.raw, [{ type: "application/octet-stream", bytes }]);
  });
  for (const path of [`${INSTANCE}/rendered`, `${INSTANCE}/frames/:frame{[0-9]{1,6}}/rendered`]) {
    api.get(path, async (context) => {
      const { frame } = context.req.param() as Record<string, string>;
      formOf(context.req.raw, "image/jpeg");
      const rendering = renderingOf(new URL(context.req.url).searchParams, Number(frame ?? 1));
      return single({
        type: "image/jpeg",
        body: [await webPicture(services, await oneOf(context), rendering)],
      });
    });
  }
  for (const path of [STUDY, SERIES, INSTANCE]) {
    api.get(`${path}/thumbnail`, async (context) => {
      const { study, series, instance } = context.req.param() as Record<string, string>;
      formOf(context.req.raw, "image/jpeg");
      const rendering = renderingOf(new URL(context.req.url).searchParams, 1);
      const objects = await webObjects(services, study!, series, instance);
      context.set("audited", [objects[0]!.pid]);
      // a study's thumbnail is the middle image of the first series
      const first = objects.filter(({ seriesUid }) => seriesUid === objects[0]!.seriesUid);
      const viewport = rendering.viewport ?? { width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE };
      return single({
        type: "image/jpeg",
        body: [
          await webPicture(services, first[first.length >> 1]!, { ...rendering, viewport }),
        ],
      });
    });
  }
};
