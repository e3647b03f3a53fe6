// Documents of a release: the pages for administrators and the pages linked from them, with
// commands of an installed release.
import { dirname, join } from "node:path";
import { DOCUMENT_FILES, DOCUMENT_FOLDERS } from "@/server/core/site/service/documents.ts";
import { withoutOtherLinks } from "@/tools/documents/links.ts";
import { REFERENCE_PAGES, referenceTexts } from "@/tools/documents/reference/pages.ts";

/** Replaces the commands in a document by the ones of an installed site. */
export const asInstalled = (text: string): string =>
  text.replaceAll(/deno\s+task\s+admin\s+/g, "sulcus ").replaceAll(
    /deno\s+task\s+(start|worker|doctor|analyze|longitudinal)\b/g,
    "sulcus $1",
  );

/**
 * Folders with documents. Pages of docs/reference are generated, except the index in {@link FILES}.
 */
const FOLDERS = DOCUMENT_FOLDERS.filter((folder) => folder !== "reference").map((folder) =>
  `docs/${folder}`
);
const FILES = [
  ...DOCUMENT_FILES.map((file) => `docs/${file}`),
  "docs/grafana.json",
  "docs/licences.json",
  "docs/reference/index.md",
  "CHANGELOG.md",
  "SECURITY.md",
];

/** Paths of the documents from the root of the tree, sorted. */
export function releaseTexts(root: string): string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    [...Deno.readDirSync(join(root, folder))].map(({ name }) => `${folder}/${name}`)
  );
  return [...FILES, ...REFERENCE_PAGES, ...inFolders].sort();
}

/**
 * Copies the documents. Links to pages outside of the release,
 * such as decisions, become plain text.
 */
export async function copyTexts(root: string, app: string): Promise<void> {
  const paths = releaseTexts(root), made = await referenceTexts();
  // not copied here: the manual is copied together with the program's data files
  const files = new Set([...paths, "docs/manual/en.md", "docs/manual/ko.md"]);
  for (const path of paths) {
    const text = made.get(path) ?? await Deno.readTextFile(join(root, path));
    await Deno.mkdir(join(app, dirname(path)), { recursive: true });
    await Deno.writeTextFile(
      join(app, path),
      path.endsWith(".md") ? withoutOtherLinks(path, asInstalled(text), files) : asInstalled(text),
    );
  }
}
