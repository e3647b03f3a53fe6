import { normalCdf } from "@/model/norms/norms.ts";
import { VOLUME_KEYS } from "@/model/regions/measures.ts";
import { type Evidence, fitVolumes, groupsOf, isParcel } from "@/bench/truth/error_model.ts";
import type { Row } from "@/bench/record.ts";

type Make = (name: string, value: number, unit: string, given?: Partial<Pick<Row, "bar" | "ok">>) => Row;

/** z of the 10th and the 90th percentile: an 80 % interval. */
const Z90 = 1.2815516;

/**
 * How often 80 % intervals hold the truth on a scanner that the error model never saw: every scanner in turn is left out
 * and predicted from the others. Where only mean and spread of its heads were published, the share is that of a normal
 * distribution.
 */
export function leftOutRows(evidence: Evidence, row: Make): Row[] {
  const setting = evidence.hasOpinion ? "with the second opinion" : "without it";
  // of single parcels only those with a large error were published
  const keys = VOLUME_KEYS.filter((key) => key !== "icv" && !isParcel(key));
  const scanners = new Set(keys.flatMap((key) => groupsOf(key, evidence).map(({ scanner }) => scanner)));
  if (scanners.size < 3) return [];
  let covered = 0, all = 0;
  const rows = [...scanners].flatMap((scanner) => {
    const model = fitVolumes(evidence, scanner);
    let held = 0, count = 0;
    for (const key of keys) {
      const error = model.get(key), group = groupsOf(key, evidence).find((g) => g.scanner === scanner);
      if (!error || !group || group.errors.length === 0) continue;
      const half = Z90 * Math.hypot(error.biasSd, error.randomSd),
        spread = group.sd === null ? error.randomSd : group.sd;
      const isInside = (e: number) => Math.abs(e - error.bias) <= half ? 1 : 0;
      held += spread === undefined
        ? group.errors.reduce((sum, e) => sum + isInside(e), 0)
        : group.errors.reduce((sum, e) => {
          const from = (bound: number) => normalCdf((error.bias + bound - e) / spread);
          return sum + from(half) - from(-half);
        }, 0);
      count += group.errors.length;
    }
    covered += held;
    all += count;
    return count === 0 ? [] : [
      row(
        `left out, ${setting}, ${scanner}: 80 % intervals that hold the truth (${count})`,
        100 * held / count,
        "%",
      ),
    ];
  });
  const share = 100 * covered / all;
  return [
    ...rows,
    row(`left out, ${setting}, all scanners: 80 % intervals that hold the truth`, share, "%", {
      bar: "75–90",
      ok: share >= 75 && share <= 90,
    }),
  ];
}
