// Which results of a stopped scanner have no percentiles.
import type { Acquisition } from "@/server/core/analyses/storage/analyses.ts";
import { isWithholding, type StoredStop } from "@/server/core/norms/storage/stops.ts";
import { isSameScanner } from "@/server/core/studies/service/scanners.ts";

/** Days after a study until which it usually arrives; an older date of images is not relied on. */
const ARRIVAL_DAYS = 7, DAY_MS = 86_400_000;

/**
 * Whether the images' date does not fit the arrival of a study after the stop: the scanner's clock may
 * have been set back, so that a new study would pass for one from before the change.
 */
const isDoubtful = (
  { stoppedAt }: Pick<StoredStop, "stoppedAt">,
  { imageDate, receivedAt }: Pick<Acquisition, "imageDate" | "receivedAt">,
): boolean =>
  imageDate !== null && receivedAt !== null && receivedAt >= stoppedAt &&
  Date.parse(imageDate) < Date.parse(receivedAt) - ARRIVAL_DAYS * DAY_MS;

/**
 * Whether a study of the stopped scanner and protocol was made since the change, or may have been:
 * without a date of the images, or with one that its arrival contradicts. A study date that a person
 * has entered counts neither way: it would lift the stop without the second person.
 */
export const isInStop = (
  stop: Pick<StoredStop, "since" | "stoppedAt">,
  of: Pick<Acquisition, "imageDate" | "receivedAt">,
): boolean =>
  stop.since === null || of.imageDate === null || of.imageDate >= stop.since ||
  isDoubtful(stop, of);

/** Stops of a scanner that concern a result, also former stops: its percentiles are shown again. */
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
