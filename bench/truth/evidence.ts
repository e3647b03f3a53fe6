import people from "@/bench/truth/people.json" with { type: "json" };
import { labelsOf } from "@/model/regions/measures.ts";
import { isCortex, regionOf } from "@/model/regions/regions.ts";
import { mean } from "@/bench/engine/score.ts";
import { type MeasuredHead, withoutOpinion } from "@/bench/truth/measured_head.ts";

/** Errors of one measure on the heads of one scanner: ln(ours / truth), or mm. */
export interface Group {
  scanner: string;
  errors: readonly number[];
  /** groups with the same person do not tell how far people lie apart: together they count as one head */
  person?: string;
}

/** A site, or the person of several scanners: nothing of it is known where it is left out. */
export const siteOf = ({ scanner, person }: Pick<Group, "scanner" | "person">): string =>
  person ?? scanner;

/** Groups by site. */
export const bySite = (
  groups: readonly Group[],
): Group[][] => [...Map.groupBy(groups, siteOf).values()];

export const logRatio = (ours: number, theirs: number): number[] =>
  ours > 0 && theirs > 0 ? [Math.log(ours / theirs)] : [];

/** Heads by scanner; a head that names none is a scanner of its own. */
export function byScanner(heads: readonly MeasuredHead[]): [string, MeasuredHead[]][] {
  const groups = Map.groupBy(heads, (head) => head.facts.scanner ?? head.name);
  return [...groups];
}

/** Who a head belongs to, where several heads are of one person. */
const personOf = ({ name, facts }: MeasuredHead): string | undefined =>
  facts.person ?? (people.persons as Record<string, string>)[name];

/** Whether constants of the thickness were chosen with this head. */
export const isThicknessInSight = (head: MeasuredHead): boolean =>
  people.thickness_in_sight.includes(personOf(head) ?? head.name);

/** ln(ours / theirs) of a measure of a head; empty where its labels do not tell. */
export function logErrorOf(key: string, head: MeasuredHead): number[] {
  const labels = key === "icv" ? [] : labelsOf(key);
  const needsParcels = labels.some(isCortex) && !key.startsWith("cortex") && key !== "brain";
  const sum = (mm3: readonly number[]) =>
    labels.reduce((total, label) => total + (mm3[label] ?? 0), 0);
  // a table may lack parcels: their sums are not whole
  const isMissing = (label: number) =>
    isCortex(label) && !head.theirsMm3[label] && !head.oursMm3[label];
  if (labels.some(isMissing)) return [];
  return head.hasParcels || !needsParcels ? logRatio(sum(head.oursMm3), sum(head.theirsMm3)) : [];
}

/** Heads that tell of one setting: with the second opinion or without. */
export interface Evidence {
  hasOpinion: boolean;
  heads: readonly MeasuredHead[];
  /** heads that only the other setting was measured on; their errors are moved by `change` */
  others: readonly MeasuredHead[];
  /** ln of a volume over that without the second opinion, on heads analysed both ways; 0 for the other setting */
  change(key: string): number;
}

/**
 * Offset that the current engine subtracts from every thickness, mm: `OFFSET_MM` of
 * wasm/analysis/src/thickness/mod.rs.
 */
export const OFFSET_MM = 0.24;

/** Heads as today's engine reads their thickness: it differs from that of earlier ones by the offset alone. */
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

/** What labelled heads tell of one setting. A head that was analysed both ways counts once in each. */
export function evidenceOf(all: readonly MeasuredHead[], hasOpinion: boolean): Evidence {
  const labelled = readToday(all.filter(({ facts }) => facts.kind !== "synthetic"));
  const asked = labelled.filter(({ opinion }) => opinion === "agreed");
  const alone = labelled.filter(({ opinion }) => opinion !== "agreed");
  if (!hasOpinion) {
    const heads = [...alone, ...asked.flatMap((head) => withoutOpinion(head) ?? [])];
    return { hasOpinion, heads, others: [], change: () => 0 };
  }
  const change = (side: string) => {
    // few heads were analysed both ways: what their sides do apart is chance
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

/** Errors by scanner. @param errorsOf Those of one head. */
const groupsBy = (
  heads: readonly MeasuredHead[],
  errorsOf: (head: MeasuredHead) => readonly number[],
): Group[] =>
  byScanner(heads).map(([scanner, members]) => {
    const person = personOf(members[0]!), errors = members.flatMap(errorsOf);
    return { scanner, ...(person === undefined ? {} : { person }), errors };
  }).filter(({ errors }) => errors.length > 0);

/** Errors of a volume by scanner, heads of the other setting moved to this one. */
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
 * Errors of the thickness by scanner, mm. Of the hemispheres only heads count that the constants of the thickness were not
 * chosen with; of a parcel, what it differs by from its hemisphere counts of all.
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
  // both sides are measured alike
  return groupsBy(
    all.filter((head) => !isThicknessInSight(head)),
    (head) => SIDES.flatMap((side) => thicknessErrors(side, head)),
  );
}
