import * as z from "zod/mini";

/** `GET /api/v1/about/document`: a document for administrators, and the list of all documents. */
export const aboutDocument = z.object({
  /** content as Markdown, see model/site/document.ts */
  content: z.string(),
  documents: z.array(z.object({ path: z.string(), title: z.string() })),
});
export type AboutDocument = z.infer<typeof aboutDocument>;

/** `path` of a document without its extension, such as `site/pacs`. */
export const documentQuery = z.object({ path: z.string() });
