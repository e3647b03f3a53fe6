// The findings of a study in sentences, for paper, DICOM, FHIR and HL7.
// No diagnosis: values, sides and directions.
import { formatRank, scoreDigits } from "@/model/norms/rank_format.ts";
import type { NormReason } from "@/model/schema/studies/patients.ts";
import type {
  AsymmetryFinding,
  Certainty,
  ChangeFinding,
  Conclusion,
  Finding,
  OutsideFinding,
} from "@/model/schema/report/finding.ts";
import { type Language, textIn } from "@/model/text.ts";
import { partName, REGION_GROUP_TEXT } from "@/model/text/regions.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";

/** Whether a finding is of a volume or a thickness outside the expected range. */
export const isOutside = (finding: Finding): finding is OutsideFinding =>
  finding.kind === "low" || finding.kind === "high";

/** Maximum number of parts that a sentence names. */
const MOST_PARTS = 6;

const lowerFirst = (word: string): string =>
  word === "" ? word : word[0]!.toLowerCase() + word.slice(1);

/** Name of a part, lobe or aggregate within a sentence: "hippocampus", "temporal lobe". */
export function partInSentence(part: string, language: Language): string {
  if (part === "cortex" || part === "brain" || part === "cingulate" || part === "icv") {
    return conclusionText[part][language];
  }
  if (part === "lateral_ventricles") return conclusionText.ventricles[language];
  if (part === "white_matter") return conclusionText.whiteMatter[language];
  if (part === "hippocampus" || part === "thickness") return conclusionText[part][language];
  const group = (REGION_GROUP_TEXT as Record<string, Record<Language, string>>)[part];
  const name = group ? group[language] : partName(part, language);
  return language === "en" ? lowerFirst(name) : name;
}

/** Signed number with a true minus: "+3.4", "−12.0". */
export const signedDigits = (value: number): string =>
  `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;

function valuesText({ values, measure, side }: OutsideFinding, language: Language): string {
  const unit = measure === "volume" ? "mL" : "mm";
  const parts = values.filter((value) => side !== "both" || value.side !== "").map(
    ({ side: at, value, rank }) => {
      const name = side !== "both" || at === ""
        ? ""
        : `${conclusionText[at === "L" ? "left" : "right"][language]} `;
      return `${name}${value.toFixed(2)}\u00a0${unit}, ${formatRank(rank, language)}`;
    },
  );
  return parts.join("; ");
}

const GROUPS = {
  low: { volume: { L: "lowLeft", R: "lowRight", both: "lowBoth", "": "low" } },
  high: { volume: { L: "highLeft", R: "highRight", both: "highBoth", "": "high" } },
  thin: { L: "thinLeft", R: "thinRight", both: "thinBoth", "": "thin" },
} as const;

const groupOf = ({ kind, measure, side }: OutsideFinding) =>
  measure === "thickness" ? GROUPS.thin[side] : GROUPS[kind].volume[side];

/** "hippocampus, amygdala, 3 more in the tables": names beyond MOST_PARTS are only counted. */
function listed(parts: readonly string[], language: Language): string {
  if (parts.length <= MOST_PARTS) return parts.join(", ");
  const more = textIn(conclusionText.more, language, { count: parts.length - MOST_PARTS });
  return [...parts.slice(0, MOST_PARTS), more].join(", ");
}

function asymmetryName(
  { part, side, percent, rank }: AsymmetryFinding,
  language: Language,
): string {
  // for fluid (ventricles) the larger side is the abnormal one
  const isLeftLarger = rank.percentile > 50, isLarger = (side === "L") === isLeftLarger;
  const named = side === "L" ? "left" : "right", size = isLarger ? "Larger" : "Smaller";
  // the measured sign is opposite to the finding because the norms expect a larger asymmetry
  const isByNorms = percent !== 0 && (percent > 0) !== isLeftLarger;
  const text = conclusionText[`${named}${size}${isByNorms ? "ThanExpected" : ""}`];
  return textIn(text, language, {
    part: partInSentence(part, language),
    percent: signedDigits(percent),
  });
}

function changeSentence(
  { key, percent, norm_percent: norm, since, is_acquisition_unknown }: ChangeFinding,
  language: Language,
): string {
  const unknown = is_acquisition_unknown
    ? ` ${textIn(conclusionText.unknownAcquisition, language)}`
    : "";
  const part = partInSentence(key, language), values = { percent: signedDigits(percent), since };
  const name = language === "en" ? part[0]!.toUpperCase() + part.slice(1) : part;
  const sentence = norm === null
    ? textIn(conclusionText.change, language, { part: name, ...values })
    : textIn(conclusionText.changeNorm, language, {
      part: name,
      ...values,
      norm: signedDigits(norm),
    });
  return sentence + unknown;
}

/**
 * Sentences of the findings of one certainty, each group of parts in one sentence, in the order of
 * the strongest finding of each sentence.
 */
function sentencesOfFindings(findings: readonly Finding[], language: Language): string[] {
  const parts = new Map<keyof typeof conclusionText, string[]>(),
    sentences: (() => string[])[] = [];
  const group = (key: keyof typeof conclusionText, name: string) => {
    const names = parts.get(key);
    if (names) names.push(name);
    else {
      const first = [name];
      parts.set(key, first);
      sentences.push(() => [
        textIn(conclusionText[key], language, { parts: listed(first, language) }),
      ]);
    }
  };
  for (const finding of findings) {
    if (isOutside(finding)) {
      const space = language === "en" ? " " : "", values = valuesText(finding, language);
      group(
        groupOf(finding),
        `${partInSentence(finding.part, language)}${space}(${values})`,
      );
    } else if (finding.kind === "asymmetry") group("asymmetry", asymmetryName(finding, language));
    else sentences.push(() => wholeSentences(finding, language));
  }
  return sentences.flatMap((make) => make());
}

/** Sentences of a finding that is not listed with others. */
function wholeSentences(
  finding: Exclude<Finding, OutsideFinding | AsymmetryFinding>,
  language: Language,
): string[] {
  if (finding.kind === "change") return [changeSentence(finding, language)];
  if (finding.kind === "score") {
    return [textIn(conclusionText.score, language, { score: scoreDigits(finding.score) })];
  }
  const { total, peri, deep, fazekas_equivalent: grade, places } = finding;
  const [all, near, far] = [total, peri, deep].map((ml) => ml.toFixed(2));
  const parts = places.map((place) => partInSentence(place, language));
  return [
    textIn(conclusionText.lesions, language, {
      total: all!,
      peri: near!,
      deep: far!,
      grade: grade ?? "",
    }),
    ...parts.length > 0
      ? [textIn(conclusionText.places, language, { parts: parts.join(", ") })]
      : [],
  ];
}

const isLobe = (part: string) =>
  ["cortex", "frontal", "parietal", "temporal", "occipital", "cingulate", "insula"].includes(part);

/** Reason for a conclusion without comparisons. */
export interface Uncompared {
  normReason: NormReason | null;
  hasT1: boolean;
  /** volumes are compared with norms adjusted for the patient's ICV */
  hasIcv: boolean;
  /** the scanner is not accepted for percentiles */
  isProvisional?: boolean;
}

/** All sentences of the conclusion, in reading order. */
export function sentencesOf(
  { state, findings, open_parts: openParts, withheld_parts: withheldParts = [] }: Omit<
    Conclusion,
    "sentences"
  >,
  { normReason, hasT1, hasIcv, isProvisional = false }: Uncompared,
  language: Language,
): string[] {
  const t = (text: Record<Language, string>, values: Record<string, string> = {}) =>
    textIn(text, language, values);
  const names = (parts: readonly string[]) =>
    listed([...new Set(parts)].map((part) => partInSentence(part, language)), language);
  const of = (level: Certainty) => findings.filter(({ certainty }) => certainty === level);
  const outside = findings.filter(isOutside);
  const firm = of("firm"),
    single = of("single"),
    possible = of("possible"),
    sentences: string[] = [];
  if (!hasT1) sentences.push(t(conclusionText.flairAlone));
  else if (normReason === "quality") sentences.push(t(conclusionText.noneByQuality));
  else if (normReason === "scanner_stopped") sentences.push(t(conclusionText.noneByScanner));
  else if (normReason !== null) sentences.push(t(conclusionText.noneByNorms));
  sentences.push(...sentencesOfFindings(firm, language));
  const marked = outside.filter(({ certainty }) => certainty !== "possible");
  if (
    marked.some(({ kind, part }) => kind === "high" && part === "Lateral ventricle") &&
    !marked.some(({ part }) => isLobe(part))
  ) sentences.push(t(conclusionText.lobesKept));
  if (single.length > 0) {
    sentences.push(t(conclusionText.single), ...sentencesOfFindings(single, language));
  }
  if (possible.length > 0) {
    sentences.push(t(conclusionText.possible), ...sentencesOfFindings(possible, language));
  }
  const doubted = [
    ...marked.filter(({ is_doubted }) => is_doubted).map(({ part }) => part),
    ...withheldParts,
  ];
  if (doubted.length > 0) sentences.push(t(conclusionText.doubt, { parts: names(doubted) }));
  if (normReason === null && hasT1) {
    if (state === "usual") {
      sentences.push(t(hasIcv ? conclusionText.usual : conclusionText.usualWithoutIcv));
    }
    if (state === "not_determined") {
      sentences.push(t(conclusionText.notDetermined));
      if (openParts.length > 0) {
        sentences.push(t(conclusionText.openParts, { parts: names(openParts) }));
      }
    }
    if (outside.length > 0) {
      sentences.push(t(hasIcv ? conclusionText.figures : conclusionText.figuresWithoutIcv));
    }
  }
  if (isProvisional) sentences.push(t(conclusionText.provisional));
  return sentences;
}
