// Inflates deflated files in pieces, so that no process holds a whole file in memory.
import { inflatedBody } from "@/server/core/dicom/limits/inflated_body.ts";
import { INFLATED_PIECE_BYTES } from "@/server/core/dicom/worker/read_tasks.ts";

/** A deflated file that has been inflated up to a position. */
interface Inflating {
  path: string;
  pieces: AsyncGenerator<Uint8Array>;
  /** position of the next byte in the inflated file */
  at: number;
  /** bytes that are inflated already, but not returned yet */
  ahead: Uint8Array;
}

/** File of the last task, because its next piece is usually requested next. */
let current: Inflating | null = null;

async function begin(path: string): Promise<Inflating> {
  const file = await Deno.open(path);
  return { path, pieces: inflatedBody(file.readable), at: 0, ahead: new Uint8Array(0) };
}

/** Next `count` inflated bytes; fewer at the end of the file. */
async function take(inflating: Inflating, count: number): Promise<Uint8Array<ArrayBuffer>> {
  const taken: Uint8Array[] = [inflating.ahead];
  let bytes = inflating.ahead.length;
  while (bytes < count) {
    const next = await inflating.pieces.next();
    if (next.done) break;
    taken.push(next.value);
    bytes += next.value.length;
  }
  const whole = Buffer.concat(taken), length = Math.min(count, whole.length);
  inflating.ahead = new Uint8Array(whole.subarray(length));
  inflating.at += length;
  return new Uint8Array(whole.subarray(0, length));
}

/**
 * Piece of a deflated file, inflated; shorter than {@link INFLATED_PIECE_BYTES} only at the
 * end of the file. Works also if another worker returned the pieces before.
 * @throws {AppError} as {@link inflatedBody}.
 */
export async function inflatedPiece(path: string, from: number): Promise<Uint8Array<ArrayBuffer>> {
  const former = current;
  // removed while a task uses it, because a thread may have several tasks
  current = null;
  const isAhead = former?.path === path && former.at <= from;
  if (former && !isAhead) await former.pieces.return(undefined);
  const inflating = isAhead ? former : await begin(path);
  while (inflating.at < from) {
    const skipped = await take(inflating, Math.min(INFLATED_PIECE_BYTES, from - inflating.at));
    if (skipped.length === 0) break;
  }
  const piece = await take(inflating, INFLATED_PIECE_BYTES);
  if (piece.length === INFLATED_PIECE_BYTES && current === null) current = inflating;
  else await inflating.pieces.return(undefined);
  return piece;
}
