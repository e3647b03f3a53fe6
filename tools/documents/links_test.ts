import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { anchorsOf, deadLinks, linksOf, withoutOtherLinks } from "@/tools/documents/links.ts";
import { filesUnder } from "@/tools/pages/source_files.ts";
import { referenceTexts } from "@/tools/documents/reference/pages.ts";
import { copyTexts, releaseTexts } from "@/tools/release/texts.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");

Deno.test("links: files and headings are found, code and other sites are left out", () => {
  const text = "See [a](b.md#c-d), [e](#f), [x](https://x.example), `[1](2)`.";
  assert.deepEqual(linksOf("docs/a.md", text).map(({ path, anchor }) => [path, anchor]), [
    ["docs/b.md", "c-d"],
    ["docs/a.md", "f"],
  ]);
  assert.deepEqual([...anchorsOf("# HL7 and `FHIR`, again\n## A\n## A\n")], [
    "hl7-and-fhir-again",
    "a",
    "a-1",
  ]);
  assert.equal(
    withoutOtherLinks("docs/a.md", "[kept](b.md) and [ADR 3](adr/3.md#x)", new Set(["docs/b.md"])),
    "[kept](b.md) and ADR 3",
  );
});

Deno.test("no document of the tree has a link that leads nowhere", async () => {
  const paths = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
  for await (const file of filesUnder(`${ROOT}/docs`)) {
    if (file.endsWith(".md")) paths.push(file.slice(ROOT.length + 1));
  }
  assert.ok(paths.length > 40);
  // includes the pages that `deno task documents` generates, whether or not they exist on disk
  const made = await referenceTexts();
  assert.deepEqual(await deadLinks(ROOT, [...new Set([...paths, ...made.keys()])], made), []);
});

Deno.test("texts of a release have no dead link and no command of a source tree; site pages keep every link", async () => {
  const app = await Deno.makeTempDir();
  try {
    await copyTexts(ROOT, app);
    for (const language of ["en", "ko"]) {
      await Deno.mkdir(`${app}/docs/manual`, { recursive: true });
      await Deno.copyFile(
        `${ROOT}/docs/manual/${language}.md`,
        `${app}/docs/manual/${language}.md`,
      );
    }
    const paths = releaseTexts(ROOT), pages = paths.filter((path) => path.endsWith(".md"));
    assert.deepEqual(await deadLinks(app, pages), []);
    for (const path of pages.filter((path) => path.startsWith("docs/site/"))) {
      const made = linksOf(path, await Deno.readTextFile(`${app}/${path}`));
      assert.equal(
        made.length,
        linksOf(path, await Deno.readTextFile(`${ROOT}/${path}`)).length,
        path,
      );
      const text = await Deno.readTextFile(`${app}/${path}`);
      // the first page explains how the commands are written in a source tree
      if (!path.endsWith("/index.md")) {
        assert.doesNotMatch(text.replaceAll(/deno task (bench|test)/g, ""), /deno\s+task/, path);
      }
    }
    assert.ok(existsSync(`${app}/docs/grafana.json`));
    assert.ok(existsSync(`${app}/docs/site/nginx.conf`));
  } finally {
    await Deno.remove(app, { recursive: true });
  }
});
