import { Buffer } from "node:buffer";
import { AppError } from "@/model/errors.ts";

/** A part of a multipart body. Read a part before the next part; unread bytes are skipped. */
export interface Part {
  name: string;
  /** file name as sent by the client, `null` for a form field without a file */
  fileName: string | null;
  /** media type in lower case without parameters; `null` if the part declares no type */
  mediaType: string | null;
  body: AsyncIterable<Uint8Array>;
}

const MAX_HEADER_BYTES = 16 * 1024;
/** Default maximum number of parts of a body. */
const MAX_PARTS = 20_000;

const malformed = (what: string) =>
  new AppError("input.invalid", `Cannot read the upload: ${what}`, { reason: "multipart" });

const tooMany = (maxParts: number) =>
  new AppError("upload.too_many_parts", `Cannot read the upload: more than ${maxParts} parts`, {
    max_parts: maxParts,
    advice: "send fewer objects per request",
  });

/**
 * Boundary of a `multipart/form-data` or `multipart/related` content type.
 * @throws {AppError} `input.invalid`.
 */
export function boundaryOf(contentType: string): string {
  const match =
    /^multipart\/(?:form-data|related)\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i
      .exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (!boundary) throw malformed("not multipart with a boundary");
  return boundary;
}

/**
 * Value of a parameter in a Content-Disposition header.
 * Browsers encode `"` as %22 and line breaks as %0D %0A (WHATWG HTML).
 */
function parameterOf(disposition: string, name: string): string | null {
  const match = new RegExp(`;\\s*${name}="((?:\\\\"|[^"])*)"`, "i").exec(disposition) ??
    new RegExp(`;\\s*${name}=([^\\s;"]+)`, "i").exec(disposition);
  if (!match) return null;
  return match[1]!.replaceAll('\\"', '"').replace(
    /%(22|0D|0A)/gi,
    (_, hex) => String.fromCharCode(parseInt(hex, 16)),
  );
}

/** Reads a stream into a buffer of little more than one chunk. */
class Source {
  buffer: Buffer = Buffer.from("\r\n");
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** Appends the next chunk to the buffer. @throws {AppError} `input.invalid` at the end. */
  async fill(): Promise<void> {
    let result: ReadableStreamReadResult<Uint8Array>;
    try {
      result = await this.#reader.read();
    } catch (cause) {
      throw new AppError("input.invalid", "Cannot read the upload: the connection broke", {
        reason: "aborted",
      }, { cause });
    }
    if (result.done) throw malformed("it ends early");
    const { buffer, byteOffset, length } = result.value;
    // this reader is the only user of the chunk, so that the chunk need not be copied
    const chunk = Buffer.from(buffer, byteOffset, length);
    this.buffer = this.buffer.length === 0 ? chunk : Buffer.concat([this.buffer, chunk]);
  }

  take(count: number): Buffer {
    const head = this.buffer.subarray(0, count);
    this.buffer = this.buffer.subarray(count);
    return head;
  }

  /** Reads the few bytes after the last part, so that the connection can be reused. */
  async drain(): Promise<void> {
    for (let i = 0; i < 16 && !(await this.#reader.read().catch(() => ({ done: true }))).done; i++);
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }
}

async function readUntil(source: Source, end: string, limit: number): Promise<Buffer> {
  for (;;) {
    const at = source.buffer.indexOf(end);
    if (at >= 0 && at <= limit) {
      const head = source.take(at);
      source.take(end.length);
      return head;
    }
    if (source.buffer.length > limit) throw malformed("a header is too long");
    await source.fill();
  }
}

async function* bodyOf(
  source: Source,
  delimiter: Buffer,
  onEnd: () => void,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const at = source.buffer.indexOf(delimiter);
    if (at >= 0) {
      const last = source.take(at);
      source.take(delimiter.length);
      onEnd();
      if (last.length > 0) yield last;
      return;
    }
    // the delimiter may begin in the last bytes, which are kept; all bytes before are passed on
    const { length } = source.buffer;
    const first = source.buffer.indexOf(delimiter[0]!, Math.max(0, length - delimiter.length + 1));
    const safe = first < 0 ? length : first;
    if (safe > 0) yield source.take(safe);
    await source.fill();
  }
}

/**
 * Yields the parts of a `multipart/form-data` (RFC 7578) or `multipart/related` body (RFC 2387)
 * as they arrive; parts of the latter have no names. No part is held in memory.
 * Backpressure slows the sender down while a part is being written.
 *
 * @param maxParts Maximum number of parts: each costs a file or more, however short it is.
 * @throws {AppError} `input.invalid` for a broken or incomplete body; `upload.too_many_parts`
 * after the last part within the limit.
 */
export async function* readMultipart(
  stream: ReadableStream<Uint8Array>,
  contentType: string,
  maxParts = MAX_PARTS,
): AsyncGenerator<Part, void, void> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`);
  const isRelated = /^multipart\/related/i.test(contentType);
  const source = new Source(stream);
  try {
    // skips the preamble before the first part, which is normally empty
    for await (const _ of bodyOf(source, delimiter, () => {}));
    for (let count = 1;; count++) {
      while (source.buffer.length < 2) await source.fill();
      if (source.buffer.subarray(0, 2).toString() === "--") break;
      if (count > maxParts) throw tooMany(maxParts);
      await readUntil(source, "\r\n", 200);
      const headers = (await readUntil(source, "\r\n\r\n", MAX_HEADER_BYTES)).toString("utf8");
      const disposition = /^content-disposition:\s*form-data([^\r\n]*)/im.exec(headers)?.[1];
      if (disposition === undefined && !isRelated) {
        throw malformed("a part has no content disposition");
      }
      let isRead = false;
      const body = bodyOf(source, delimiter, () => (isRead = true));
      yield {
        name: parameterOf(disposition ?? "", "name") ?? "",
        fileName: parameterOf(disposition ?? "", "filename"),
        mediaType: /^content-type:\s*([^\s;]+)/im.exec(headers)?.[1]?.toLowerCase() ?? null,
        body,
      };
      // the part was not read to the end: a second generator skips the unread bytes
      if (!isRead) { for await (const _ of bodyOf(source, delimiter, () => (isRead = true))); }
    }
    await source.drain();
  } finally {
    await source.cancel();
  }
}
