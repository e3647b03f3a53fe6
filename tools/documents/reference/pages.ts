// Generated pages of docs/reference, which are not committed. `deno task documents` writes them
// into a source tree, tools/release/texts.ts into each release.
import { documentOf, readRequirements } from "@/tools/coverage/coverage.ts";
import { readTags } from "@/tools/coverage/tags.ts";
import { asvsPage } from "@/tools/documents/reference/asvs.ts";
import { commandsPage } from "@/tools/documents/reference/commands.ts";
import { conformance } from "@/tools/documents/reference/conformance.ts";
import { errorsPage } from "@/tools/documents/reference/errors.ts";
import { licencesPage } from "@/tools/documents/reference/licences.ts";
import { limitsPage } from "@/tools/documents/reference/limits.ts";
import { monitoringPage } from "@/tools/documents/reference/monitoring.ts";
import { registryPage } from "@/tools/documents/reference/registry.ts";
import { rolesPage } from "@/tools/documents/reference/roles.ts";
import { settingsPage } from "@/tools/documents/reference/settings.ts";

const ROOT = new URL("../../../", import.meta.url);
/** Function that generates each page, by path from the root of the tree. */
const PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  "docs/reference/asvs.md": asvsPage,
  "docs/reference/commands.md": commandsPage,
  "docs/reference/conformance.md": () => conformance,
  "docs/reference/coverage.md": async () => documentOf(await readRequirements(), await readTags()),
  "docs/reference/errors.md": errorsPage,
  "docs/reference/licences.md": licencesPage,
  "docs/reference/limits.md": limitsPage,
  "docs/reference/monitoring.md": monitoringPage,
  "docs/reference/registry.md": registryPage,
  "docs/reference/roles.md": rolesPage,
  "docs/reference/settings.md": settingsPage,
};

/** Paths of the pages from the root of the tree, sorted. */
export const REFERENCE_PAGES: readonly string[] = Object.keys(PAGES).sort();

/** Markdown of every generated page, by path. */
export async function referenceTexts(): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const path of REFERENCE_PAGES) texts.set(path, await PAGES[path]!());
  return texts;
}

if (import.meta.main) {
  for (const [path, text] of await referenceTexts()) {
    await Deno.writeTextFile(new URL(path, ROOT), text);
  }
}
