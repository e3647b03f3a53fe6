// Calls of a core by `fetch`: Deno's server takes such a body from it outside of JavaScript, at a third of the work.
import { requestHeaders, responseHeaders } from "@/edge/remote/core_call.ts";

/** The packing that `fetch` unpacks, under the name it does not know (RFC 9110 §8.4.1.3). */
const GZIP = "gzip", PACKED = "x-gzip";

/**
 * A client for calls of one machine that no proxy hears: whatever the environment names one for. Deno asks it for the
 * exceptions too when a client is made, so the machine is one of them from then on.
 *
 * @param ca Certificates (PEM) that the machine's may be signed with, beside those that everybody trusts.
 * @throws Error when the environment cannot be changed.
 */
export function directClient({ hostname }: URL, ca: string | undefined, idleMs: number): Deno.HttpClient {
  const host = hostname.replace(/^\[|\]$/g, "");
  const known = (Deno.env.get("NO_PROXY") ?? Deno.env.get("no_proxy") ?? "").split(",").filter(Boolean);
  if (!known.includes(host)) Deno.env.set("NO_PROXY", [...known, host].join(","));
  if (!Deno.env.get("NO_PROXY")?.split(",").includes(host)) {
    throw new Error("Cannot keep calls of the core from proxies: NO_PROXY cannot be set");
  }
  return Deno.createHttpClient({
    caCerts: ca === undefined ? [] : [ca],
    poolIdleTimeout: idleMs,
    // one connection for one call: its end ends the call
    http2: false,
  });
}

interface NativeCall {
  address: URL;
  client: Deno.HttpClient;
  /** See `NodeCall`. */
  watch: (request: Request, fail: (why: Error) => void) => () => void;
}

/**
 * Sends a read without a body. A caller that takes gzip gets it packed when the core knows {@link PACKED}.
 *
 * @returns `null` when the call has to be made in another way: a kept connection was closed, the core is not there, or it
 *   has packed its answer in a way that `fetch` unpacks.
 * @throws {CoreUnreachable} when the core is away; an abort as it is.
 */
export async function callByFetch(
  request: Request,
  { address, client, watch }: NativeCall,
): Promise<Response | null> {
  const { signal } = request, ending = new AbortController();
  if (signal.aborted) throw signal.reason;
  signal.addEventListener("abort", () => ending.abort(signal.reason), { once: true });
  const headers = requestHeaders(request.headers);
  headers["accept-encoding"] = acceptsGzip(request.headers) ? PACKED : "identity";
  const noLongerWaiting = watch(request, (why) => ending.abort(why));
  let answer: Response;
  try {
    answer = await fetch(address, { headers, client, redirect: "manual", signal: ending.signal });
  } catch {
    ending.signal.throwIfAborted();
    return null;
  } finally {
    noLongerWaiting();
  }
  const taken = responseHeaders(answer.headers), coding = taken.get("content-encoding");
  if (coding === GZIP || coding === "br") {
    await answer.body?.cancel();
    return null;
  }
  if (coding === PACKED) taken.set("content-encoding", GZIP);
  return new Response(answer.body, { status: answer.status, headers: taken });
}

/** Whether a caller takes an answer that is packed in any way. */
export const acceptsCompressed = (headers: Headers): boolean =>
  !/^\s*(identity)?\s*$/i.test(headers.get("accept-encoding") ?? "");

/** Whether a caller takes gzip (RFC 9110 §12.5.3): by its name, or else by "*". */
export function acceptsGzip(headers: Headers): boolean {
  const taken = new Map(
    (headers.get("accept-encoding") ?? "").split(",").map((part) => {
      const [coding, ...parameters] = part.trim().toLowerCase().split(/\s*;\s*/);
      return [coding, !parameters.some((one) => /^q=0(\.0*)?$/.test(one))];
    }),
  );
  return taken.get(GZIP) ?? taken.get("*") ?? false;
}
