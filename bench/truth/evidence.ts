import people from "@/bench/truth/people.json" with { type: "json" };
import { labelsOf } from "@/model/regions/measures.ts";
import { isCortex, regionOf } from "@/model/regions/regions.ts";
import { mean } from "@/bench/engine/score.ts";
import { type MeasuredHead, withoutOpinion } from "@/bench/truth/measured_head.ts";

/** Errors of one measure for the heads of one scanner: ln(ours / truth), or mm for thickness. */
export interface Group {
  scanner: string;
  errors: readonly number[];
  /** groups of one person do not show the spread between people: together they count as one head */
  person?: string;
}

/** Unit that is left out as a whole: a scanner, or a person on several scanners. */
export const siteOf = ({ scanner, person }: Pick<Group, "scanner" | "person">): string =>
  person ?? scanner;

/** Groups by site, see {@link siteOf}. */
export const bySite = (
  groups: readonly Group[],
): Group[][] => [...Map.groupBy(groups, siteOf).values()];

export const logRatio = (ours: number, theirs: number): number[] =>
  ours > 0 && theirs > 0 ? [Math.log(ours / theirs)] : [];

/** Heads by scanner; a head without a scanner name forms a group of its own. */
export function byScanner(heads: readonly MeasuredHead[]): [string, MeasuredHead[]][] {
  const groups = Map.groupBy(heads, (head) => head.facts.scanner ?? head.name);
  return [...groups];
}

/** Person of a head, if several heads are of the same person. */
const personOf = ({ name, facts }: MeasuredHead): string | undefined =>
  facts.person ?? (people.persons as Record<string, string>)[name];

/** Whether this head was used to choose the constants of the thickness measurement. */
export const isThicknessInSight = (head: MeasuredHead): boolean =>
  people.thickness_in_sight.includes(personOf(head) ?? head.name);

/** ln(ours / theirs) of a measure of a head; empty if its labels lack a region of the measure. */
export function logErrorOf(key: string, head: MeasuredHead): number[] {
  const labels = key === "icv" ? [] : labelsOf(key);
  const needsParcels = labels.some(isCortex) && !key.startsWith("cortex") && key !== "brain";
  const sum = (mm3: readonly number[]) =>
    labels.reduce((total, label) => total + (mm3[label] ?? 0), 0);
  // a table of volumes may lack parcels: a sum over parcels would then be incomplete
  const isMissing = (label: number) =>
    isCortex(label) && !head.theirsMm3[label] && !head.oursMm3[label];
  if (labels.some(isMissing)) return [];
  return head.hasParcels || !needsParcels ? logRatio(sum(head.oursMm3), sum(head.theirsMm3)) : [];
}

/** Heads measured in one setting: with or without the second network (second opinion). */
export interface Evidence {
  hasOpinion: boolean;
  heads: readonly MeasuredHead[];
  /** heads measured only in the other setting; their errors are shifted by `change` */
  others: readonly MeasuredHead[];
  /** ln(with / without the second opinion) of a volume, from heads analysed both ways; else 0 */
  change(key: string): number;
}

/**
 * Offset that the current engine subtracts from every thickness, mm: `OFFSET_MM` of
 * wasm/analysis/src/thickness/mod.rs.
 */
export const OFFSET_MM = 0.24;

/** Converts thickness of older engines to the current one, which differs only in the offset. */
function readToday(heads: readonly MeasuredHead[]): MeasuredHead[] {
  return heads.map((head) => {
    const lessMm = OFFSET_MM - (head.thicknessOffsetMm ?? 0);
    if (lessMm === 0) return head;
    const read = (of: MeasuredHead["thickness"]) =>
      of.map((pair) => ({ ...pair, ours: pair.ours - lessMm }));
    const { withoutOpinion: plain } = head;
    return {
      ...head,
      thickness: read(head.thickness),
      ...(plain && { withoutOpinion: { ...plain, thickness: read(plain.thickness) } }),
    };
  });
}

/** Measured heads of one setting. A head analysed both ways counts once in each setting. */
export function evidenceOf(all: readonly MeasuredHead[], hasOpinion: boolean): Evidence {
  const labelled = readToday(all.filter(({ facts }) => facts.kind !== "synthetic"));
  const asked = labelled.filter(({ opinion }) => opinion === "agreed");
  const alone = labelled.filter(({ opinion }) => opinion !== "agreed");
  if (!hasOpinion) {
    const heads = [...alone, ...asked.flatMap((head) => withoutOpinion(head) ?? [])];
    return { hasOpinion, heads, others: [], change: () => 0 };
  }
  const change = (side: string) => {
    // few heads were analysed both ways, so a difference between left and right is random: pooled
    const left = Number(side) - (Number(side) + 1) % 2,
      isSide = /^\d+$/.test(side) && !isCortex(left);
    const key = isSide && regionOf(left)?.hemisphere === "L" ? `${left}+${left + 1}` : side;
    const moved = asked.flatMap((head) => {
      const plain = withoutOpinion(head), [after] = logErrorOf(key, head);
      const [before] = plain ? logErrorOf(key, plain) : [];
      return after === undefined || before === undefined ? [] : [after - before];
    });
    return moved.length > 0 ? mean(moved) : 0;
  };
  return { hasOpinion, heads: asked, others: alone, change };
}

/** Errors by scanner. @param errorsOf Returns the errors of one head. */
const groupsBy = (
  heads: readonly MeasuredHead[],
  errorsOf: (head: MeasuredHead) => readonly number[],
): Group[] =>
  byScanner(heads).map(([scanner, members]) => {
    const person = personOf(members[0]!), errors = members.flatMap(errorsOf);
    return { scanner, ...(person === undefined ? {} : { person }), errors };
  }).filter(({ errors }) => errors.length > 0);

/** Errors of a volume by scanner; heads of the other setting are shifted to this one. */
export function groupsOf(key: string, evidence: Evidence): Group[] {
  const change = evidence.change(key);
  return groupsBy(
    [...evidence.heads, ...evidence.others],
    (head) =>
      logErrorOf(key, head).map((error) => error + (evidence.others.includes(head) ? change : 0)),
  );
}

const SIDES = ["thickness_left", "thickness_right"] as const;
const thicknessErrors = (key: string, head: MeasuredHead): number[] =>
  head.thickness.filter((t) => t.key === key).map((t) => t.ours - t.theirs);

/**
 * Thickness errors by scanner, mm. Hemispheres: only heads that were not used to choose the
 * constants. Parcels: all heads, and the error relative to that of the hemisphere.
 */
export function thicknessGroups(key: string, { heads, others }: Evidence): Group[] {
  const all = [...heads, ...others];
  if (/^\d/.test(key)) {
    const side = SIDES[(Number(key) + 1) % 2]!;
    return groupsBy(all, (head) => {
      const [whole] = thicknessErrors(side, head);
      return whole === undefined ? [] : thicknessErrors(key, head).map((error) => error - whole);
    });
  }
  // left and right are pooled, because both are measured alike
  return groupsBy(
    all.filter((head) => !isThicknessInSight(head)),
    (head) => SIDES.flatMap((side) => thicknessErrors(side, head)),
  );
}
