// Writes the findings of a study as sentences, for paper, DICOM, FHIR and HL7.
// The sentences contain no diagnosis: only values, sides and directions.
import { formatRank, scoreDigits } from "@/model/norms/rank_format.ts";
import type { NormReason } from "@/model/schema/studies/patients.ts";
import type {
  AsymmetryFinding,
  Certainty,
  ChangeFinding,
  Conclusion,
  Finding,
  MissingFinding,
  OutsideFinding,
} from "@/model/schema/report/finding.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { type Language, textIn } from "@/model/text.ts";
import { partName, REGION_GROUP_TEXT } from "@/model/text/regions.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";

/** Whether a finding is about a volume or thickness outside the expected range. */
export const isOutside = (finding: Finding): finding is OutsideFinding =>
  finding.kind === "low" || finding.kind === "high";

/** Maximum number of parts that a sentence names. */
export const MOST_PARTS = 6;

const lowerFirst = (word: string): string =>
  word === "" ? word : word[0]!.toLowerCase() + word.slice(1);

/** Name of a part, lobe or aggregate within a sentence: "hippocampus", "temporal lobe". */
export function partInSentence(part: string, language: Language): string {
  if (
    part === "cortex" || part === "brain" || part === "cingulate" || part === "icv" ||
    part === "hemisphere"
  ) {
    return conclusionText[part][language];
  }
  if (part === "lateral_ventricles") return conclusionText.ventricles[language];
  if (part === "white_matter") return conclusionText.whiteMatter[language];
  if (part === "hippocampus" || part === "thickness") return conclusionText[part][language];
  const group = (REGION_GROUP_TEXT as Record<string, Record<Language, string>>)[part];
  const name = group ? group[language] : partName(part, language);
  return language === "en" ? lowerFirst(name) : name;
}

/** Formats a signed number with a true minus: "+3.4", "−12.0". */
export const signedDigits = (value: number): string =>
  `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;

function valuesText(finding: OutsideFinding | MissingFinding, language: Language): string {
  const { side } = finding, isVolume = finding.kind === "missing" || finding.measure === "volume";
  const values: readonly { side: string; value: number; rank?: PercentileRank }[] = finding.values;
  const parts = values.filter((value) => side !== "both" || value.side !== "").map(
    ({ side: at, value, rank }) => {
      const name = side !== "both" || at === ""
        ? ""
        : `${conclusionText[at === "L" ? "left" : "right"][language]} `;
      const ranked = rank ? `, ${formatRank(rank, language)}` : "";
      return `${name}${value.toFixed(2)}\u00a0${isVolume ? "mL" : "mm"}${ranked}`;
    },
  );
  return parts.join("; ");
}

const GROUPS = {
  low: { volume: { L: "lowLeft", R: "lowRight", both: "lowBoth", "": "low" } },
  high: { volume: { L: "highLeft", R: "highRight", both: "highBoth", "": "high" } },
  thin: { L: "thinLeft", R: "thinRight", both: "thinBoth", "": "thin" },
  missing: { L: "missingLeft", R: "missingRight", both: "missingBoth", "": "missing" },
} as const;

const groupOf = (finding: OutsideFinding | MissingFinding) =>
  finding.kind === "missing"
    ? GROUPS.missing[finding.side]
    : finding.measure === "thickness"
    ? GROUPS.thin[finding.side]
    : GROUPS[finding.kind].volume[finding.side];

/**
 * Joins names: "hippocampus, amygdala, 3 more in the tables". Beyond MOST_PARTS they are counted.
 */
function listed(parts: readonly string[], language: Language): string {
  if (parts.length <= MOST_PARTS) return parts.join(", ");
  const more = textIn(conclusionText.more, language, { count: parts.length - MOST_PARTS });
  return [...parts.slice(0, MOST_PARTS), more].join(", ");
}

function asymmetryName(
  { part, side, percent, rank }: AsymmetryFinding,
  language: Language,
): string {
  // for fluid (ventricles), the larger of both sides is the abnormal one
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

/** A sentence of a conclusion, with the findings that it names or counts. */
export interface Statement {
  text: string;
  findings: readonly Finding[];
}

/**
 * Sentences for findings that are equally certain, one for each group of brain structures.
 * A sentence with a stronger finding comes first.
 */
export function statementsOfFindings(
  findings: readonly Finding[],
  language: Language,
): Statement[] {
  const groups = new Map<keyof typeof conclusionText, { names: string[]; of: Finding[] }>(),
    statements: (() => Statement[])[] = [];
  const group = (key: keyof typeof conclusionText, name: string, finding: Finding) => {
    const present = groups.get(key);
    if (present) {
      present.names.push(name);
      present.of.push(finding);
      return;
    }
    const names = [name], of = [finding];
    groups.set(key, { names, of });
    statements.push(() => [{
      text: textIn(conclusionText[key], language, { parts: listed(names, language) }),
      findings: of,
    }]);
  };
  for (const finding of findings) {
    if (isOutside(finding) || finding.kind === "missing") {
      const space = language === "en" ? " " : "", values = valuesText(finding, language);
      const name = `${partInSentence(finding.part, language)}${space}(${values})`;
      group(groupOf(finding), name, finding);
    } else if (finding.kind === "asymmetry") {
      group("asymmetry", asymmetryName(finding, language), finding);
    } else {
      statements.push(() =>
        wholeSentences(finding, language).map((text) => ({ text, findings: [finding] }))
      );
    }
  }
  return statements.flatMap((make) => make());
}

/** Findings of one certainty that follow the same introduction. */
export interface Segment {
  /** sentence that introduces the findings; `null`: they need none */
  header: Record<Language, string> | null;
  findings: Finding[];
}

/**
 * Findings of one certainty in printing order. Lesions are compared with no norm, so "also in
 * healthy people when so many values are measured" must not introduce them.
 */
export function segmentsOf(findings: readonly Finding[], level: Certainty): Segment[] {
  const all = findings.filter(({ certainty }) => certainty === level);
  if (level !== "single") {
    return [{ header: level === "firm" ? null : conclusionText.possible, findings: all }]
      .filter(({ findings }) => findings.length > 0);
  }
  const lesions = all.filter(({ kind }) => kind === "lesions");
  const others = {
    header: conclusionText.single,
    findings: all.filter(({ kind }) => kind !== "lesions"),
  };
  const segments: Segment[] = all[0]?.kind === "lesions"
    ? [{ header: null, findings: lesions }, others]
    : [others, { header: conclusionText.uncompared, findings: lesions }];
  return segments.filter(({ findings }) => findings.length > 0);
}

/** Sentences about findings that are not listed together with others. */
function wholeSentences(
  finding: Exclude<Finding, OutsideFinding | AsymmetryFinding | MissingFinding>,
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

/** Reason why a conclusion compares nothing with norms. */
export interface Uncompared {
  normReason: NormReason | null;
  hasT1: boolean;
  /** volumes are compared with norms adjusted for the patient's ICV */
  hasIcv: boolean;
  /** the scanner is not accepted for percentiles */
  isProvisional?: boolean;
}

const partOf = (finding: Finding): string => "part" in finding ? finding.part : "";

type Concluded = Omit<Conclusion, "sentences" | "stated" | "agreeing">;

/** The conclusion in sentences, in reading order, each with the findings that it is about. */
export const worded = (
  concluded: Concluded,
  uncompared: Uncompared,
  language: Language,
): Pick<Conclusion, "sentences" | "stated"> => {
  const statements = statementsOf(concluded, uncompared, language);
  return {
    sentences: statements.map(({ text }) => text),
    stated: statements.map(({ findings }) =>
      findings.map((finding) => concluded.findings.indexOf(finding))
    ),
  };
};

/** All sentences of the conclusion, in the order of reading. */
export const sentencesOf = (...input: Parameters<typeof worded>): string[] =>
  worded(...input).sentences;

/** Sentence for each reason for a conclusion without percentiles. */
const UNCOMPARED = {
  quality: conclusionText.noneByQuality,
  age_outside_norms: conclusionText.noneByAge,
  age_unknown: conclusionText.noneByUnknownAge,
  sex_unknown: conclusionText.noneByUnknownSex,
  scanner_stopped: conclusionText.noneByScanner,
  scanner_unread: conclusionText.noneByUnreadScanner,
  scanner_refused: conclusionText.noneByRefusal,
} as const satisfies Record<NormReason, Record<Language, string>>;

/** Reason why nothing is compared; `null` if values are compared. */
function uncomparedText({ hasT1, normReason }: Uncompared) {
  if (!hasT1) return conclusionText.flairAlone;
  return normReason && UNCOMPARED[normReason];
}

function statementsOf(
  { state, findings, open_parts: openParts, doubted_parts: doubtedParts = [] }: Concluded,
  uncompared: Uncompared,
  language: Language,
): Statement[] {
  const { normReason, hasT1, hasIcv, isProvisional = false } = uncompared;
  const statements: Statement[] = [];
  const say = (text: Record<Language, string>, values: Record<string, string> = {}) =>
    statements.push({ text: textIn(text, language, values), findings: [] });
  const names = (parts: readonly string[]) =>
    listed([...new Set(parts)].map((part) => partInSentence(part, language)), language);
  const outside = findings.filter(isOutside);
  const reason = uncomparedText(uncompared);
  if (reason) say(reason);
  const sayAll = (level: Certainty) => {
    for (const { header, findings: of } of segmentsOf(findings, level)) {
      if (header) say(header);
      statements.push(...statementsOfFindings(of, language));
    }
  };
  sayAll("firm");
  const marked = outside.filter(({ certainty }) => certainty !== "possible");
  const missing = findings.filter(({ kind }) => kind === "missing").map(partOf);
  if (
    marked.some(({ kind, part }) => kind === "high" && part === "Lateral ventricle") &&
    !marked.some(({ part }) => isLobe(part)) &&
    !missing.some((part) => isLobe(part) || part === "hemisphere")
  ) say(conclusionText.lobesKept);
  sayAll("single");
  sayAll("possible");
  const doubted = [
    ...findings.filter((one) => "is_doubted" in one && one.is_doubted).map(partOf),
    ...doubtedParts,
  ].filter((part) => !missing.includes(part));
  if (doubted.length > 0) say(conclusionText.doubt, { parts: names(doubted) });
  if (normReason === null && hasT1) {
    if (state === "usual") say(hasIcv ? conclusionText.usual : conclusionText.usualWithoutIcv);
    if (state === "not_determined") {
      say(conclusionText.notDetermined);
      if (openParts.length > 0) say(conclusionText.openParts, { parts: names(openParts) });
    }
    if (outside.length > 0) {
      say(hasIcv ? conclusionText.figures : conclusionText.figuresWithoutIcv);
    }
  }
  if (isProvisional) say(conclusionText.provisional);
  return statements;
}
