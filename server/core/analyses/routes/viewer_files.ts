import { matchVersion } from "@/server/core/analyses/service/files/file_version.ts";
import { AppError } from "@/model/errors.ts";
import {
  SLICES_HEADER,
  surfaceFile,
  surfaceFileQuery,
  viewerFileQuery,
  viewerVolume,
} from "@/model/schema/studies/viewer_files.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { defacedView } from "@/server/core/exports/service/research.ts";
import { getDisplayScales } from "@/server/core/reading/service/series.ts";
import { getVolume, mustFindPatient } from "@/server/core/studies/service/patients.ts";
import {
  type FileField,
  openViewerFile,
  type ViewerFileSource,
} from "@/server/core/analyses/service/files/viewer_files.ts";
import { openSlices } from "@/server/core/analyses/service/files/slices.ts";
import { json, pidOf, readQuery, type Routes } from "@/server/core/http/app.ts";

const YEAR_S = 31_536_000;

/**
 * Bytes of a file that an HTTP Range header requests: [start, end), in bytes.
 * `null`: the whole file is sent, because the header is missing or requests several ranges.
 * `"bad"`: the range begins after the end of the file.
 */
function rangeOf(header: string | null, size: number): [number, number] | null | "bad" {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return null;
  const start = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const end = match[1] === "" || match[2] === "" ? size : Math.min(size, Number(match[2]) + 1);
  return start < end ? [start, end] : "bad";
}

/** Whether Accept-Encoding includes gzip with q > 0 (RFC 9110 §12.5.3). */
function acceptsGzip(header: string | null): boolean {
  const accepted = (header ?? "").split(",").map((part) =>
    part.toLowerCase().split(";").map((one) => one.trim())
  )
    .filter(([, ...parameters]) => !parameters.some((one) => /^q=0(\.0*)?$/.test(one)))
    .map(([coding]) => coding);
  return accepted.includes("gzip") || accepted.includes("*");
}

/** Whether If-None-Match contains the file's entity tag: the client has this content already. */
function isCached(request: Request, tag: string): boolean {
  const cached = request.headers.get("if-none-match")?.split(",").map((t) =>
    t.trim().replace(/^W\//, "")
  );
  return cached?.some((t) => t === tag || t === "*") ?? false;
}

/** Sends the requested slices of a volume file; sends all of a file without an index of slices. */
async function respondSlices(
  request: Request,
  { file, slices }: { file: ViewerFileSource; slices: string },
  headers: Headers,
): Promise<Response> {
  const part = await openSlices(file, slices);
  if (part === null) return await respond(request, file, headers);
  const packed = acceptsGzip(request.headers.get("accept-encoding")) ? part.packed : null;
  const tag = `"${file.hash}.${part.first}-${part.last}${packed ? "-gzip" : ""}"`;
  headers.set("etag", tag);
  headers.set("accept-ranges", "none");
  headers.set(SLICES_HEADER, `${part.first}-${part.last}/${part.of}`);
  if (isCached(request, tag)) return new Response(null, { status: 304, headers });
  if (packed) headers.set("content-encoding", "gzip");
  headers.set("content-length", String(packed ? packed.sizeBytes : part.sizeBytes));
  if (request.method === "HEAD") return new Response(null, { headers });
  return new Response(packed ? await packed.gzip() : await part.plain(), { headers });
}

async function respond(
  request: Request,
  file: ViewerFileSource,
  headers: Headers,
): Promise<Response> {
  const range = rangeOf(request.headers.get("range"), file.sizeBytes);
  const isGzip = range === null && acceptsGzip(request.headers.get("accept-encoding"));
  const tag = `"${file.hash}${isGzip ? "-gzip" : ""}"`;
  headers.set("etag", tag);
  if (isCached(request, tag)) return new Response(null, { status: 304, headers });
  if (range === "bad") {
    headers.set("content-range", `bytes */${file.sizeBytes}`);
    return new Response(null, { status: 416, headers });
  }
  const isHead = request.method === "HEAD";
  if (isGzip) {
    headers.set("content-encoding", "gzip");
    headers.set("content-length", String(file.gzipBytes));
    return new Response(isHead ? null : await file.gzip(), { headers });
  }
  // with If-Range, a range is sent only of the content that the client has begun to download
  const condition = request.headers.get("if-range");
  const [start, end] = range !== null && (condition === null || condition === tag)
    ? range
    : [0, file.sizeBytes];
  const isPart = end - start < file.sizeBytes;
  if (isPart) headers.set("content-range", `bytes ${start}-${end - 1}/${file.sizeBytes}`);
  headers.set("content-length", String(end - start));
  return new Response(isHead ? null : await file.plain(start, end), {
    status: isPart ? 206 : 200,
    headers,
  });
}

/**
 * Serves a result file of a study.
 * @param version Start of the file's hash in the URL; a URL with a version is cached for a year.
 */
async function send(
  services: ServiceContext,
  request: Request,
  { pid, field, version, slices }: {
    pid: number;
    field: FileField;
    version: string | undefined;
    slices?: string | undefined;
  },
): Promise<Response> {
  const file = await openViewerFile(services, pid, field);
  // 404 if the study was analysed again since the page was loaded: image and labels would not match
  const match = version === undefined ? "current" : matchVersion(version, file);
  if (match === "other") {
    throw new AppError(
      "entity.not_found",
      "Cannot find the file: the study has been analysed again",
    );
  }
  // a label map that readers corrected after the page was loaded is sent with the corrections
  const headers = new Headers({
    "content-type": "application/octet-stream",
    "accept-ranges": "bytes",
    "vary": "accept-encoding, authorization",
    // percentiles may be withheld later, which a cache would not know
    "cache-control": match === "exact" && field !== "t1w_np_mask_file"
      ? `private, max-age=${YEAR_S}, immutable`
      : "private, no-cache",
  });
  return slices === undefined
    ? await respond(request, file, headers)
    : await respondSlices(request, { file, slices }, headers);
}

/** Series shown in the viewer: the T1w series, or the FLAIR series if no T1w series is analysed. */
async function imageOf({ db }: ServiceContext, pid: number): Promise<FileField> {
  const { row } = await mustFindPatient(db, pid);
  return row.t1_analysis_status !== "completed" && row.t2_analysis_status === "completed"
    ? "t2w_file"
    : "t1w_file";
}

export const viewerFileRoutes: Routes = (api, services) => {
  api.get("/api/v1/patients/image/viewer/:pid", async ({ req }) => {
    const { file, v, slices } = readQuery(req.raw, viewerFileQuery);
    const pid = pidOf(req.param("pid"));
    return await send(services, req.raw, {
      pid,
      field: file ?? await imageOf(services, pid),
      version: v,
      slices,
    });
  });
  api.get("/api/v1/secure/:file{(?:verts|faces|normals|values)\\.npy}", async ({ req }) => {
    const { pid, v } = readQuery(req.raw, surfaceFileQuery);
    const field = surfaceFile.parse(req.param("file").replace(/\.npy$/, ""));
    return await send(services, req.raw, { pid: pidOf(pid), field, version: v });
  });
  api.get("/api/v1/patients/:pid{[0-9]+}/defaced", async ({ req }) => {
    const bytes = await defacedView(services, pidOf(req.param("pid")));
    return new Response(bytes, {
      headers: { "content-type": "application/octet-stream", "cache-control": "no-store" },
    });
  });
  api.get("/api/v1/patients/:pid{[0-9]+}/volume", async ({ req }) => {
    const pid = pidOf(req.param("pid")), volume = await getVolume(services, pid);
    return json(viewerVolume, { ...volume, scales: await getDisplayScales(services, pid) });
  });
};
