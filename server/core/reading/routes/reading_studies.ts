import { AppError } from "@/model/errors.ts";
import {
  readingAnswer,
  readingExport,
  readingExportQuery,
  readingFile,
  readingStudyCreated,
  readingStudyDetails,
  readingStudyList,
  readingStudyPost,
  readingTask,
} from "@/model/schema/reading/reading_studies.ts";
import { json, noContent, readJson, readQuery, type Routes } from "@/server/core/http/app.ts";
import {
  addReadingStudy,
  exportReadingStudy,
  getReadingStudies,
  getReadingStudy,
  readingCsv,
  removeReadingStudy,
} from "@/server/core/reading/service/reading_studies.ts";
import {
  answerReading,
  getNextReading,
  openReadingFile,
} from "@/server/core/reading/service/study_readings.ts";

const ALL = "/api/v1/reading-studies", ONE = `${ALL}/:id{[0-9]{1,15}}`;
const READING = `${ONE}/readings/:place{[0-9]{1,3}}`;

const idOf = (text: string | undefined): number => {
  const id = Number(text);
  if (!(id > 0)) throw new AppError("entity.not_found", "Cannot find the study: no such number");
  return id;
};

/** Routes of reading studies for administrators: design, progress and export. */
export const readingStudyRoutes: Routes = (api, services) => {
  api.get(
    ALL,
    async ({ var: { caller } }) =>
      json(readingStudyList, await getReadingStudies(services, caller)),
  );
  api.post(ALL, async (context) => {
    const post = await readJson(context.req.raw, readingStudyPost);
    const { id } = await addReadingStudy(services, post, context.var.caller);
    const { cases, readers } = post;
    context.set("auditDetails", {
      reading_study: id,
      cases: cases.length,
      readers: readers.length,
    });
    return json(readingStudyCreated, { id }, 201);
  });
  api.get(ONE, async ({ req, var: { caller } }) => {
    const details = await getReadingStudy(services, idOf(req.param("id")), caller);
    return json(readingStudyDetails, details);
  });
  api.delete(ONE, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { reading_study: id });
    await removeReadingStudy(services, id, context.var.caller);
    return noContent();
  });
  api.get(`${ONE}/export`, async (context) => {
    const id = idOf(context.req.param("id"));
    const { format } = readQuery(context.req.raw, readingExportQuery);
    context.set("auditDetails", { reading_study: id, format });
    const file = await exportReadingStudy(services, id, context.var.caller);
    const headers = {
      "content-disposition": `attachment; filename="reading_study_${id}.${format}"`,
      "cache-control": "no-store",
    };
    if (format === "csv") {
      return new Response(readingCsv(file), {
        headers: { ...headers, "content-type": "text/csv; charset=utf-8" },
      });
    }
    const response = json(readingExport, file);
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  });
};

/** Error details that reveal no case: end of a washout, field of an answer, seconds to wait. */
const OPEN_DETAILS: readonly string[] = ["until", "field", "reason", "seconds"];

/**
 * Handles a request of a reader in a reading study. Details of an error may contain the study of
 * the case, so the reader receives only those in {@link OPEN_DETAILS}.
 */
async function blinded(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, details, cause } = error;
    const open = Object.entries(details).filter(([name]) => OPEN_DETAILS.includes(name));
    throw new AppError(code, message, Object.fromEntries(open), { cause });
  }
}

/** Routes of a reading study for its readers: next case, files, answer. */
export const studyReadingRoutes: Routes = (api, services) => {
  api.get(
    `${ONE}/reading`,
    (context) =>
      blinded(async () => {
        const id = idOf(context.req.param("id"));
        context.set("auditDetails", { reading_study: id });
        const { task, pid } = await getNextReading(services, id, context.var.caller);
        const { reading } = task;
        context.set("audited", pid === null ? "nothing" : [pid]);
        if (reading) {
          context.set("auditDetails", {
            reading_study: id,
            reading: reading.place + 1,
            arm: reading.arm,
          });
        }
        const response = json(readingTask, task);
        response.headers.set("cache-control", "no-store");
        return response;
      }),
  );
  api.get(
    `${READING}/files/:file`,
    (context) =>
      blinded(async () => {
        // no study in the audit entry of a refusal: the number in the URL is the reading study's
        context.set("audited", []);
        const { req } = context, id = idOf(req.param("id")), place = Number(req.param("place"));
        const field = readingFile.safeParse(req.param("file"));
        if (!field.success) {
          throw new AppError("entity.not_found", "Cannot open the file: no such one");
        }
        const at = { id, place, field: field.data };
        const { file, pid } = await openReadingFile(services, at, context.var.caller);
        context.set("audited", [pid]);
        // without entity tag of the content, by which a reader could find the clinical file
        return new Response(await file.gzip(), {
          headers: {
            "content-type": "application/octet-stream",
            "content-encoding": "gzip",
            "content-length": String(file.gzipBytes),
            "cache-control": "no-store",
          },
        });
      }),
  );
  api.post(
    `${READING}/answer`,
    (context) =>
      blinded(async () => {
        const id = idOf(context.req.param("id")), place = Number(context.req.param("place"));
        context.set("auditDetails", { reading_study: id, reading: place + 1 });
        const answer = await readJson(context.req.raw, readingAnswer);
        const { pid } = await answerReading(services, { id, place }, answer, context.var.caller);
        context.set("audited", [pid]);
        return noContent();
      }),
  );
};
