// What the product shows beside its pages, and where the manual (docs/manual) speaks of it.
import assert from "node:assert/strict";
import { readManual } from "@/model/site/manual.ts";
import { type Catalogue, LANGUAGES } from "@/model/text.ts";
import { sessionText } from "@/model/text/account/session.ts";
import { reportViewerText } from "@/model/text/report/report.ts";
import { settingsText } from "@/model/text/settings/settings.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { statusText } from "@/model/text/site/status.ts";
import { trayText } from "@/model/text/site/tray.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerReadingText } from "@/model/text/viewer/viewer_reading.ts";
import { viewerToolsText } from "@/model/text/viewer/viewer_tools.ts";
import { excelText } from "@/model/text/worklist/excel.ts";
import { listViewText } from "@/model/text/worklist/list_view.ts";
import { pacsText } from "@/model/text/worklist/pacs.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { worklistKeysText } from "@/model/text/worklist/worklist_keys.ts";
import { worklistSelectionText } from "@/model/text/worklist/worklist_selection.ts";

type Text = Catalogue[string];
/** Section of the manual, and the name that must stand in it. */
type Place = readonly [section: string, name: Text];

/** Every dialog by its file. */
const DIALOGS: Readonly<Record<string, Place>> = {
  "components/administration/compared_patients.tsx": ["status", connectionText.compareTitle],
  "components/header/about_dialog.tsx": ["my-page", sessionText.about],
  "components/header/help_dialog.tsx": ["worklist", { en: "its help", ko: "도움말" }],
  "components/header/my_page_dialog.tsx": ["my-page", sessionText.myPage],
  "islands/UploadDialog.tsx": ["upload", worklistText.upload],
  "components/licence/credits_dialog.tsx": ["status", statusText.credits],
  "components/settings/settings_dialog.tsx": ["settings", sessionText.settings],
  "components/worklist/filters/FilterDialog.tsx": ["worklist", worklistText.filter],
  "components/worklist/pacs/PacsDialog.tsx": ["worklist", pacsText.open],
  "components/worklist/page/KeyList.tsx": ["worklist", {
    en: "list of keyboard shortcuts",
    ko: worklistKeysText.title.ko,
  }],
  "components/worklist/selection/ExportDialog.tsx": ["worklist", excelText.title],
  "components/worklist/selection/LabelDialog.tsx": ["worklist", worklistSelectionText.labels],
  "components/worklist/table/SentDialog.tsx": ["worklist", worklistText.sent_failed],
  "components/worklist/view/ViewDialog.tsx": ["worklist", listViewText.open],
};

/** Tabs, panels and menus of the pages. */
const PARTS: readonly Place[] = [
  ...(["server", "connections", "audit", "signIns", "accounts", "bin", "credits"] as const).map((
    tab,
  ) => ["status", statusText[tab]] as const),
  ...(["general", "report", "reportResult", "group", "norms"] as const).map((tab) =>
    ["settings", settingsText[tab]] as const
  ),
  ...(["analyze", "labels", "export", "deidentify", "delete", "history"] as const).map((action) =>
    ["worklist", worklistSelectionText[action]] as const
  ),
  ["worklist", trayText.title],
  ...(["parcellation", "corticalThickness", "wmh", "surface"] as const).map((tab) =>
    ["viewer", viewerText[tab]] as const
  ),
  ["viewer", viewerReadingText.reading],
  ["viewer", viewerToolsText.picture],
  ["report", reportViewerText.anonymize],
];

const ROOT = new URL("../../", import.meta.url);
/** Folders of roots and features; dialogs of shared parts belong to their callers. */
const FOLDERS = [
  ...["administration", "header", "licence", "settings", "worklist"].map((name) =>
    `components/${name}`
  ),
  "islands",
  "viewer",
];

async function dialogsIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(`${folder}/`, ROOT))) {
    const file = `${folder}/${name}`;
    if (isDirectory) found.push(...await dialogsIn(file));
    else if (/\.tsx$/.test(name) && !/_test\.tsx$/.test(name)) {
      if (/<(Edit)?Dialog\b/.test(await Deno.readTextFile(new URL(file, ROOT)))) found.push(file);
    }
  }
  return found;
}

Deno.test("every dialog, tab and panel is named in its section of the manual, in each language", async () => {
  const dialogs = (await Promise.all(FOLDERS.map(dialogsIn))).flat();
  assert.deepEqual(dialogs.toSorted(), Object.keys(DIALOGS).sort());
  for (const language of LANGUAGES) {
    const { sections } = readManual(
      await Deno.readTextFile(new URL(`docs/manual/${language}.md`, ROOT)),
    );
    for (const [id, name] of [...Object.values(DIALOGS), ...PARTS]) {
      const section = sections.find((one) => one.id === id)!;
      const words = [section.title, ...section.lines.map(({ text }) => text)].join("\n")
        .toLowerCase();
      assert.ok(
        words.includes(name[language].toLowerCase()),
        `${language}, ${id}: ${name[language]}`,
      );
    }
  }
});

Deno.test("the files and pages that the manual names are there", async () => {
  for (const language of LANGUAGES) {
    const manual = await Deno.readTextFile(new URL(`docs/manual/${language}.md`, ROOT));
    const files = manual.match(/docs\/[\w./-]+\.md/g) ?? [];
    assert.ok(files.length > 0);
    for (const file of files) assert.ok((await Deno.stat(new URL(file, ROOT))).isFile, file);
    for (const path of manual.match(/(?<=\s)\/[a-z-]+(?=[\s,]|화면)/g) ?? []) {
      assert.ok((await Deno.stat(new URL(`routes${path}.tsx`, ROOT))).isFile, path);
    }
  }
});
