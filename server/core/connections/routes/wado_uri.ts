/**
 * WADO-URI (PS3.18 §9), the query-based protocol of older viewers: one object or rendered image.
 */
import { AppError } from "@/model/errors.ts";
import {
  webFile,
  webObjects,
  webPicture,
  webSyntax,
  webValue,
} from "@/server/core/connections/service/web/dicomweb.ts";
import { renderingOf } from "@/server/core/connections/service/web/object_parts.ts";
import type { Routes } from "@/server/core/http/app.ts";

const invalid = (field: string) =>
  new AppError("input.invalid", `Cannot answer: ${field} is missing or cannot be served`, {
    field,
  });

/** Reads a UID from the query of a request. @throws {AppError} `input.invalid`. */
function uidOf(query: URLSearchParams, field: string): string {
  const uid = query.get(field) ?? "";
  if (!/^[0-9.]{1,64}$/.test(uid)) throw invalid(field);
  return uid;
}

/** Converts window and size parameters of WADO-URI to those of WADO-RS. */
function renderingQuery(query: URLSearchParams): URLSearchParams {
  const level = query.get("windowCenter"), width = query.get("windowWidth");
  const rows = query.get("rows"), columns = query.get("columns");
  return new URLSearchParams({
    ...(level && width ? { window: `${level},${width}` } : {}),
    ...(rows || columns ? { viewport: `${columns ?? 4096},${rows ?? 4096}` } : {}),
  });
}

const answer = (body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>, type: string) =>
  new Response(body, { headers: { "content-type": type, "cache-control": "no-store" } });

/** Route `GET …/wado?requestType=WADO&studyUID=…&seriesUID=…&objectUID=…`. */
export const wadoUriRoutes: Routes = (api, services) => {
  api.get("/api/v1/dicomweb/wado", async (context) => {
    const query = new URL(context.req.url).searchParams;
    if (query.get("requestType") !== "WADO") throw invalid("requestType");
    // refused: this server de-identifies only studies that it sends to research destinations
    if (query.has("anonymize")) throw invalid("anonymize");
    const uids = ["studyUID", "seriesUID", "objectUID"].map((field) => uidOf(query, field));
    const [object] = await webObjects(services, uids[0]!, uids[1], uids[2]);
    context.set("audited", [object!.pid]);
    const types = (query.get("contentType") ?? "").split(",").map((type) =>
      type.split(";")[0]!.trim()
    );
    const takes = (type: string) =>
      types.some((one) =>
        one === "" || one === "*/*" || one === type || one === `${type.split("/")[0]}/*`
      );
    if (types[0] !== "" && takes("application/dicom")) {
      const syntax = await webSyntax(services, object!),
        wanted = query.get("transferSyntax") ?? "*";
      if (wanted === "*" || wanted === syntax) {
        return answer(
          ReadableStream.from(webFile(services, object!)),
          `application/dicom; transfer-syntax=${syntax}`,
        );
      }
    }
    const isDocument = !("blob" in object!) && object!.json["00420012"] !== undefined;
    if (isDocument && takes("application/pdf")) {
      return answer(
        await webValue(services, object!, "00420011"),
        "application/pdf",
      );
    }
    if (!isDocument && takes("image/jpeg")) {
      const rendering = renderingOf(renderingQuery(query), Number(query.get("frameNumber") ?? 1));
      return answer(await webPicture(services, object!, rendering), "image/jpeg");
    }
    throw new AppError(
      "media.not_acceptable",
      "Cannot answer: the object cannot be given as it was asked for",
    );
  });
};
