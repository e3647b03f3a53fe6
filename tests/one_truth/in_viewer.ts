import assert from "node:assert/strict";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { LESION_SITES } from "@/model/regions/lesion_site.ts";
import { lesionSearchText, lesionSiteText } from "@/model/text/lesions/lesion_place.ts";
import { listedLesions } from "@/viewer/lesions.ts";
import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import { percentileDigits } from "@/model/norms/rank_format.ts";
import { signed } from "@/report/model/format.ts";
import { LesionPanel, ratioDigits } from "@/viewer/panels/LesionPanel.tsx";
import { markOf, volumeLobes } from "@/viewer/panels/region_tree.ts";
import { bandText, basisOf } from "@/viewer/session/region_facts.ts";
import { type LesionData, lesionDataOf } from "@/model/measured/lesion_data.ts";
import { measureStudy } from "@/model/measured/measured_study.ts";
import { studyFindingOf } from "@/server/core/analyses/service/finding.ts";
import type { PatientRow, StudyFinding } from "@/model/schema/studies/patients.ts";
import { findingText } from "@/model/text/worklist/finding.ts";
import { SidesCell } from "@/components/worklist/table/SidesCell.tsx";
import { millilitres } from "@/model/measured/region_data.ts";
import { type Printed, SIDES, two } from "@/tests/one_truth/figures.ts";
import type { Truth } from "@/tests/one_truth/patients.ts";

/** Data of a woman of the given age, as the viewer receives them. */
export const figuresOf = (
  { results, flair, age, method }: Pick<Truth, "results" | "flair" | "age"> & {
    method?: Truth["method"] | undefined;
  },
) =>
  measureStudy({
    patient: { patient_birthdate: null, study_date: null, patient_age: age, patient_sex: "female" },
    t1: results,
    flair,
    method,
  });

/** All figures beside the images. */
export function inViewer({ results, flair, age, method }: Truth): Printed[] {
  const out: Printed[] = [];
  if (results) {
    const { regions, aggregates } = figuresOf({ results, flair, age, method });
    for (
      const { group, left, right, total, parts } of volumeLobes(
        regions,
        aggregates,
        basisOf(regions),
      )
    ) {
      for (const { part, sides, total: sum, asymmetry, icvPercent } of parts) {
        if (sum === null) continue;
        out.push([`${part} % ICV`, "viewer", two(icvPercent)]);
        if (sides.length === 2) {
          sides.forEach(({ value }, n) => out.push([`${part} ${SIDES[n]}`, "viewer", two(value)]));
          if (asymmetry !== null) out.push([`${part} asymmetry`, "viewer", signed(asymmetry)]);
        }
        out.push([`${part} total`, "viewer", two(sum)]);
        // for parts with two sides, the list has no percentile of the total
        const [one] = sides.length === 1 ? sides : [];
        if (one?.rank) {
          out.push([`${part} sign`, "viewer", markOf(one.label, one.rank, DEFAULT_THRESHOLDS)]);
          const words = bandText(one.label, one.rank, DEFAULT_THRESHOLDS, "en");
          if (words) out.push([`${part} band`, "viewer", words]);
        }
      }
      if (["frontal", "temporal", "occipital"].includes(group)) {
        out.push([`${group} left`, "viewer", two(left.value)], [
          `${group} right`,
          "viewer",
          two(right.value),
        ]);
        out.push([`${group} total`, "viewer", two(total)]);
      }
    }
    out.push(["ICV", "viewer", two(millilitres(results.icvMm3))]);
  }
  if (flair) {
    const found = lesionDataOf(flair);
    out.push(
      ["WMH", "viewer", two(found.wmh)],
      ["deep WMH", "viewer", two(found.deep_wmh)],
      ["periventricular WMH", "viewer", two(found.peri_wmh)],
      [
        "WMH ratio",
        "viewer",
        ratioDigits({ ...found, quality_notes: { t2: null } }).replace("\u00a0%", ""),
      ],
      ["lesions", "viewer", String(found.wmh_detail.lesion_count)],
      ["lesions", "viewer, list", String(found.wmh_detail.lesions!.length)],
      ...inPanel(found),
    );
  }
  return out;
}

/** Lesion volumes by place in the panel of lesions, from its HTML. */
function inPanel(found: LesionData): Printed[] {
  const { wmh_detail } = found;
  if (!wmh_detail.places) return [];
  const page = renderToStaticMarkup(createElement(LesionPanel, {
    figures: { ...found, quality_notes: { t2: null } },
    lesions: listedLesions(wmh_detail.lesions!),
    current: -1,
    onGo: () => {},
    colours: { deep: "", peri: "" },
    language: "en",
  }));
  const places = LESION_SITES.flatMap((site): Printed[] => {
    const at = new RegExp(`<dt[^>]*>${lesionSiteText[site].en}</dt><dd[^>]*>([^<]*)<`).exec(page);
    if (!at || at[1] === lesionSearchText.notSearched.en) return [];
    const [count, volume] = at[1]!.split(" · ");
    return [
      [`lesions ${site}`, "viewer", count!],
      [`volume ${site}`, "viewer", volume!.replace(/\smL$/, "")],
    ];
  });
  const row =
    /role="option".*?truncate">([^<]*)<.*?text-\[11px\][^>]*>([^<]*)<.*?nowrap">([\d.]+)\smL/g;
  const rows = [...page.matchAll(row)];
  assert.equal(rows.length, wmh_detail.lesion_count);
  return [
    ...places,
    ...rows.flatMap(([, place, site, ml], n): Printed[] => [
      [`lesion ${n + 1} place`, "viewer", `${place}, ${site![0]!.toLowerCase()}${site!.slice(1)}`],
      [`lesion ${n + 1}`, "viewer", ml!],
    ]),
  ];
}

/** Figures in the worklist's column, and the viewer's percentile of the same side. */
export function inList({ results, flair, age, method }: Truth): Printed[] {
  const study = figuresOf({ results, flair, age, method }), out: Printed[] = [];
  const finding = studyFindingOf(study, { visits: null, pid: 1 });
  if (finding.wmh !== null) out.push(["WMH", "list of studies", two(finding.wmh)]);
  if (finding.hippocampus) out.push(...hippocampiInList(finding));
  const { brain_regions: part, side, percentile } = finding.deviation ?? {};
  if (!results || !part || percentile === undefined) return out;
  out.push([`${part} ${side} percentile`, "list of studies", percentileDigits(percentile)]);
  const lobes = volumeLobes(study.regions, study.aggregates, basisOf(study.regions));
  const { sides } = lobes.flatMap(({ parts }) => parts).find((one) => one.part === part)!;
  const rank = sides[side === "R" ? 1 : 0]!.rank;
  return [...out, [`${part} ${side} percentile`, "viewer", percentileDigits(rank!.percentile)]];
}

/** Volumes and difference of the hippocampi with their percentiles, in the columns of the list. */
function hippocampiInList(finding: StudyFinding): Printed[] {
  return (["left", "right", "asymmetry"] as const).flatMap((shown): Printed[] => {
    const cell = createElement(SidesCell, {
      row: { finding } as PatientRow,
      shown,
      language: "en",
    });
    const [value, rank] = renderToStaticMarkup(cell).split("</div>")
      .map((html) =>
        html.replaceAll(/<[^>]+>/g, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">")
      );
    const plainRank = rank?.replace(findingText.provisionalMark.en, "").trim();
    return [
      [`Hippocampus ${shown}`, "list of studies", value!.replace("\u00a0%", "")],
      ...plainRank
        ? [[`Hippocampus ${shown} rank`, "list of studies", plainRank] satisfies Printed]
        : [],
    ];
  });
}
