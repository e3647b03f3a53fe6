import { type AboutDocument, aboutDocument } from "@/model/schema/site/documents.ts";
import { type Api, callJson } from "@/client/api/http.ts";

/** A document for the people who run a site. @param path As `site/pacs`. */
export const getDocument = (api: Api, path: string): Promise<AboutDocument> =>
  callJson(api, aboutDocument, "/api/v1/about/document", { query: { path } });
