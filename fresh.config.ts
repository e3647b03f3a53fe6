/** Settings of the web site: where Fresh's folders are, and the headers of its answers. */

/** Folders below the root, with a trailing slash. */
export const FOLDERS = { routes: "routes/", islands: "islands/", static: "static/" } as const;

/**
 * Content-Security-Policy of a page. Scripts and styles come from this site only;
 * `wasm-unsafe-eval` lets the image kernels compile.
 *
 * @param nonce Allows the draw code that the GPU presenter generates.
 * @param host Host and port of the site.
 */
export function contentSecurityPolicy(nonce: string, host: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}' 'wasm-unsafe-eval'`,
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    // in Firefox and Safari 'self' does not cover a WebSocket
    `connect-src 'self' ws://${host} wss://${host}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join("; ");
}

/** Headers of every answer. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
};
