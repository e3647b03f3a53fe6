import { aboutDocument, documentQuery } from "@/model/schema/site/documents.ts";
import { getDocument } from "@/server/core/site/service/documents.ts";
import { json, readQuery, type Routes } from "@/server/core/http/app.ts";

/** Routes of the documents for administrators. */
export const documentRoutes: Routes = (api) => {
  api.get(
    "/api/v1/about/document",
    async ({ req }) =>
      json(aboutDocument, await getDocument(readQuery(req.raw, documentQuery).path)),
  );
};
