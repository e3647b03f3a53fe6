// Which results of a stopped scanner have no percentiles.
import type { Acquisition } from "@/server/core/analyses/storage/analyses.ts";
import { isWithholding, type StoredStop } from "@/server/core/norms/storage/stops.ts";
import { isSameScanner } from "@/server/core/studies/service/scanners.ts";

/** Maximum usual delay between acquisition and arrival of a study, days. */
const ARRIVAL_DAYS = 7, DAY_MS = 86_400_000;

/**
 * Whether a study that arrived after the stop has a date more than {@link ARRIVAL_DAYS} earlier:
 * the scanner's clock may have been set back, and the study made after the change.
 */
const isDoubtful = (
  { stoppedAt }: Pick<StoredStop, "stoppedAt">,
  { imageDate, receivedAt }: Pick<Acquisition, "imageDate" | "receivedAt">,
): boolean =>
  imageDate !== null && receivedAt !== null && receivedAt >= stoppedAt &&
  Date.parse(imageDate) < Date.parse(receivedAt) - ARRIVAL_DAYS * DAY_MS;

/**
 * Whether a study of the stopped scanner and protocol was made since the change, or may have been:
 * without a date of the images, or with one that its arrival contradicts. A study date that a user
 * has entered is ignored: otherwise one person could lift the stop, which needs two.
 */
export const isInStop = (
  stop: Pick<StoredStop, "since" | "stoppedAt">,
  of: Pick<Acquisition, "imageDate" | "receivedAt">,
): boolean =>
  stop.since === null || of.imageDate === null || of.imageDate >= stop.since ||
  isDoubtful(stop, of);

/** Stops of a scanner that concern a result, including stops that have ended. */
export const stopsOf = (stops: readonly StoredStop[], of: Acquisition): StoredStop[] =>
  stops.filter((stop) =>
    of.scanner !== null && isSameScanner(stop.scanner, of.scanner) &&
    stop.protocol === of.protocol && isInStop(stop, of)
  );

/** Whether a result may be of a stopped scanner, because its header has not been read yet. */
export const isUnread = (stops: readonly StoredStop[], of: Acquisition): boolean =>
  (of.scanner === null || of.protocol === null) &&
  stops.some((stop) =>
    isWithholding(stop) && isInStop(stop, of) &&
    (of.scanner === null || isSameScanner(stop.scanner, of.scanner)) &&
    (of.protocol === null || stop.protocol === of.protocol)
  );
