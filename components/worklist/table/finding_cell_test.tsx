import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import type { PatientRow, StudyFinding } from "@/model/schema/studies/patients.ts";
import { LANGUAGES } from "@/model/text.ts";
import { findingText } from "@/model/text/worklist/finding.ts";
import { FindingCell, findingLine } from "@/components/worklist/table/FindingCell.tsx";

const REST: StudyFinding = {
  deviation: null,
  wmh: 21.3,
  fazekas_equivalent: 2,
  change: { key: "brain", percent: -1.2, since: "2024-11-12" },
};
const FIRST: Record<string, StudyFinding["first"]> = {
  lesions: {
    kind: "lesions",
    certainty: "firm",
    total: 21.3,
    peri: 20,
    deep: 1.3,
    fazekas_equivalent: 2,
    places: [],
  },
  change: {
    kind: "change",
    certainty: "firm",
    key: "brain",
    percent: -1.2,
    norm_percent: -0.3,
    since: "2024-11-12",
  },
};

// covers: S-130
Deno.test("FindingCell and findingLine() print each figure once, whatever the first finding is", () => {
  for (const [name, first] of Object.entries({ none: undefined, ...FIRST })) {
    const row = { finding: { ...REST, ...first ? { first, more: 2 } : {} } } as PatientRow;
    for (const language of ["en", "ko"] as const) {
      const html = renderToStaticMarkup(<FindingCell row={row} language={language} />);
      const cell = html.replace(/title="[^"]*"/, ""), line = findingLine(row, language)!;
      for (const text of [cell, line]) {
        for (const figure of ["21.3", "1.2"]) {
          assert.equal(text.split(figure).length, 2, `${name}: ${figure} in ${text}`);
        }
        assert.equal(text.includes("+2"), first !== undefined, name);
      }
    }
  }
});

Deno.test("FindingCell and findingLine() end no finding in a separator before names have come", () => {
  const rank = { percentile: 3, low: 1, high: 6, has_bands: true, level: 1, is_usual: false };
  const parts = { part: "Hippocampus", certainty: "firm", values: [{ rank }], rank, percent: 36 };
  const firsts = [undefined, { kind: "low", side: "both", ...parts }, {
    kind: "asymmetry",
    side: "R",
    ...parts,
  }];
  const deviation = { brain_regions: "Putamen", side: "R", percentile: 3, is_usual: false };
  for (const first of firsts) {
    const finding = { deviation, wmh: null, fazekas_equivalent: null, change: null };
    const row = { finding: { ...finding, first, more: 0 } } as unknown as PatientRow;
    for (const language of ["en", "ko"] as const) {
      const html = renderToStaticMarkup(<FindingCell row={row} language={language} />);
      for (const text of [html.replace(/<[^>]*>/g, ""), findingLine(row, language)!]) {
        assert.match(text, /…/);
        assert.doesNotMatch(text, /· *($|,)/);
      }
    }
  }
});

// covers: S-156
Deno.test("FindingCell and findingLine() mark a percentile of a scanner that is not accepted, before it and in no line of its own", () => {
  const deviation = { brain_regions: "Putamen", side: "R", percentile: 3, is_usual: false };
  const firsts = [undefined, FIRST.lesions, FIRST.change];
  for (const first of firsts) {
    const finding = { ...REST, deviation, is_provisional: true, ...first && { first, more: 0 } };
    const row = { finding } as PatientRow, plain = { ...finding, is_provisional: false };
    for (const language of LANGUAGES) {
      const html = renderToStaticMarkup(<FindingCell row={row} language={language} />);
      const text = html.replace(/<[^>]*>/g, ""), line = findingLine(row, language)!;
      const plainHtml = renderToStaticMarkup(
        <FindingCell row={{ finding: plain } as PatientRow} language={language} />,
      );
      const mark = `${findingText.provisionalMark[language]} `;
      // findings about lesions and changes contain no percentile that could be provisional
      assert.equal(text.startsWith(mark), first === undefined);
      assert.equal(line.startsWith(mark), first === undefined);
      assert.equal(html.includes(findingText.provisional[language]), first === undefined);
      assert.equal(text.replace(mark, ""), plainHtml.replace(/<[^>]*>/g, ""));
      assert.equal(html.split("<div").length, plainHtml.split("<div").length);
    }
  }
});

Deno.test("FindingCell and findingLine() say that a finding is being calculated", () => {
  for (const language of LANGUAGES) {
    const row = { finding: null, is_finding_pending: true } as PatientRow;
    const html = renderToStaticMarkup(<FindingCell row={row} language={language} />);
    assert.equal(html, findingText.pending[language]);
    assert.equal(findingLine(row, language), findingText.pending[language]);
    assert.equal(findingLine({ finding: null } as PatientRow, language), null);
  }
});
