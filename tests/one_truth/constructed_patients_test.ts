// Constructed patients of all kinds: all outputs have equal figures and texts.
// covers: D2-1.1, S-130, S-135
import assert from "node:assert/strict";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { inDicom } from "@/tests/one_truth/in_dicom.ts";
import { inMessages } from "@/tests/one_truth/in_messages.ts";
import { inRegistry } from "@/tests/one_truth/in_registry.ts";
import { inTable } from "@/tests/one_truth/in_table.ts";
import { inList, inViewer } from "@/tests/one_truth/in_viewer.ts";
import { onPages } from "@/tests/one_truth/on_pages.ts";
import { constructedPatient } from "@/tests/one_truth/patients.ts";
import { signedIn, suggestedIn } from "@/tests/one_truth/texts.ts";

const COUNT = Number(Deno.env.get("CONSTRUCTED_PATIENTS") ?? 60);
const OUTPUTS = [onPages, inViewer, inTable, inDicom, inMessages, inList, inRegistry];
/** Outputs with plain figures for grade C; others mark them, see `unreliable_lesions_test.tsx`. */
const OUTPUTS_OF_GRADE_C = [inTable, inList];
const TEXT = 'Own words: hippocampi reviewed.\n\n1. <b> | ^ & ~ \\ "R"';

Deno.test(`${COUNT} constructed patients have the same figures and texts in all outputs`, () => {
  const wrong: string[] = [], states = new Set<string>();
  for (let seed = 1; seed <= COUNT; seed++) {
    const truth = constructedPatient(seed), { sentences, state } = truth.report.conclusion!;
    states.add(state);
    const outputs = truth.report.qc.grade === "C" ? OUTPUTS_OF_GRADE_C : OUTPUTS;
    const figures = Map.groupBy(outputs.flatMap((of) => of(truth)), ([quantity]) => quantity);
    for (const all of figures.values()) {
      if (new Set(all.map(([, , figure]) => figure)).size > 1) {
        wrong.push(`seed ${seed}: ${all.map((each) => each.join(": ")).join(" | ")}`);
      }
    }
    const signed = {
      text: TEXT,
      language: "en" as const,
      author: "Dr Kim",
      signed_at: "2026-01-07T08:09:10.000Z",
      is_outdated: false,
    };
    for (const [place, text] of Object.entries(signedIn(truth, signed))) {
      if (text !== TEXT) wrong.push(`seed ${seed}: signed text in ${place}: ${text}`);
    }
    const { Cover: cover, HL7: message } = suggestedIn(truth);
    if (message !== sentences.join("\n")) wrong.push(`seed ${seed}: HL7 ${message}`);
    const [start] = conclusionText.shortened.en.split("{");
    const kept = cover!.split("\n").filter((line) => !line.startsWith(start!));
    if (kept.some((line) => !sentences.includes(line))) wrong.push(`seed ${seed}: cover ${cover}`);
    if (kept[0] !== sentences[0]) wrong.push(`seed ${seed}: the cover begins with ${kept[0]}`);
  }
  assert.deepEqual(wrong, []);
  assert.ok(states.size >= 3, [...states].join());
});
