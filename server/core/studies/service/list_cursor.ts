// Positions in the worklist (sort value and study number) as texts for URLs.
// A position remains valid after the study at the position was deleted.
import { AppError } from "@/model/errors.ts";
import type { Cursor } from "@/server/core/studies/storage/worklist_order.ts";

/** Text of a cursor (a position in the sorted worklist) for a URL. */
export const cursorText = ({ value, pid }: Cursor): string =>
  Buffer.from(JSON.stringify([value, pid])).toString("base64url");

/**
 * Parses a cursor from a URL.
 * @param kind Type of the values in the sort column; a cursor with another type is refused.
 * @throws {AppError} `input.invalid` for a text that {@link cursorText} never returns.
 */
export function cursorOf(
  text: string,
  field: "after" | "before",
  kind: "string" | "number",
): Cursor {
  try {
    const read: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (Array.isArray(read) && read.length === 2) {
      const [value, pid] = read as unknown[];
      const isValue = value === null || typeof value === kind;
      if (isValue && Number.isSafeInteger(pid)) {
        return { value: value as Cursor["value"], pid: pid as number };
      }
    }
  } catch { /* the error below says it */ }
  throw new AppError("input.invalid", `Cannot list: ${field} is no place of this list`, { field });
}
