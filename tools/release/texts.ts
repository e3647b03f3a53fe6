// Texts of a release: the pages for the people who run a site and those that they link to, with
// commands as they are typed there.
import { dirname, join } from "node:path";
import { DOCUMENT_FILES, DOCUMENT_FOLDERS } from "@/server/core/site/service/documents.ts";
import { withoutOtherLinks } from "@/tools/documents/links.ts";
import { REFERENCE_PAGES, referenceTexts } from "@/tools/documents/reference/pages.ts";
import { asInstalled } from "@/tools/release/bundle.ts";

/** Made pages are not in a folder of the tree, but for their index. */
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

/** Paths of the texts from the root of the tree, sorted. */
export function releaseTexts(root: string): string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    [...Deno.readDirSync(join(root, folder))].map(({ name }) => `${folder}/${name}`)
  );
  return [...FILES, ...REFERENCE_PAGES, ...inFolders].sort();
}

/** Copies them. Links to pages that stay in the source, such as decisions, become plain words. */
export async function copyTexts(root: string, app: string): Promise<void> {
  const paths = releaseTexts(root), made = await referenceTexts();
  // the manual is copied with the files that the program reads
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
