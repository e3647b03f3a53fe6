import { useSignals } from "@preact/signals-react/runtime";
import { percentileOrdinal, scoreDigits } from "@/model/norms/rank_format.ts";
import type { PatientRow, StudyFinding } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { lesionFigure } from "@/model/text/lesions/lesion_figure.ts";
import { findingPartText, findingText } from "@/model/text/worklist/finding.ts";
import { partNameLater } from "@/client/page/part_names.ts";

/** Percentile limit: a value above it has a mark only because its 80 % interval is wide. */
const CONSPICUOUS = 5;
/** Minimum Fazekas grade to highlight; grade 1 is common with age. */
const CONSPICUOUS_GRADE = 2;

/** Text shown while part names are loading. */
const NAME_TO_COME = "…";

/** Formats a percentile with its part: "2nd percentile, left hippocampus". */
function deviationText({ deviation }: StudyFinding, language: Language): string | null {
  if (!deviation) return null;
  const { brain_regions, side, percentile } = deviation;
  return textIn(findingText.deviation, language, {
    part: partNameLater(brain_regions, side, language) || NAME_TO_COME,
    percentile: percentileOrdinal(percentile, language),
  });
}

/** First finding of a study as one line, with "+2" for further ones; `null` without findings. */
function firstText({ first, more = 0 }: StudyFinding, language: Language): string | null {
  if (!first) return null;
  const beside = more > 0 ? ` +${more}` : "";
  const t = (text: Record<Language, string>, values: Record<string, string | number>) =>
    textIn(text, language, values) + beside;
  switch (first.kind) {
    case "low":
    case "high": {
      const side = first.side === "L" || first.side === "R" ? first.side : "";
      const ranks = first.values.map(({ rank }) => rank.percentile);
      const percentile = first.kind === "low" ? Math.min(...ranks) : Math.max(...ranks);
      return t(first.side === "both" ? findingText.firstBoth : findingText.deviation, {
        part: findingPart(first.part, side, language),
        percentile: percentileOrdinal(percentile, language),
      });
    }
    case "missing": {
      const side = first.side === "L" || first.side === "R" ? first.side : "";
      return t(findingText.missing, { part: findingPart(first.part, side, language) });
    }
    case "asymmetry":
      return t(findingText.asymmetry, {
        part: findingPart(first.part, "", language),
        percent: `${first.percent < 0 ? "−" : "+"}${Math.abs(first.percent).toFixed(0)}`,
      });
    case "score":
      return t(findingText.score, { score: scoreDigits(first.score) });
    case "lesions":
      return first.fazekas_equivalent === null
        ? t(findingText.wmh, { ml: first.total.toFixed(1) })
        : t(findingText.wmhGraded, {
          ml: first.total.toFixed(1),
          grade: first.fazekas_equivalent,
        });
    case "change":
      return t(findingText.changed, {
        part: findingPart(first.key, "", language),
        percent: `${first.percent > 0 ? "+" : "−"}${Math.abs(first.percent).toFixed(1)}`,
      });
  }
}

/** Name of an atlas part, a lobe or an aggregate in the worklist. */
function findingPart(part: string, side: "L" | "R" | "", language: Language): string {
  if (!Object.hasOwn(findingPartText, part)) {
    return partNameLater(part, side, language) || NAME_TO_COME;
  }
  const name = findingPartText[part as keyof typeof findingPartText];
  return side === ""
    ? name[language]
    : textIn(findingText[side], language, { part: name[language] });
}

/** Text about a change since an earlier study; notes if the acquisitions may have differed. */
function changeText(
  { key, percent, since, is_acquisition_unknown }: NonNullable<StudyFinding["change"]>,
  language: Language,
): string {
  const change = textIn(findingText[key], language, {
    percent: `${percent > 0 ? "+" : "−"}${Math.abs(percent).toFixed(1)}`,
    since: since.slice(0, 4),
  });
  return is_acquisition_unknown
    ? textIn(findingText.unknownAcquisition, language, { change })
    : change;
}

/**
 * Volume of white matter hyperintensities, with the Fazekas grade if there is space, and change.
 * Contains only values that are measured and are not the first finding.
 */
const restTexts = (
  { wmh, fazekas_equivalent: grade, change, first }: StudyFinding,
  language: Language,
  { hasRoom, isUnreliable }: { hasRoom: boolean; isUnreliable: boolean },
): string[] => [
  ...wmh === null || first?.kind === "lesions" ? [] : [
    grade == null || !hasRoom || isUnreliable
      ? lesionFigure(
        textIn(findingText.wmh, language, { ml: wmh.toFixed(1) }),
        isUnreliable,
        language,
      )
      : textIn(findingText.wmhGraded, language, { ml: wmh.toFixed(1), grade }),
  ],
  ...change === null || first?.kind === "change" && first.key === change.key
    ? []
    : [changeText(change, language)],
];

/** Kinds of findings that are not compared with norms. */
const UNCOMPARED: readonly NonNullable<StudyFinding["first"]>["kind"][] = [
  "missing",
  "lesions",
  "change",
];

/** Whether a study's first finding uses norms for which the scanner is not accepted. */
const isProvisional = ({ is_provisional, first }: StudyFinding): boolean =>
  is_provisional === true && !(first && UNCOMPARED.includes(first.kind));

/** Text that percentiles are withheld because of the scanner; `null` if they are not. */
const withheldText = (
  { is_stopped, is_unread, is_refused }: StudyFinding,
  language: Language,
): string | null => {
  if (!is_stopped) return null;
  const reason = is_unread ? "unread" : is_refused ? "refused" : "stopped";
  return textIn(findingText[reason], language);
};

/** All deviations in a study's results as one line; `null` without deviations. */
export function findingLine(
  { finding, quality_grade, is_finding_pending }: Pick<
    PatientRow,
    "finding" | "quality_grade" | "is_finding_pending"
  >,
  language: Language,
): string | null {
  if (!finding) return is_finding_pending ? textIn(findingText.pending, language) : null;
  const first = firstText(finding, language) ?? deviationText(finding, language);
  const mark = isProvisional(finding) ? `${textIn(findingText.provisionalMark, language)} ` : "";
  const parts = [
    withheldText(finding, language),
    first && mark + first,
    ...restTexts(finding, language, {
      hasRoom: true,
      isUnreliable: quality_grade === "C",
    }),
  ];
  return parts.filter((part) => part !== null).join(" · ") || null;
}

/**
 * Deviations in a study's results: the brain part furthest from the norms, lesions,
 * and change since the previous study.
 */
export function FindingCell({ row, language }: { row: PatientRow; language: Language }) {
  useSignals();
  const { finding } = row;
  if (!finding) return row.is_finding_pending ? textIn(findingText.pending, language) : "-";
  const main = firstText(finding, language), deviation = main ?? deviationText(finding, language);
  const furtherTexts = restTexts(finding, language, {
    hasRoom: deviation === null,
    isUnreliable: row.quality_grade === "C",
  });
  // without a T1w series there is no regional deviation, so lesions come first
  const first = deviation ?? furtherTexts.shift();
  if (first === undefined && !finding.is_stopped) return "-";
  const { percentile = 50, is_usual = true } = finding.deviation ?? {};
  const standsOut = main
    ? finding.first?.certainty === "firm"
    : deviation
    ? !is_usual && (percentile < CONSPICUOUS || percentile > 100 - CONSPICUOUS)
    : (finding.fazekas_equivalent ?? 0) >= CONSPICUOUS_GRADE;
  const hasMark = deviation !== null && isProvisional(finding);
  const whole = [
    findingLine(row, language),
    hasMark ? textIn(findingText.provisional, language) : null,
  ].filter((text) => text !== null).join(" · ");
  return (
    <div className="min-w-0 leading-tight" title={whole || undefined}>
      {first && (
        <div
          className={`finding-text ${hasMark ? "has-mark" : ""} ${
            standsOut ? "font-medium text-amber-900" : ""
          }`}
        >
          {hasMark && (
            <span className="font-normal text-ink-soft">
              {textIn(findingText.provisionalMark, language)}
              {" "}
            </span>
          )}
          {first}
        </div>
      )}
      {finding.is_stopped && (
        <div className="finding-rest text-xs font-medium text-amber-900">
          {withheldText(finding, language)}
        </div>
      )}
      {furtherTexts.map((other) => (
        <div key={other} className="finding-rest text-xs text-ink-soft">{other}</div>
      ))}
    </div>
  );
}
