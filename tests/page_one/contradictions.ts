// Compares sentences of page one with the tables of the same report, and returns contradictions.
import { isLowLevel } from "@/model/norms/bands.ts";
import { partInSentence } from "@/model/findings/sentences.ts";
import { LOBES } from "@/model/regions/measures.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import { yearsBetween } from "@/model/norms/annual_change.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { checkupPageText } from "@/model/text/report/pages/checkup.ts";
import { wmhPageText } from "@/model/text/report/pages/wmh.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import type { Sheet } from "@/report/sheets/sheet.ts";
import type { AsymmetryClaim, Claim, OutsideClaim } from "@/tests/page_one/printed_claims.ts";
import { blocksOf, type PrintedRow, rowsOf } from "@/tests/page_one/printed_rows.ts";

type Rows = ReadonlyMap<string, readonly PrintedRow[]>;
const LOBE_NAMES = LOBES.map((lobe) => partInSentence(lobe, "en"));

/** Strength of a mark such as "▼(▼▼)": of the certain mark, and of the possible one in brackets. */
const MARKS: Readonly<Record<string, number>> = {
  "▽": 1,
  "△": 1,
  "▼": 2,
  "▲": 2,
  "▼▼": 3,
  "▲▲": 3,
};

/** Level of a mark; with a single threshold the strong mark is the only one. */
const levelOf = (mark: string, thresholds: readonly number[]): number =>
  thresholds.length === 1 && mark !== "" ? 1 : MARKS[mark] ?? 0;

const firmMark = (symbol: string) => /^[▽▼△▲]*/.exec(symbol)![0];
const possibleMark = (symbol: string) => /\(([▽▼△▲]+)\)/.exec(symbol)?.[1] ?? "";

/** Whether a printed mark means low, or high for fluid. */
const isFirmLow = ({ symbol }: PrintedRow, thresholds: readonly number[]): boolean =>
  isLowLevel(levelOf(firmMark(symbol), thresholds), thresholds);
const isPossiblyLow = ({ symbol }: PrintedRow, thresholds: readonly number[]): boolean =>
  isLowLevel(levelOf(possibleMark(symbol), thresholds), thresholds);

/** Whether the level below a side's value means low; a single threshold prints it as strong. */
const isUnderLow = (level: number, thresholds: readonly number[]): boolean =>
  isLowLevel(thresholds.length === 1 && level > 0 ? 1 : level, thresholds);

/** "12th, 4–29": percentile and ends of the interval; "<1" is 0, ">99" is 100. */
function readPercentile(text: string): { middle: number; low: number; high: number } | null {
  const plain = (digits: string) =>
    digits.startsWith("<") ? 0 : digits.startsWith(">") ? 100 : Number(digits);
  const numbers = text.match(/[<>]?\d+(?=st|nd|rd|th|–| to |,|$)/g)?.map(plain);
  if (!numbers) return null;
  const [middle, low = middle, high = low] = numbers;
  return { middle: middle!, low: low!, high: high! };
}

function outsideWrong(claim: OutsideClaim, rows: Rows, thresholds: readonly number[]): string[] {
  const { part, direction, certainty, values } = claim, wrong: string[] = [];
  const printed =
    rows.get(part === "cerebral cortex" && direction === "thin" ? "thickness" : part) ??
      [];
  for (const { side, value, percentile } of values) {
    for (const row of printed) {
      const figure = direction === "thin" && row.thickness
        ? side === "" ? null : row.thickness[side === "left" ? 0 : 1]
        : row[side || "total"];
      if (figure !== null && figure !== value && !(direction !== "thin" && row.page === "")) {
        wrong.push(`${part} ${side}: ${value} on page one, ${figure} on ${row.page}`);
      }
      const printedRank = direction === "thin" && row.thickness
        ? undefined
        : side === ""
        ? row.percentile
        : row[`${side}Percentile`];
      if (printedRank !== undefined && printedRank !== percentile) {
        wrong.push(`${part} ${side}: ${percentile} on page one, ${printedRank} on ${row.page}`);
      }
      const isMarked = side === "" ? isFirmLow(row, thresholds) : (row[`${side}Level`] ?? 1) > 0;
      const other = side === "left" ? "right" : "left";
      const isOtherNamed = side === "" || values.some((value) => value.side === other);
      if (
        certainty !== "possible" && direction !== "thin" && !isOtherNamed &&
        isUnderLow(row[`${other}Level`] ?? 0, thresholds)
      ) wrong.push(`${part}: low on the ${side} alone, the ${other} is marked on ${row.page}`);
      if (certainty !== "possible" && direction !== "thin" && !isMarked) {
        wrong.push(`${part} ${side}: ${certainty} on page one, ${row.symbol} on ${row.page}`);
      }
    }
    const read = readPercentile(percentile);
    if (read && (direction === "high") !== (read.middle > 50)) {
      wrong.push(`${part}: ${direction}, ${percentile}`);
    }
  }
  if (printed.length === 0) wrong.push(`${part}: in no table`);
  return wrong;
}

function asymmetryWrong(
  { part, side, isLarger, isByNorms, percent }: AsymmetryClaim,
  rows: Rows,
): string[] {
  const wrong: string[] = [];
  for (const row of rows.get(part) ?? []) {
    if (row.asymmetry !== undefined && row.asymmetry !== percent) {
      wrong.push(`${part}: ${percent} % on page one, ${row.asymmetry} % on ${row.page}`);
    }
    if (row.isAsymmetryMarked === false) wrong.push(`${part}: sides not marked on ${row.page}`);
    const [left, right] = [Number(row.left), Number(row.right)];
    const isLeftLarger = (side === "left") === isLarger;
    if (isLeftLarger !== isByNorms ? left < right : right < left) {
      wrong.push(`${part}: ${side} ${isLarger ? "larger" : "smaller"}, ${left} and ${right} mL`);
    }
    const among = readPercentile(row.asymmetryPercentile ?? "");
    if (among && isLeftLarger !== among.middle > 50) {
      wrong.push(`${part}: ${side} ${isLarger ? "larger" : "smaller"}, ${row.asymmetryPercentile}`);
    }
  }
  if (!rows.has(part)) wrong.push(`${part}: in no table`);
  return wrong;
}

/** Contradictions between a missing structure and its row; hemispheres have no row. */
function missingWrong(
  { part, values }: Extract<Claim, { kind: "missing" }>,
  rows: Rows,
): string[] {
  return (rows.get(part) ?? []).flatMap((row) =>
    values.flatMap(({ side, value }) => {
      const figure = side === "" ? row.total : row[side as "left" | "right"];
      return figure === value || figure === "" || row.page === ""
        ? []
        : [`${part} ${side}: ${value} on page one, ${figure} on ${row.page}`];
    })
  );
}

/** Rows marked to be checked on the images, which page one does not mention. */
function unchecked(claims: readonly Claim[], rows: Rows): string[] {
  const isShort = claims.some((claim) =>
    claim.kind === "more" || claim.kind === "shortened" || claim.kind === "doubt" && !claim.isWhole
  );
  if (isShort) return [];
  const named = new Set(
    claims.flatMap((claim) =>
      claim.kind === "doubt" || claim.kind === "open"
        ? claim.parts
        : claim.kind === "missing"
        ? [claim.part]
        : []
    ),
  );
  return [...rows].flatMap(([part, printed]) =>
    printed.filter(({ symbol }) => symbol.includes("!")).flatMap(({ page }) =>
      named.has(part === "thickness" ? "cerebral cortex" : part)
        ? []
        : [`${part}: to be checked on ${page}, not on page one`]
    )
  );
}

/** Structures that do not belong to a missing hemisphere. */
const OUTSIDE_HEMISPHERE = /^(cerebell|third|fourth|lateral ventr|brain|intracranial)/;

/** Whether a missing lobe or hemisphere explains the mark of a row. */
const isInMissing = (part: string, claims: readonly Claim[]): boolean =>
  claims.some((claim) =>
    claim.kind === "missing" &&
    (claim.part === part || claim.part === partInSentence("hemisphere", "en") &&
        !OUTSIDE_HEMISPHERE.test(part) ||
      partsOfLobe(claim.part).includes(part))
  );

const partsOfLobe = (name: string): string[] =>
  REGIONS.filter(({ group }) => LOBE_NAMES.includes(name) && partInSentence(group, "en") === name)
    .map(({ part }) => partInSentence(part, "en"));

/** Reasons in the tables why page one must not call all values usual. */
function notUsual(rows: Rows, sheets: readonly Sheet[], thresholds: readonly number[]): string[] {
  const reasons: string[] = [];
  // a low value is below the 5th percentile, or below a higher lowest threshold
  const limit = Math.max(5, thresholds[0]!);
  for (const [part, printed] of rows) {
    for (const row of printed) {
      const at = `${part} on ${row.page}`;
      if (isFirmLow(row, thresholds) || isPossiblyLow(row, thresholds)) {
        reasons.push(`${at}: ${row.symbol}`);
      }
      if (row.symbol.includes("!")) reasons.push(`${at}: to be checked`);
      if (row.isAsymmetryMarked) reasons.push(`${at}: sides marked`);
      if (!row.isLobe && row.page !== pageTitle[4].en) continue;
      const isFluid = part.endsWith("ventricle");
      for (const text of [row.percentile, row.leftPercentile ?? "", row.rightPercentile ?? ""]) {
        const read = text.includes(",") ? readPercentile(text) : null;
        if (!read) continue;
        if (isFluid ? read.high > 100 - limit : read.low < limit) reasons.push(`${at}: ${text}`);
      }
    }
  }
  const unsure: readonly string[] = [
    checkupPageText.checkUnsure.en,
    checkupPageText.checkDoubt.en,
    checkupPageText.checkMaybeSmaller.en,
    checkupPageText.checkMaybeLarger.en,
    checkupPageText.checkMaybeThinner.en,
    checkupPageText.checkSmaller.en,
    checkupPageText.checkLarger.en,
    checkupPageText.checkThinner.en,
  ];
  for (const { title, blocks } of sheets) {
    if (!title.split(" · ").includes(pageTitle[8].en)) continue;
    for (const { cells } of rowsOf(blocks)) {
      const word = cells.at(-1)?.text ?? "";
      if (unsure.includes(word)) reasons.push(`${cells[0]?.text} on Check-up: ${word}`);
    }
  }
  return reasons;
}

/** Marks in the tables that page one does not mention. */
function unnamed(claims: readonly Claim[], rows: Rows, thresholds: readonly number[]): string[] {
  const isShort = claims.some(({ kind }) => kind === "more" || kind === "shortened");
  if (isShort) return [];
  const named = new Set(
    claims.flatMap((claim) =>
      claim.kind === "outside" && claim.certainty !== "possible" ? [claim.part] : []
    ),
  );
  return [...rows].flatMap(([part, printed]) =>
    printed.filter((row) => isFirmLow(row, thresholds)).flatMap((row) =>
      named.has(part === "thickness" ? "cerebral cortex" : part) || isInMissing(part, claims)
        ? []
        : [`${part}: ${row.symbol} on ${row.page}, not named on page one`]
    )
  );
}

const cellsOf = (sheets: readonly Sheet[], title: string) =>
  new Map(
    // the first row with a name counts: later tables have other columns
    sheets.filter((sheet) => sheet.title.split(" · ").includes(title)).flatMap(({ blocks }) =>
      rowsOf(blocks).map(({ cells }): [string, string[]] => [
        cells[0]?.text ?? "",
        cells.slice(1).map(({ text = "" }) => text),
      ])
    ).toReversed(),
  );

function lesionsWrong(
  claim: Extract<Claim, { kind: "lesions" }>,
  sheets: readonly Sheet[],
): string[] {
  const page = cellsOf(sheets, pageTitle[128].en);
  return ([
    [claim.total, wmhPageText.wmhTotal.en],
    [claim.peri, wmhPageText.wmhPeri.en],
    [claim.deep, wmhPageText.wmhDeep.en],
  ] as const).flatMap(([figure, name]) =>
    page.get(name)?.[0] === figure ? [] : [`${name}: ${figure} on page one, ${page.get(name)?.[0]}`]
  );
}

const CHANGED: Readonly<Record<string, "hippocampus" | "brain" | "cortex" | "lateral_ventricles">> =
  {
    Hippocampi: "hippocampus",
    "Brain without ventricles": "brain",
    "Cerebral cortex": "cortex",
    "Lateral ventricles": "lateral_ventricles",
  };
/** Column index of each measure in the table of visits. */
const VISIT_COLUMNS = { brain: 0, cortex: 1, hippocampus: 3, lateral_ventricles: 4 } as const;

/** Contradictions between a stated change and the visits' volumes on the Longitudinal page. */
function changeWrong(
  { part, percent, since, isUnknown }: Extract<Claim, { kind: "change" }>,
  sheets: readonly Sheet[],
  report: ReportResponse,
): string[] {
  const key = CHANGED[part];
  if (!key) return [`${part}: change of an unknown part`];
  const page = cellsOf(sheets, pageTitle[64].en), column = VISIT_COLUMNS[key];
  const at = (date: string) =>
    // the date has a mark for another or an unknown acquisition, or none
    Number(
      [" *", " †", ""].map((mark) => page.get(date + mark)).find(Boolean)?.[column] ?? Number.NaN,
    );
  const now = report.patient.study_date!, years = yearsBetween(since, now);
  const [before, after] = [at(since), at(now)];
  if (isUnknown !== [since, now].some((date) => page.has(`${date} †`))) {
    return [`${part}: acquisition ${isUnknown ? "unknown" : "known"}, unlike in the table`];
  }
  const printed = 100 * (after - before) / ((after + before) / 2) / years;
  // both volumes are rounded to 0.01 mL, the change to 0.1 %
  const rounding = 0.06 + 100 * 0.01 / ((after + before) / 2) / years;
  const claimed = Number(percent.replace("−", "-"));
  return Math.abs(printed - claimed) <= rounding
    ? []
    : [`${part}: ${percent} % since ${since}, ${before} and ${after} mL in the table`];
}

/** All contradictions between the sentences of a page and the tables of a report. */
export function contradictionsOf(
  claims: readonly Claim[],
  { rows, sheets, report }: { rows: Rows; sheets: readonly Sheet[]; report: ReportResponse },
): string[] {
  const thresholds = report.threshold_list;
  const has = (kind: Claim["kind"]) => claims.some((claim) => claim.kind === kind);
  const wrong = claims.flatMap((claim): string[] => {
    switch (claim.kind) {
      case "outside":
        return outsideWrong(claim, rows, thresholds);
      case "asymmetry":
        return asymmetryWrong(claim, rows);
      case "missing":
        return missingWrong(claim, rows);
      case "lesions":
        return lesionsWrong(claim, sheets);
      case "change":
        return changeWrong(claim, sheets, report);
      case "usual":
      case "usualWithoutIcv":
        return notUsual(rows, sheets, thresholds).map((reason) => `usual, but ${reason}`);
      case "lobesKept":
        return LOBE_NAMES.flatMap((name) =>
          (rows.get(name) ?? []).some((row) => isFirmLow(row, thresholds))
            ? [`no lobe is low, but ${name}`]
            : []
        );
      case "open":
        return claim.parts.filter((part) => !rows.has(part)).map((part) => `open: ${part}`);
      case "doubt":
        return claim.parts.filter((part) => !rows.has(part) && part !== "cerebral cortex");
      default:
        return [];
    }
  });
  wrong.push(...unnamed(claims, rows, thresholds), ...unchecked(claims, rows));
  const isOutside = claims.some((claim) =>
    claim.kind === "missing" || claim.kind === "outside" && claim.certainty === "firm"
  );
  if (isOutside && (has("usual") || has("usualWithoutIcv") || has("notDetermined"))) {
    wrong.push("outside and not outside");
  }
  const headed = {
    single: ["outside", "asymmetry"],
    possible: ["outside", "asymmetry", "change"],
    uncompared: ["lesions"],
  };
  for (const [header, kinds] of Object.entries(headed)) {
    const at = claims.findIndex(({ kind }) => kind === header), next = claims[at + 1];
    if (at >= 0 && !(next && kinds.includes(next.kind))) wrong.push(`"${header}" without a value`);
  }
  // lesions are not compared with norms, so no words about healthy people may introduce them
  const lesionsAt = claims.findIndex(({ kind }) => kind === "lesions");
  const lastHeader = claims.slice(0, Math.max(0, lesionsAt))
    .findLast(({ kind }) => Object.hasOwn(headed, kind));
  if (lastHeader && lastHeader.kind !== "uncompared") {
    wrong.push(`lesions below "${lastHeader.kind}"`);
  }
  const isAtIcv = claims.some(({ kind }) => kind === "usual" || kind === "figures");
  if (report.reference.without_icv && isAtIcv) wrong.push("compared at the ICV, which is not used");
  if (claims.length === 0 && report.conclusion) wrong.push("no sentence");
  return wrong;
}

/** Score in the gauge of the report, as printed. */
export const gaugeTexts = (sheets: readonly Sheet[]): string[] =>
  sheets.flatMap(({ blocks }) => blocksOf(blocks)).flatMap((block) =>
    block.kind === "drawings" ? block.drawings.map(({ svg }) => svg) : []
  );
