// Parses the sentences of page one into claims, from the printed sheet.
import assert from "node:assert/strict";
import { blocksOf } from "@/tests/page_one/printed_rows.ts";
import type { Sheet } from "@/report/sheets/sheet.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import type { Language } from "@/model/text.ts";

export type Certainty = "firm" | "single" | "possible";

/** Claim that a volume or thickness is outside of the expected range. */
export interface OutsideClaim {
  kind: "outside";
  direction: "low" | "high" | "thin";
  certainty: Certainty;
  side: "left" | "right" | "both" | "";
  part: string;
  values: { side: "left" | "right" | ""; value: string; percentile: string }[];
}
export interface AsymmetryClaim {
  kind: "asymmetry";
  certainty: Certainty;
  part: string;
  side: "left" | "right";
  isLarger: boolean;
  /** compared with the norms of both sides, because the volumes differ in the other direction */
  isByNorms: boolean;
  percent: string;
}
export type Claim =
  | OutsideClaim
  | AsymmetryClaim
  | {
    kind: "missing";
    side: "left" | "right" | "both" | "";
    part: string;
    values: { side: string; value: string }[];
  }
  | { kind: "score"; score: string }
  | { kind: "lesions"; total: string; peri: string; deep: string; grade: string }
  | {
    kind: "change";
    part: string;
    percent: string;
    since: string;
    norm: string | null;
    isUnknown: boolean;
  }
  | { kind: "open" | "doubt" | "places"; parts: string[]; isWhole: boolean }
  | { kind: "more"; count: number }
  | { kind: "shortened"; count: number; pages: number[] }
  | {
    kind:
      | "usual"
      | "usualWithoutIcv"
      | "notDetermined"
      | "noneByQuality"
      | "noneByAge"
      | "noneByUnknownAge"
      | "noneByUnknownSex"
      | "flairAlone"
      | "lobesKept"
      | "single"
      | "possible"
      | "uncompared"
      | "figures"
      | "figuresWithoutIcv"
      | "noneByScanner"
      | "provisional";
  };

/** Sentences of the suggested conclusion on a sheet. */
export function suggestionOn({ blocks }: Sheet, language: Language): string[] {
  const all = blocksOf(blocks);
  const from = all.findIndex((block) =>
    block.kind === "heading" && block.text === conclusionText.automatic[language]
  );
  if (from < 0) return [];
  const until = all.findIndex((block, at) => at > from && block.kind !== "text");
  return all.slice(from + 1, until < 0 ? undefined : until).map((block) =>
    block.kind === "text" ? block.text : ""
  );
}

const WHOLE = [
  "usual",
  "usualWithoutIcv",
  "notDetermined",
  "noneByQuality",
  "noneByAge",
  "noneByUnknownAge",
  "noneByUnknownSex",
  "flairAlone",
  "lobesKept",
  "single",
  "possible",
  "uncompared",
  "figures",
  "figuresWithoutIcv",
  "noneByScanner",
  "provisional",
] as const;
const DIRECTIONS = { "Low volume": "low", "Large volume": "high", "Thin cortex": "thin" } as const;
const SIDES = { "on the left": "left", "on the right": "right", "on both sides": "both" } as const;

const withoutCount = (list: string): [string, number] => {
  const more = /(?:, )?(\d+) more in the tables$/.exec(list);
  return more ? [list.slice(0, more.index), Number(more[1])] : [list, 0];
};
const moreClaims = (count: number): Claim[] => count === 0 ? [] : [{ kind: "more", count }];

function outsideClaims(sentence: string, certainty: Certainty): Claim[] | null {
  const match =
    /^(Low volume|Large volume|Thin cortex)(?: (on the left|on the right|on both sides))?: (.*)\.$/
      .exec(
        sentence,
      );
  if (!match) return null;
  const [list, more] = withoutCount(match[3]!), claims: Claim[] = [];
  const claimSide = match[2] ? SIDES[match[2] as keyof typeof SIDES] : "";
  // values of a claim about both sides name their side
  const sideOfValue = claimSide === "both" ? "" : claimSide;
  for (const [, part, values] of list.matchAll(/(?:^|, )([^(,][^(]*?) \(([^)]*)\)/g)) {
    claims.push({
      kind: "outside",
      direction: DIRECTIONS[match[1] as keyof typeof DIRECTIONS],
      certainty,
      side: claimSide,
      part: part!,
      values: values!.split("; ").map((value) => {
        const [, side = "", figure, percentile] =
          /^(?:(left|right) )?([\d.]+)\u00a0m[Lm], (.*)$/.exec(value) ?? assert.fail(sentence);
        return {
          side: (side || sideOfValue) as "left" | "right" | "",
          value: figure!,
          percentile: percentile!,
        };
      }),
    });
  }
  assert.ok(claims.length > 0, sentence);
  return [...claims, ...moreClaims(more)];
}

function asymmetryClaims(sentence: string, certainty: Certainty): Claim[] | null {
  const match = /^Left–right difference larger than [^:]*: (.*)\.$/.exec(sentence);
  if (!match) return null;
  const [list, more] = withoutCount(match[1]!);
  const claims = [
    ...list.matchAll(
      /(?:^|, )([^(,][^(]*?) (smaller|larger) on the (left|right)[^(]*\(\w+ ([+−]?[\d.]+)\u00a0%\)/g,
    ),
  ].map(([whole, part, size, side, percent]): Claim => ({
    kind: "asymmetry",
    certainty,
    part: part!,
    side: side as "left" | "right",
    isLarger: size === "larger",
    isByNorms: whole.includes("than expected"),
    percent: percent!,
  }));
  assert.ok(claims.length > 0, sentence);
  return [...claims, ...moreClaims(more)];
}

function missingClaims(sentence: string): Claim[] | null {
  const match =
    /^Missing or far too small(?: (on the left|on the right|on both sides))?, check the segmentation on the images: (.*)\.$/
      .exec(sentence);
  if (!match) return null;
  const [list, more] = withoutCount(match[2]!);
  const side = match[1] ? SIDES[match[1] as keyof typeof SIDES] : "";
  const claims = [...list.matchAll(/(?:^|, )([^(,][^(]*?) \(([^)]*)\)/g)].map((
    [, part, values],
  ): Claim => ({
    kind: "missing",
    side,
    part: part!,
    values: values!.split("; ").map((value) => {
      const [, at = "", figure] = /^(?:(left|right) )?([\d.]+)\u00a0mL$/.exec(value) ??
        assert.fail(sentence);
      return { side: at || (side === "both" ? "" : side), value: figure! };
    }),
  }));
  assert.ok(claims.length > 0, sentence);
  return [...claims, ...moreClaims(more)];
}

/** A sentence that is a single claim of another kind. */
function otherClaim(sentence: string): Claim | null {
  const whole = WHOLE.find((key) => conclusionText[key].en === sentence);
  if (whole) return { kind: whole };
  const short = /^… and (\d+) more results?: see pages? ([\d, ]+)\.$/.exec(sentence);
  if (short) {
    return {
      kind: "shortened",
      count: Number(short[1]),
      pages: short[2]!.split(", ").map(Number),
    };
  }
  const score = /^High Atrophy Score: (.*)\.$/.exec(sentence);
  if (score) return { kind: "score", score: score[1]! };
  const load = new RegExp(
    "^White matter hyperintensities: ([\\d.]+)\u00a0mL \\(periventricular ([\\d.]+), deep ([\\d.]+)\\); " +
      "by volume, this corresponds to Fazekas grade (\\d)\\.$",
  ).exec(sentence);
  if (load) {
    const [, total, peri, deep, grade] = load;
    return { kind: "lesions", total: total!, peri: peri!, deep: deep!, grade: grade! };
  }
  const unknown = ` ${conclusionText.unknownAcquisition.en}`,
    isUnknown = sentence.endsWith(unknown);
  const change =
    /^(.*?): volume change of ([+−][\d.]+)\u00a0% per year since ([\d-]+)(?: \(norm: ([+−][\d.]+)\u00a0% per year\))?\.$/
      .exec(isUnknown ? sentence.slice(0, -unknown.length) : sentence);
  if (change) {
    const [, part, percent, since, norm = null] = change;
    return { kind: "change", part: part!, percent: percent!, since: since!, norm, isUnknown };
  }
  for (
    const [kind, pattern] of [
      ["open", /^Not determined for: (.*)\.$/],
      ["doubt", /^Check the segmentation on the images: (.*)\.$/],
      ["places", new RegExp(`^${conclusionText.places.en.replace("{parts}", "(.*)")}$`)],
    ] as const
  ) {
    const match = pattern.exec(sentence);
    if (match) {
      const [list, more] = withoutCount(match[1]!);
      return { kind, parts: list.split(", "), isWhole: more === 0 };
    }
  }
  return null;
}

/** Claims in sentences, in order. @throws for a sentence that matches no pattern. */
export function claimsOf(sentences: readonly string[]): Claim[] {
  let certainty: Certainty = "firm";
  return sentences.flatMap((sentence) => {
    if (sentence === conclusionText.single.en) certainty = "single";
    if (sentence === conclusionText.possible.en) certainty = "possible";
    return outsideClaims(sentence, certainty) ?? asymmetryClaims(sentence, certainty) ??
      missingClaims(sentence) ??
      [otherClaim(sentence) ?? assert.fail(`No claim: ${sentence}`)];
  });
}
