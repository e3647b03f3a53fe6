import type { IndirectNorm } from "@/model/norms/indirect/indirect_norm.ts";
import { driftOf } from "@/model/norms/indirect/drift.ts";
import { isSameBias } from "@/model/norms/indirect/pooling.ts";
import type { MeasureName } from "@/model/norms/local_norms.ts";
import { listNorms, type StoredNorm } from "@/server/core/norms/storage/local_norms.ts";
import {
  countRoutineAlarms,
  listRoutine,
  setDrift,
  type StoredRoutine,
} from "@/server/core/norms/storage/routine_norms.ts";
import { isInForce } from "@/server/core/norms/service/applied_norms.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { isSameScanner } from "@/server/core/studies/service/scanners.ts";

/** Scanner and protocol of routine studies, or of norms made from them. */
interface GroupName {
  scanner: string | null;
  protocol: string | null;
}

export const isSameGroup = (a: GroupName, b: GroupName): boolean =>
  isSameScanner(a.scanner, b.scanner) && a.protocol === b.protocol;

const entriesOf = ({ estimates }: StoredRoutine) =>
  Object.entries(estimates as Record<string, IndirectNorm>);

/**
 * Measures of the newest accepted routine norms for which the estimate left the norms' interval.
 * A measure with a bias that changed since the norms were made is not compared,
 * because the change of the bias would itself move the offset.
 */
function driftSince(norms: readonly StoredNorm[], routine: StoredRoutine) {
  const norm = norms.find((each) =>
    isInForce(each) && each.source === "routine" && isSameGroup(each, routine) &&
    each.engineVersion === routine.engineVersion
  );
  const parts = Object.fromEntries(
    entriesOf(routine).map(([name, { refusal, part }]) => {
      const counts = routine.counts.measures[name as MeasureName];
      const then = norm?.norms[name]?.bias;
      const isComparable = counts !== undefined && then !== undefined &&
        isSameBias(then, counts.bias);
      return [name, refusal === null && isComparable ? part : null];
    }),
  );
  return norm ? driftOf(norm.norms, parts) : { moved: [], isAlarm: false };
}

/** Compares the newest estimates with accepted norms, after either has changed. */
export async function refreshDrift({ db, log }: ServiceContext): Promise<void> {
  const norms = await listNorms(db);
  for (const routine of await listRoutine(db)) {
    const { moved, isAlarm } = driftSince(norms, routine);
    if (moved.length === routine.moved && isAlarm === routine.isAlarm) continue;
    await setDrift(db, routine.id, moved.length, isAlarm);
    if (isAlarm) {
      log("warn", "Routine studies have left the interval of the local norms", {
        scanner: routine.scanner,
        measures: moved.length,
      });
    }
  }
}

/** Number of scanners with accepted routine norms that no longer match the estimates. */
export const routineAlarms = ({ db }: Pick<ServiceContext, "db">): Promise<number> =>
  countRoutineAlarms(db);
