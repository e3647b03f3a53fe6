import { makeZip } from "client-zip";
import { deidentifyQuery, DICOM_KIND_PATTERN, dicomKind } from "@/model/schema/report/dicom.ts";
import { reportFilter } from "@/model/schema/report/report.ts";
import { deidentifyStudy } from "@/server/core/exports/service/deidentified.ts";
import {
  type DicomResult,
  getDicomResult,
  listDicomResults,
} from "@/server/core/exports/service/dicom_results.ts";
import { contentDisposition } from "@/server/core/reports/routes/report.ts";
import { pidOf, readQuery, type Routes } from "@/server/core/http/app.ts";

const ONE = "/api/v1/patients/:pid{[0-9]+}/dicom";

/** A response stream in which each chunk is generated when the receiver asks for more data. */
const streamOf = (chunks: Iterable<Uint8Array<ArrayBuffer>>) => {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
};

/** A file of a ZIP archive. It is generated after the file before it has been sent. */
interface ZipEntry {
  name: string;
  lastModified: Date;
  input: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;
}

const zipResponse = (entries: AsyncIterable<ZipEntry>, fileName: string) =>
  new Response(makeZip(entries), {
    headers: {
      "content-type": "application/zip",
      "content-disposition": contentDisposition(fileName),
      "cache-control": "no-store",
    },
  });

/** Constant modification time, so that equal files give an identical archive. */
const NO_DATE = new Date("1980-01-01T00:00:00Z");

async function* zipped(results: AsyncIterable<DicomResult>): AsyncGenerator<ZipEntry> {
  for await (const { fileName, file } of results) {
    yield { name: fileName, lastModified: NO_DATE, input: streamOf(file.chunks()) };
  }
}

export const dicomRoutes: Routes = (api, services) => {
  api.get(`${ONE}/results`, async (context) => {
    const filter = readQuery(context.req.raw, reportFilter);
    const pid = pidOf(context.req.param("pid"));
    const { fileName, results } = await listDicomResults(services, pid, filter, context.var.caller);
    return zipResponse(zipped(results), fileName);
  });
  api.get(`${ONE}/deidentified`, async (context) => {
    const query = readQuery(context.req.raw, deidentifyQuery);
    const { fileName, files } = await deidentifyStudy(
      services,
      pidOf(context.req.param("pid")),
      query,
    );
    async function* entries(): AsyncGenerator<ZipEntry> {
      for await (const { name, bytes } of files) {
        yield { name, lastModified: NO_DATE, input: bytes };
      }
    }
    return zipResponse(entries(), fileName);
  });
  api.get(`${ONE}/:kind{${DICOM_KIND_PATTERN}}`, async (context) => {
    const filter = readQuery(context.req.raw, reportFilter);
    const pid = pidOf(context.req.param("pid")), kind = dicomKind.parse(context.req.param("kind"));
    const { fileName, file } = await getDicomResult(
      services,
      pid,
      kind,
      filter,
      context.var.caller,
    );
    return new Response(streamOf(file.chunks()), {
      headers: {
        "content-type": "application/dicom",
        "content-length": String(file.sizeBytes),
        "content-disposition": contentDisposition(fileName),
        "cache-control": "no-store",
      },
    });
  });
};
