import type { Handler } from "hono";
import type { SiteEnv } from "@/server/edge/web/site.ts";

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  jpg: "image/jpeg",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  npy: "application/octet-stream",
  png: "image/png",
  svg: "image/svg+xml",
  ttf: "font/ttf",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  woff2: "font/woff2",
};
/** Encodings of the compressed copies made by the build, best first. */
const ENCODINGS = [["br", ".br"], ["gzip", ".gz"]] as const;

async function open(
  folder: URL,
  path: string,
): Promise<{ file: Deno.FsFile; info: Deno.FileInfo } | null> {
  try {
    const file = await Deno.open(new URL(path, folder));
    const info = await file.stat();
    if (info.isFile) return { file, info };
    file.close();
    return null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return null;
    }
    throw error;
  }
}

/** Allowed file names: no separators, drives, escapes or parent folders. */
const PLAIN_NAME = /^[\w-][\w.-]*$/;

/**
 * Serves files of `static/` at `/static/…`. Build outputs have a content hash in the name and are
 * immutable; all other files are revalidated by ETag.
 */
export const serveStatic = (folder: URL): Handler<SiteEnv> => async (context) => {
  // the path is not decoded: no file name of the product needs escapes, and
  // `\\` or a double escape could leave the folder
  const path = new URL(context.req.url).pathname.slice("/static/".length);
  const extension = /\.(\w+)$/.exec(path)?.[1] ?? "";
  const type = Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
  if (!type || !path.split("/").every((part) => PLAIN_NAME.test(part))) return context.notFound();

  const accepted = context.req.header("accept-encoding") ?? "";
  const isImmutable = path.startsWith("build/") && /-[A-Z0-9]{8}\.\w+$/.test(path);
  const headers = new Headers({
    "content-type": type,
    "vary": "accept-encoding",
    "cache-control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
  });
  const variants = ENCODINGS.filter(([name]) => accepted.includes(name));
  for (const [encoding, suffix] of [...variants, [null, ""] as const]) {
    const opened = await open(folder, path + suffix);
    if (opened === null) continue;
    const { file, info } = opened;
    const tag = `"${info.size.toString(36)}-${(info.mtime?.getTime() ?? 0).toString(36)}${suffix}"`;
    headers.set("etag", tag);
    if (context.req.header("if-none-match") === tag) {
      file.close();
      return new Response(null, { status: 304, headers });
    }
    if (encoding) headers.set("content-encoding", encoding);
    headers.set("content-length", String(info.size));
    if (context.req.method === "HEAD") {
      file.close();
      return new Response(null, { headers });
    }
    return new Response(file.readable, { headers });
  }
  return context.notFound();
};
