import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { MiddlewareHandler } from "hono";
import type { SiteEnv } from "@/server/edge/web/site.ts";

const pack = promisify(gzip);
/** Minimum size for compression: smaller responses fit into one or two packets anyway. */
const MIN_BYTES = 1400;
const PAGE = /^text\/html\b/, DATA = /^(?:application\/(?:[\w.-]+\+)?json|text\/csv)\b/;

const acceptsGzip = (header: string): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(\.0+)?\s*(,|$))/.test(header);

/** Beginning of the body, at least `bytes` long if the body is longer, and the remaining body. */
async function headOf(
  body: ReadableStream<Uint8Array>,
  bytes: number,
): Promise<{ head: Uint8Array<ArrayBuffer>; rest: ReadableStream<Uint8Array> | null }> {
  const parts: Uint8Array[] = [], reader = body.getReader();
  let length = 0;
  while (length < bytes) {
    const { done, value } = await reader.read();
    if (done) return { head: joined(parts, length), rest: null };
    parts.push(value);
    length += value.length;
  }
  reader.releaseLock();
  return { head: joined(parts, length), rest: body };
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Joins the chunks of a body of which the beginning was already read. */
async function* chunksOf(head: Uint8Array<ArrayBuffer>, rest: ReadableStream<Uint8Array>) {
  yield head;
  for await (const chunk of rest) yield chunk as Uint8Array<ArrayBuffer>;
}

/** Compressed as a stream, so that a long list takes no more memory than a short one. */
async function compressData(res: Response): Promise<Response> {
  const headers = new Headers(res.headers), { status } = res;
  const { head, rest } = await headOf(res.body!, MIN_BYTES);
  if (rest === null && head.length < MIN_BYTES) return new Response(head, { status, headers });
  headers.set("content-encoding", "gzip");
  headers.delete("content-length");
  const plain = rest === null
    ? new Blob([head]).stream()
    : ReadableStream.from(chunksOf(head, rest));
  return new Response(plain.pipeThrough(new CompressionStream("gzip")), { status, headers });
}

async function compressPage(res: Response): Promise<Response> {
  const bytes = new Uint8Array(await res.arrayBuffer());
  const headers = new Headers(res.headers), { status } = res;
  if (bytes.length < MIN_BYTES) return new Response(bytes, { status, headers });
  headers.set("content-encoding", "gzip");
  headers.delete("content-length");
  return new Response(new Uint8Array(await pack(bytes)), { status, headers });
}

/**
 * Compresses pages, and JSON and CSV responses to GET, for clients that accept gzip.
 * The build has compressed the files of `static/`, and the core images.
 * Ranges and bodies with a strong entity tag are sent unchanged.
 *
 * The length of a compressed response can reveal a secret beside text chosen by an attacker
 * (BREACH). No page contains the session secret, which is a cookie, and tokens are returned only by
 * POST.
 */
export const compressAnswers: MiddlewareHandler<SiteEnv> = async (context, next) => {
  await next();
  const { res, req } = context, type = res.headers.get("content-type") ?? "";
  const isPage = PAGE.test(type);
  const isData = DATA.test(type) && /^(?:GET|HEAD)$/.test(req.method) && res.status === 200 &&
    !res.headers.has("content-range") && !res.headers.get("etag")?.startsWith('"');
  if (!(isPage || isData) || res.headers.has("content-encoding")) return;
  const vary = res.headers.get("vary") ?? "";
  if (!/\baccept-encoding\b/i.test(vary)) res.headers.append("vary", "accept-encoding");
  const isWanted = acceptsGzip(req.header("accept-encoding") ?? "");
  if (!isWanted || res.body === null || req.method === "HEAD") return;
  const compressed = await (isPage ? compressPage(res) : compressData(res));
  // replaces the response, because hono would merge the headers of the previous response
  context.res = undefined;
  context.res = compressed;
};
