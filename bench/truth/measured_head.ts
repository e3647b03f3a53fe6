import type { HeadFacts, LabelledHead } from "@/bench/truth/heads.ts";
import { readThickness, readTruth, readVolume } from "@/bench/truth/heads.ts";
import { labelsOn } from "@/bench/engine/labels_on.ts";
import { diceOf, diceOfSet, GROUPS, overlapOf } from "@/bench/engine/score.ts";
import { determinant } from "@/model/geometry.ts";
import { isCortex, LABEL_COUNT, REGIONS } from "@/model/regions/regions.ts";
import { type EngineOptions, runEngine } from "@/server/core/engine/engine.ts";
import type { EngineQuality, EngineResult, RegionAgreement } from "@/server/core/engine/result.ts";

/** Networks that an analysis uses. */
export type Networks = Pick<EngineOptions, "secondOpinion" | "deepStructures">;

/** Comparison of one analysis of a head with its labels. */
interface Comparison {
  /** processor time of the analysis, s; absent from files of older builds */
  cpuSeconds?: number;
  /** volumes, mm³; index = label */
  oursMm3: number[];
  /** Dice; index = label; `null` if both maps lack the label */
  dice: (number | null)[];
  /** Dice by name of a group of labels, see `GROUPS` */
  groups: Record<string, number>;
  /** mean thickness of parcels and hemispheres, mm: ours and FreeSurfer's; empty without tables */
  thickness: { key: string; ours: number; theirs: number }[];
  /** offset subtracted from every thickness, mm; absent for engines before 0.6.0, which had none */
  thicknessOffsetMm?: number;
}

/** Measurements of one head, stored in a file so that the head is not analysed again. */
export interface MeasuredHead extends Comparison {
  name: string;
  facts: HeadFacts;
  version: string;
  grade: string;
  warnings: string[];
  /** values from which the quality grade is computed */
  quality: Record<string, number>;
  seconds: number;
  /** "agreed" if the second network's result was used, else the reason; `null` if it did not run */
  opinion?: string | null;
  /** the same for this project's own network of deep structures */
  deep?: string | null;
  /** whether FreeSurfer's labels divide the cortex into parcels */
  hasParcels: boolean;
  icvMm3: number;
  /** true volumes, mm³; index = label */
  theirsMm3: number[];
  /** agreement of atlas and networks with the labels; absent from files of older builds */
  agreement?: RegionAgreement;
  /** analysis without the second network; absent if that network's result was not used anyway */
  withoutOpinion?: Comparison;
}

/** Measurements without the second network; `null` if not measured that way. */
export function withoutOpinion(head: MeasuredHead): MeasuredHead | null {
  if (head.opinion !== "agreed") return head;
  return head.withoutOpinion ? { ...head, ...head.withoutOpinion, opinion: null } : null;
}

const round = (value: number, digits = 4) => Number(value.toPrecision(digits));

function thicknessPairs(
  head: LabelledHead,
  meanMm: readonly number[],
  sides: readonly [number, number],
) {
  const truth = readThickness(head);
  if (!truth) return [];
  const parcels = REGIONS.filter(({ label }) => isCortex(label)).flatMap(
    ({ label, hemisphere, freesurferId }) => {
      const side = hemisphere === "L" ? truth.left : truth.right;
      const theirs = side.parcels.get(PARCEL_NAMES[freesurferId % 1000] ?? ""),
        ours = meanMm[label] ?? 0;
      return theirs && ours > 0 ? [{ key: String(label), ours: round(ours), theirs }] : [];
    },
  );
  return [
    ...parcels,
    { key: "thickness_left", ours: round(sides[0]), theirs: truth.left.mean },
    { key: "thickness_right", ours: round(sides[1]), theirs: truth.right.mean },
  ];
}

/** FreeSurfer's names of the Desikan-Killiany parcels, by number. */
const PARCEL_NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  ("1 bankssts 2 caudalanteriorcingulate 3 caudalmiddlefrontal 5 cuneus 6 entorhinal 7 fusiform 8 inferiorparietal " +
    "9 inferiortemporal 10 isthmuscingulate 11 lateraloccipital 12 lateralorbitofrontal 13 lingual " +
    "14 medialorbitofrontal 15 middletemporal 16 parahippocampal 17 paracentral 18 parsopercularis 19 parsorbitalis " +
    "20 parstriangularis 21 pericalcarine 22 postcentral 23 posteriorcingulate 24 precentral 25 precuneus " +
    "26 rostralanteriorcingulate 27 rostralmiddlefrontal 28 superiorfrontal 29 superiorparietal 30 superiortemporal " +
    "31 supramarginal 32 frontalpole 33 temporalpole 34 transversetemporal 35 insula")
    .split(/ (?=\d)/).map((pair) => pair.split(" ") as [string, string]),
);

function figuresOf(quality: EngineQuality): Record<string, number> {
  const {
    ncc,
    lncc,
    cnr,
    snr,
    winningPosterior,
    sharpness,
    ghosting,
    centroidOutliers,
    classMeans,
  } = quality;
  const [, cortex = 0, , white = 1, , , , , , , , fluid = 0] = classMeans;
  return {
    ncc: round(ncc),
    lncc: round(lncc[1]),
    cnr: round(cnr),
    snr: round(snr ?? 0),
    winningPosterior: round(winningPosterior),
    outliers: centroidOutliers,
    sharpness: round(Math.min(...sharpness)),
    ghosting: round(ghosting),
    greyOverWhite: round(cortex / white),
    fluidOverWhite: round(fluid / white),
  };
}

/** Compares labels, volumes and thickness of an analysis with those of the head. */
function compare(
  t1: EngineResult,
  head: LabelledHead,
  { labels, volume }: ReturnType<typeof readTruth>,
): Comparison {
  const ours = labelsOn(t1, volume), overlap = overlapOf(ours, labels);
  return {
    cpuSeconds: round(t1.stages.reduce((sum, stage) => sum + stage.cpuSeconds, 0)),
    oursMm3: t1.volumesMm3.map((v) => Math.round(v)),
    dice: Array.from({ length: LABEL_COUNT }, (_, label) => {
      const value = diceOf(overlap, label);
      return Number.isNaN(value) ? null : round(value);
    }),
    groups: Object.fromEntries(
      GROUPS.map(([group, isOf]) => [group, round(diceOfSet(ours, labels, isOf))]),
    ),
    thickness: t1.thickness === null
      ? []
      : thicknessPairs(head, t1.thickness.meanMm, [t1.thickness.leftMm, t1.thickness.rightMm]),
    ...(t1.thickness && { thicknessOffsetMm: t1.thickness.offsetMm }),
  };
}

/**
 * Analyses one head and compares it with its labels; again without the second network if it was
 * used.
 * @throws {AppError} as `runEngine`.
 */
export async function measureHead(head: LabelledHead, networks: Networks): Promise<MeasuredHead> {
  const truth = readTruth(head), image = readVolume(head.image), started = performance.now();
  const analyse = async (asked: Networks) =>
    (await runEngine({ t1: image, flair: null }, { biasCorrection: true, ...asked })).t1!;
  const t1 = await analyse(networks), seconds = Math.round((performance.now() - started) / 1000);
  const opinion = t1.secondOpinion?.reason ?? null;
  const mm3 = Math.abs(determinant(truth.volume.rasFromIjk));
  const counts = new Array<number>(LABEL_COUNT).fill(0);
  truth.labels.forEach((label) => counts[label]!++);
  const measured = compare(t1, head, truth);
  return {
    name: head.name,
    facts: head.facts,
    version: t1.version,
    grade: t1.quality.grade,
    warnings: t1.quality.warnings,
    quality: figuresOf(t1.quality),
    seconds,
    opinion,
    deep: t1.deepStructures?.reason ?? null,
    hasParcels: truth.hasParcels,
    icvMm3: Math.round(t1.icvMm3),
    theirsMm3: counts.map((n) => Math.round(n * mm3)),
    agreement: t1.regionAgreement,
    ...measured,
    ...(opinion === "agreed" && {
      withoutOpinion: compare(await analyse({ ...networks, secondOpinion: false }), head, truth),
    }),
  };
}
