import { AppError } from "@/model/errors.ts";
import {
  storedStudiesRequest,
  storedStudiesResponse,
  uploadFields,
  uploadId,
  uploadQuery,
  uploadResponse,
  uploadState,
} from "@/model/schema/studies/upload.ts";
import type { SeriesType } from "@/model/schema/studies/study.ts";
import { checkUploadAllowed, ingest } from "@/server/core/studies/service/ingest.ts";
import { type IncomingFile, MAX_FILES } from "@/server/core/studies/service/receive.ts";
import { storedStudies } from "@/server/core/studies/service/stored_studies.ts";
import {
  discardUpload,
  ingestPart,
  uploadState as stateOf,
} from "@/server/core/studies/service/upload_session.ts";
import { json, noContent, readJson, readQuery, type Routes } from "@/server/core/http/app.ts";
import { type Part, readMultipart } from "@/server/wire/multipart.ts";

const MAX_FIELD_BYTES = 1024;
/** Maximum number of parts of an upload: all files, and some fields. */
const MAX_PARTS = MAX_FILES + 100;
/** Maximum body size of a request with the identifiers of 20,000 files. */
const MAX_QUESTION_BYTES = 2 << 20;

async function readField(part: Part): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of part.body) {
    size += chunk.length;
    if (size > MAX_FIELD_BYTES) {
      throw new AppError("input.invalid", "Cannot read the upload: field too long");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function readSeriesType(text: string): SeriesType | undefined {
  const fields = uploadFields.safeParse({ series_type: text === "" ? undefined : text });
  if (fields.success) return fields.data.series_type;
  throw new AppError("input.invalid", "Cannot read the upload: unknown series type", {
    field: "series_type",
  });
}

function readUploadId(text: string): string {
  const parsed = uploadId.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new AppError("entity.not_found", "Cannot find the upload: not the name of one");
}

export const uploadRoutes: Routes = (api, services) => {
  api.post("/api/v1/patients", async (context) => {
    const request = context.req.raw, query = readQuery(request, uploadQuery);
    const { body } = request;
    if (body === null) throw new AppError("input.invalid", "Cannot read the upload: no body");
    let seriesType: SeriesType | undefined;
    const files = async function* (): AsyncGenerator<IncomingFile> {
      const contentType = request.headers.get("content-type") ?? "";
      for await (const part of readMultipart(body, contentType, MAX_PARTS)) {
        if (part.name === "dicom_files") {
          yield { fileName: (part.fileName ?? "").slice(0, 512), body: part.body };
        } else if (part.name === "series_type") seriesType = readSeriesType(await readField(part));
      }
    };
    const upload = {
      files: files(),
      seriesType: () => seriesType,
      sizeBytes: Number(request.headers.get("content-length")) || 0,
    };
    const answer = query.upload_id === undefined
      ? await ingest(services, context.var.caller, upload)
      : await ingestPart(services, context.var.caller, {
        ...upload,
        uploadId: query.upload_id,
        isLast: query.is_last !== "0",
        fileCount: query.file_count,
      });
    // files of an unfinished upload belong to no study, so the audit log names none
    context.set("audited", answer.received ? "nothing" : answer.pid_list);
    return json(uploadResponse, answer);
  });

  api.post("/api/v1/uploads/stored", async (context) => {
    const request = await readJson(context.req.raw, storedStudiesRequest, MAX_QUESTION_BYTES);
    // checked before files are sent: an expired licence is reported before an hour of uploading
    await checkUploadAllowed(services, context.var.caller);
    return json(storedStudiesResponse, await storedStudies(services, context.var.caller, request));
  });

  api.get("/api/v1/uploads/:id", async (context) => {
    const id = readUploadId(context.req.param("id"));
    return json(uploadState, await stateOf(services, context.var.caller, id));
  });

  api.delete("/api/v1/uploads/:id", async (context) => {
    await discardUpload(services, context.var.caller, readUploadId(context.req.param("id")));
    return noContent();
  });
};
