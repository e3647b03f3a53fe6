import assert from "node:assert/strict";
import { signal } from "@preact/signals-react";
import { renderToStaticMarkup } from "react-dom/server";
import type { FlairStructure } from "@/model/schema/studies/flair_structure.ts";
import type { Language } from "@/model/text.ts";
import { viewerStructuresText } from "@/model/text/viewer/viewer_structures.ts";
import { StructureTable } from "@/viewer/panels/StructureTable.tsx";
import type { OutlineState } from "@/viewer/session/overlays.ts";

const STRUCTURES: FlairStructure[] = [
  {
    part_index: [19, 20],
    brain_regions: "Hippocampus",
    volume_left: 3.4,
    volume_right: 3.516,
    volume_total: 6.92,
    low: 6.09,
    high: 7.86,
  },
  {
    part_index: [25],
    brain_regions: "Third ventricle",
    volume_left: null,
    volume_right: null,
    volume_total: 1.7,
    low: 1.5,
    high: 1.93,
  },
];

const table = (language: Language, state: OutlineState | null) =>
  renderToStaticMarkup(
    <StructureTable
      structures={STRUCTURES}
      outline={state &&
        { isAsked: signal(state !== "hidden"), state: signal(state), isReady: true }}
      language={language}
    />,
  );
/** Texts of the cells of each row, including the header row. */
const cells = (html: string) =>
  [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/g)].map(([, row]) =>
    [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) =>
      cell!.replace(/<[^>]+>/g, "")
    )
  );

Deno.test("StructureTable says each structure's volumes and the interval of its total, in both languages", () => {
  assert.deepEqual(cells(table("en", null)), [
    ["Structure", "Left", "Right", "Total", "80\u00a0% interval"],
    ["Hippocampus", "3.40", "3.52", "6.92", "6.09–7.86"],
    ["Third ventricle", "–", "–", "1.70", "1.50–1.93"],
  ]);
  assert.deepEqual(cells(table("ko", null)).map(([name]) => name), ["구조", "해마", "제3뇌실"]);
  assert.match(table("en", null), /<caption[^>]*>Deep structures on FLAIR \(mL\)<.*scope="row"/s);
  assert.match(table("en", null), new RegExp(viewerStructuresText.note.en));
  assert.match(table("ko", null), /신뢰도가 낮습니다/);
});

Deno.test("StructureTable has a switch where there is a label map, and says what keeps the outlines away", () => {
  assert.doesNotMatch(table("en", null), /<button|role="status"/);
  const status = (language: Language, state: OutlineState) =>
    /role="status"[^>]*>([^<]*)</.exec(table(language, state))![1];
  assert.match(table("en", "hidden"), /aria-pressed="false"[^>]*>Outlines</);
  assert.match(table("ko", "shown"), /aria-pressed="true"[^>]*>윤곽선</);
  assert.deepEqual(
    (["hidden", "loading", "shown", "failed"] as const).map((state) => status("en", state)),
    [
      "",
      "Loading…",
      "",
      viewerStructuresText.outlinesFailed.en,
    ],
  );
  assert.equal(status("ko", "failed"), viewerStructuresText.outlinesFailed.ko);
});
