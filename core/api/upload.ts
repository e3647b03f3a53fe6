import { AppError } from "@/model/errors.ts";
import { uploadFields, uploadResponse } from "@/model/schema/patients.ts";
import type { SeriesType } from "@/model/schema/study.ts";
import { type IncomingFile, ingest } from "@/core/services/ingest.ts";
import { json, type Routes } from "@/core/api/app.ts";
import { type Part, readMultipart } from "@/core/api/multipart.ts";

const MAX_FIELD_BYTES = 1024;

async function readField(part: Part): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of part.body) {
    size += chunk.length;
    if (size > MAX_FIELD_BYTES) throw new AppError("input.invalid", "Cannot read the upload: field too long");
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

export const uploadRoutes: Routes = (api, services) => {
  api.post("/api/v1/patients", async (context) => {
    const request = context.req.raw;
    const { body } = request;
    if (body === null) throw new AppError("input.invalid", "Cannot read the upload: no body");
    let seriesType: SeriesType | undefined;
    const files = async function* (): AsyncGenerator<IncomingFile> {
      for await (const part of readMultipart(body, request.headers.get("content-type") ?? "")) {
        if (part.name === "dicom_files") {
          yield { fileName: (part.fileName ?? "").slice(0, 512), body: part.body };
        } else if (part.name === "series_type") seriesType = readSeriesType(await readField(part));
      }
    };
    const answer = await ingest(services, context.var.caller, {
      files: files(),
      seriesType: () => seriesType,
      sizeBytes: Number(request.headers.get("content-length")) || 0,
    });
    return json(uploadResponse, answer);
  });
};
