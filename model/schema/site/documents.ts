import * as z from "zod/mini";

/** `GET /api/v1/about/document`: a document for the people who run a site, and the list of all. */
export const aboutDocument = z.object({
  /** Markdown, see model/site/document.ts */
  content: z.string(),
  documents: z.array(z.object({ path: z.string(), title: z.string() })),
});
export type AboutDocument = z.infer<typeof aboutDocument>;

/** `path` of a document without its ending, as `site/pacs`. */
export const documentQuery = z.object({ path: z.string() });
