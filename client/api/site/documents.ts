import { type AboutDocument, aboutDocument } from "@/model/schema/site/documents.ts";
import { type Api, callJson } from "@/client/api/http.ts";

/** Administrator document as Markdown. @param path Path of the document, e.g. `site/pacs`. */
export const getDocument = (api: Api, path: string): Promise<AboutDocument> =>
  callJson(api, aboutDocument, "/api/v1/about/document", { query: { path } });
