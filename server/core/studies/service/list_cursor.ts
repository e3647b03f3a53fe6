// Places in the list as they travel: a value and a number, so that a row that is gone still has its
// place.
import { AppError } from "@/model/errors.ts";
import type { Cursor } from "@/server/core/studies/storage/worklist_order.ts";

/** A place as text for an address. */
export const cursorText = ({ value, pid }: Cursor): string =>
  Buffer.from(JSON.stringify([value, pid])).toString("base64url");

/**
 * A place out of an address.
 * @param kind Of the values of the order; a place of another order is not compared.
 * @throws {AppError} `input.invalid` for a text that {@link cursorText} does not write for such an
 *   order.
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
