import { type StorageLevel, storageLevel } from "@/model/site/storage_level.ts";

/**
 * Colours by storage level on a dark background (D1 §8): red above the error limit,
 * orange above the warning limit, otherwise white.
 */
const COLOURS: Record<StorageLevel, string> = {
  error: "text-red-400",
  warn: "text-orange-400",
  ok: "text-white",
};

/** Disk usage of the server, in percent in large type. */
export function StorageFigure(
  { percent, warn, error }: { percent: number; warn: number; error: number },
) {
  const level = storageLevel(percent, warn, error);
  return (
    <p data-level={level} className="mb-3 rounded-lg bg-brand-900 py-3 text-center">
      <span className={`text-3xl font-semibold tabular ${COLOURS[level]}`}>
        {`${percent}\u00a0%`}
      </span>
    </p>
  );
}
