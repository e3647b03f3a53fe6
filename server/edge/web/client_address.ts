/** The part of a handler's context that says where a request comes from. */
export interface CallerContext {
  env?: unknown;
  req: { url: string; header(name: string): string | undefined };
  var: { site: { isTrustedProxy(address: string): boolean } };
}

/**
 * The network address a request comes from. A proxy's X-Forwarded-For counts only when the site's
 * settings name the proxy: anybody can write a header. `undefined` when the connection has no
 * address.
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
  // each proxy adds whom it heard at the end
  while (forwarded.length > 0 && isTrustedProxy(address)) address = forwarded.pop()!;
  return address;
}

/** Whether a request comes from a proxy that the site's settings name. */
export function isOfTrustedProxy({ env, var: { site } }: CallerContext): boolean {
  const { remoteAddr } = (env ?? {}) as { remoteAddr?: Deno.Addr };
  return remoteAddr !== undefined && "hostname" in remoteAddr &&
    site.isTrustedProxy(remoteAddr.hostname);
}

/**
 * The name that a proxy in front of the site has given a request, when the settings name the proxy.
 */
export function requestIdOf(context: CallerContext): string | null {
  const requestId = context.req.header("x-request-id") ?? "";
  return /^[\w-]{8,64}$/.test(requestId) && isOfTrustedProxy(context) ? requestId : null;
}

/**
 * The host that a client asked for, where a proxy that the settings name says it: the proxy may ask
 * us by another.
 */
export const toldHost = (context: CallerContext): string | undefined =>
  isOfTrustedProxy(context)
    ? context.req.header("x-forwarded-host")?.split(",")[0]?.trim()
    : undefined;

/** The browser speaks HTTPS to us, or to a proxy in front of us that the settings name. */
export const isHttps = (context: CallerContext): boolean =>
  context.req.url.startsWith("https:") ||
  (context.req.header("x-forwarded-proto") === "https" && isOfTrustedProxy(context));
