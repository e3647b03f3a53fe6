/** Part of a handler's context that gives the origin of a request. */
export interface CallerContext {
  env?: unknown;
  req: { url: string; header(name: string): string | undefined };
  var: { site: { isTrustedProxy(address: string): boolean } };
}

/**
 * Network address from which a request comes; `undefined` for a connection without an address.
 * X-Forwarded-For counts only from a proxy in the site's settings,
 * because anyone can send the header.
 */
export function clientAddress(context: CallerContext): string | undefined {
  const { remoteAddr } = (context.env ?? {}) as { remoteAddr?: Deno.Addr };
  if (!remoteAddr || !("hostname" in remoteAddr)) return undefined;
  const { isTrustedProxy } = context.var.site;
  let address = remoteAddr.hostname;
  const forwarded = (context.req.header("x-forwarded-for") ?? "").split(",").map((part) =>
    part.trim()
  )
    .filter(
      Boolean,
    );
  // each proxy appends the address of the proxy's client
  while (forwarded.length > 0 && isTrustedProxy(address)) address = forwarded.pop()!;
  return address;
}

/** Whether a request comes from a proxy in the site's settings. */
export function isOfTrustedProxy({ env, var: { site } }: CallerContext): boolean {
  const { remoteAddr } = (env ?? {}) as { remoteAddr?: Deno.Addr };
  return remoteAddr !== undefined && "hostname" in remoteAddr &&
    site.isTrustedProxy(remoteAddr.hostname);
}

/** Request id assigned by a proxy in the site's settings. */
export function requestIdOf(context: CallerContext): string | null {
  const requestId = context.req.header("x-request-id") ?? "";
  return /^[\w-]{8,64}$/.test(requestId) && isOfTrustedProxy(context) ? requestId : null;
}

/**
 * Host that a client requested, as reported by a trusted proxy.
 * The proxy itself may use another host name.
 */
export const toldHost = (context: CallerContext): string | undefined =>
  isOfTrustedProxy(context)
    ? context.req.header("x-forwarded-host")?.split(",")[0]?.trim()
    : undefined;

/** Whether the browser uses HTTPS, directly or through a proxy in the settings. */
export const isHttps = (context: CallerContext): boolean =>
  context.req.url.startsWith("https:") ||
  (context.req.header("x-forwarded-proto") === "https" && isOfTrustedProxy(context));
