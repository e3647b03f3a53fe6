// What both ways of calling a core share: `node_call.ts` and `native_call.ts`.

/** The core did not answer, which is not the same as an answer that says no. */
export class CoreUnreachable extends Error {
  override name = "CoreUnreachable";
}

/** A kept connection turned out to be closed before anything was answered. */
export class ConnectionClosed extends CoreUnreachable {}

/** Headers that belong to one connection, or would make the core take the edge for a browser. */
const NOT_SENT =
  /^(sec-fetch-.*|connection|host|origin|cookie|transfer-encoding|keep-alive|te|upgrade|expect)$/;
const NOT_TAKEN = /^(connection|keep-alive|transfer-encoding|proxy-.*|te|trailer|upgrade)$/;

/** The headers of a request that a core gets. */
export function requestHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !NOT_SENT.test(name)));
}

/** The headers of an answer that whoever asked gets; of repeated ones all. */
export function responseHeaders(headers: Iterable<[string, string]>): Headers {
  return new Headers([...headers].filter(([name]) => !NOT_TAKEN.test(name.toLowerCase())));
}
