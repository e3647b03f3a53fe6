import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createBrotliDecompress } from "node:zlib";
import type { Handler } from "hono";
import type { SiteEnv } from "@/server/edge/web/site.ts";

/** Regular face of a font of the PDFs. */
const NAME = /^NotoSans[A-Za-z]*-Regular\.ttf$/;

/**
 * Serves the fonts of the PDFs at `/static/fonts/NAME.ttf`, for names in scripts of which a
 * computer has no font. The files are stored compressed with Brotli; browsers accept Brotli over
 * HTTPS only, so for others the file is decompressed while it is sent.
 *
 * @param folder Folder of the compressed fonts.
 */
export const serveFonts = (folder: URL): Handler<SiteEnv> => async (context) => {
  const name = new URL(context.req.url).pathname.slice("/static/fonts/".length);
  if (!NAME.test(name)) return context.notFound();
  const path = new URL(`${name}.br`, folder);
  const info = await Deno.stat(path).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  });
  if (!info) return context.notFound();
  const isCompressed = (context.req.header("accept-encoding") ?? "").includes("br");
  const version = `${info.size.toString(36)}-${(info.mtime?.getTime() ?? 0).toString(36)}`;
  const headers = new Headers({
    "content-type": "font/ttf",
    "vary": "accept-encoding",
    "cache-control": "public, max-age=86400",
    "etag": `"${version}${isCompressed ? ".br" : ""}"`,
  });
  if (context.req.header("if-none-match") === headers.get("etag")) {
    return new Response(null, { status: 304, headers });
  }
  if (isCompressed) {
    headers.set("content-encoding", "br");
    headers.set("content-length", String(info.size));
  }
  if (context.req.method === "HEAD") return new Response(null, { headers });
  if (isCompressed) return new Response((await Deno.open(path)).readable, { headers });
  // a reader that goes away ends the file's stream with an error, which is not logged
  const file = pipeline(createReadStream(path), createBrotliDecompress(), () => {});
  return new Response(Readable.toWeb(file) as ReadableStream<Uint8Array>, { headers });
};
