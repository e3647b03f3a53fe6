import { AppError } from "@/model/errors.ts";
import { documentTitle } from "@/model/site/document.ts";
import type { AboutDocument } from "@/model/schema/site/documents.ts";

const DOCS = new URL("../../../../docs/", import.meta.url);
/** Documents of an installed site in the folder `docs`: subfolders and single files. */
export const DOCUMENT_FOLDERS = ["site", "trust", "reference", "accuracy"] as const;
export const DOCUMENT_FILES = ["accuracy.md", "security.md", "accessibility.md"] as const;

type Documents = Map<string, { title: string; content: string }>;
let documents: Promise<Documents> | undefined;

/** Cache of documents, which do not change while the program runs. */
async function readDocuments(): Promise<Documents> {
  const files: string[] = [...DOCUMENT_FILES];
  for (const folder of DOCUMENT_FOLDERS) {
    for await (const { name } of Deno.readDir(new URL(`${folder}/`, DOCS))) {
      if (name.endsWith(".md")) files.push(`${folder}/${name}`);
    }
  }
  const texts = await Promise.all(
    files.sort().map(async (file) => {
      const content = await Deno.readTextFile(new URL(file, DOCS));
      return [file.slice(0, -".md".length), { title: documentTitle(content), content }] as const;
    }),
  );
  return new Map(texts);
}

/**
 * A document of the site, and the list of all its documents.
 * @param path Path of a listed document, such as `site/pacs`; no other file is read.
 * @throws {AppError} `entity.not_found`
 */
export async function getDocument(path: string): Promise<AboutDocument> {
  documents ??= readDocuments();
  const texts = await documents, text = texts.get(path);
  if (!text) {
    throw new AppError("entity.not_found", "Cannot show a document: there is none", { path });
  }
  return {
    content: text.content,
    documents: [...texts].map(([path, { title }]) => ({ path, title })),
  };
}
