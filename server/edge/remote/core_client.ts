// HTTP client for a core in another process.
// Uses node:http, which passes bodies through unchanged, compressed or not.
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
} from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { connect } from "node:net";
import { rootCertificates } from "node:tls";

/** Error: the core did not respond at all; a refused call has a response. */
export class CoreUnreachable extends Error {
  override name = "CoreUnreachable";
}

/** Error of a pooled connection that the core closed before responding. */
class ConnectionClosed extends CoreUnreachable {}

/** Time limits of a call to the core, ms. */
export interface CallLimits {
  /**
   * time limit for connecting to the core, ms
   * with {@link CallLimits.quietMs} it determines how soon an unreachable core is noticed
   */
  connectMs: number;
  /**
   * time without a response after which a second connection checks whether the core is reachable
   */
  quietMs: number;
  /**
   * time limit for the start of the response to a request without a body, ms
   * a request with a body waits as long as the core is reachable
   */
  answerMs: number;
}
const CALL_LIMITS: CallLimits = { connectMs: 900, quietMs: 700, answerMs: 120_000 };

/** Idle time of pooled connections, shorter than that of most servers and firewalls. */
const IDLE_CONNECTION_MS = 4000;
const MAX_CONNECTIONS = 256;
/** Number of probes within the time limit for connecting. */
const CONNECT_STEPS = 10;
/** Maximum number of response chunks buffered for a slow reader. */
const MAX_QUEUED_PARTS = 4;

/** Hop-by-hop headers, and those that would make the core treat the edge as a browser. */
const NOT_SENT =
  /^(sec-fetch-.*|connection|host|origin|cookie|transfer-encoding|keep-alive|te|upgrade|expect)$/;
const NOT_TAKEN = /^(connection|keep-alive|transfer-encoding|proxy-.*|te|trailer|upgrade)$/;
/** Status codes of responses without a body. */
const NO_BODY = new Set([101, 204, 205, 304]);

interface Options {
  limits?: CallLimits;
  /** additional trusted certificates (PEM) for the core */
  ca?: string;
}

/**
 * Calls one core over HTTP, with keep-alive connections. Proxies in the environment are not used.
 */
export class CoreClient {
  /** HTTP client with which WebSockets to the core are opened */
  readonly socketClient: Deno.HttpClient;
  readonly #base: URL;
  readonly #limits: CallLimits;
  readonly #ca: string[] | undefined;
  readonly #agent: Agent | TlsAgent;
  #probe: Promise<boolean> | null = null;

  /** @param address Origin of the core, with a path if the API root is not `/`. */
  constructor(address: string, { limits = CALL_LIMITS, ca }: Options = {}) {
    this.#base = new URL(address);
    this.#limits = limits;
    this.#ca = ca === undefined ? undefined : [...rootCertificates, ca];
    this.socketClient = directClient(this.#base, ca);
    const options = { keepAlive: true, maxSockets: MAX_CONNECTIONS, timeout: IDLE_CONNECTION_MS };
    this.#agent = this.#base.protocol === "https:"
      ? new TlsAgent({ ...options, ca: this.#ca })
      : new Agent(options);
  }

  /** URL of a call below the core's root. */
  address(path: string): URL {
    return new URL(this.#base.pathname.replace(/\/$/, "") + path, this.#base);
  }

  /**
   * Sends a request. Both bodies are streamed unchanged. An abort, or cancelling the response body,
   * ends the call at the core. A read request on a pooled connection that the core has closed is
   * repeated once on a new connection.
   *
   * @throws {CoreUnreachable} for an unreachable core, within 2 s if the core's machine is silent.
   */
  async fetch(request: Request): Promise<Response> {
    const isRead = request.body === null && (request.method === "GET" || request.method === "HEAD");
    if (!isRead) return await this.#send(request, false);
    try {
      return await this.#send(request, this.#agent);
    } catch (error) {
      if (request.signal.aborted || !(error instanceof ConnectionClosed)) throw error;
      return await this.#send(request, false);
    }
  }

  /** Whether a connection to the core can be opened now; concurrent callers share one probe. */
  isThere(): Promise<boolean> {
    return this.#probe ??= new Promise<boolean>((resolve) => {
      const { hostname, port, protocol } = this.#base;
      const socket = connect({
        host: hostname.replace(/^\[|\]$/g, ""),
        port: Number(port) || (protocol === "https:" ? 443 : 80),
      });
      const end = (isThere: boolean) => {
        clearInterval(timer);
        socket.destroy();
        resolve(isThere);
      };
      // counted in steps: a time in which this process does not run counts as one step
      // the connection may be open before this process notices
      let steps = 0;
      const timer = setInterval(
        () => ++steps === CONNECT_STEPS && end(false),
        this.#limits.connectMs / CONNECT_STEPS,
      );
      socket.once("connect", () => end(true)).once("error", () => end(false));
    }).finally(() => this.#probe = null);
  }

  close(): void {
    this.#agent.destroy();
    this.socketClient.close();
  }

  /**
   * Sends a request to the core once, without a repeat.
   * @param agent Pooled connections; `false`: a new connection, since pooled ones may be closed.
   * @throws {ConnectionClosed} for a pooled connection that was closed, {@link CoreUnreachable}.
   * An abort is rethrown unchanged.
   */
  #send(request: Request, agent: Agent | TlsAgent | false): Promise<Response> {
    const { signal, body, method } = request, { pathname, search } = new URL(request.url);
    if (signal.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const address = this.address(pathname + search);
    const send = address.protocol === "https:" ? tlsRequest : plainRequest;
    const call = send(address, { method, headers: requestHeaders(request), ca: this.#ca, agent });
    let isAnswered = false;
    // the caller of fail() states the reason, because some connections end without an error event
    const fail = (why: Error) => {
      stopWatching();
      signal.removeEventListener("abort", abort);
      reject(why);
      end();
      call.destroy();
    };
    const stopWatching = this.#watch(request, fail);
    const abort = () => fail(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    signal.addEventListener("abort", abort, { once: true });
    const closed = (cause?: unknown) =>
      agent === false
        ? new CoreUnreachable("Connection closed", { cause })
        : new ConnectionClosed("Connection closed", { cause });
    call.on("error", (cause) => {
      const code = `${(cause as { code?: string }).code} ${cause}`;
      const isClosed = /ECONNRESET|EPIPE|socket hang up/.test(code);
      fail(isClosed ? closed(cause) : new CoreUnreachable("No answer", { cause }));
    });
    call.on("close", () => isAnswered || fail(closed()));
    call.on("response", (message) => {
      isAnswered = true;
      stopWatching();
      message.once("close", () => {
        signal.removeEventListener("abort", abort);
        end();
      });
      const status = message.statusCode ?? 502, hasBody = method !== "HEAD" && !NO_BODY.has(status);
      if (!hasBody) message.resume();
      resolve(
        new Response(hasBody ? bodyOf(message) : null, {
          status,
          headers: responseHeaders(message),
        }),
      );
    });
    if (body === null) call.end();
    else void writeBody(call, body, ended);
    return promise;
  }

  /**
   * Fails a call without a response when the core is unreachable or exceeds the time limit.
   * @returns a function that stops the timer.
   */
  #watch({ signal, body }: Request, fail: (why: Error) => void): () => void {
    const { quietMs, answerMs } = this.#limits, started = performance.now();
    let isOver = false;
    const check = async () => {
      const isThere = await this.isThere();
      if (isOver || signal.aborted) return;
      if (!isThere) return fail(new CoreUnreachable("Cannot connect"));
      if (body === null && performance.now() - started > answerMs) {
        return fail(new CoreUnreachable("No answer in time"));
      }
      timer = setTimeout(check, quietMs);
    };
    let timer = setTimeout(check, quietMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }
}

/**
 * A client that bypasses proxies for one machine. Deno reads NO_PROXY when a client is created,
 * so the machine's name is added to that variable.
 *
 * @param ca Additional trusted certificates (PEM) for the machine.
 * @throws Error if the environment cannot be changed.
 */
function directClient({ hostname }: URL, ca: string | undefined): Deno.HttpClient {
  const host = hostname.replace(/^\[|\]$/g, "");
  const exempt = (Deno.env.get("NO_PROXY") ?? Deno.env.get("no_proxy") ?? "").split(",").filter(
    Boolean,
  );
  if (!exempt.includes(host)) Deno.env.set("NO_PROXY", [...exempt, host].join(","));
  if (!Deno.env.get("NO_PROXY")?.split(",").includes(host)) {
    throw new Error("Cannot keep calls of the core from proxies: NO_PROXY cannot be set");
  }
  return Deno.createHttpClient({
    caCerts: ca === undefined ? [] : [ca],
    poolIdleTimeout: IDLE_CONNECTION_MS,
    http2: false,
  });
}

/** Request headers for the core. Without `accept-encoding` the core must not compress. */
function requestHeaders({ headers, body, method }: Request): Record<string, string> {
  const sent = Object.fromEntries([...headers].filter(([name]) => !NOT_SENT.test(name)));
  sent["accept-encoding"] ??= "identity";
  if (body === null && method !== "GET" && method !== "HEAD") sent["content-length"] = "0";
  return sent;
}

/** Response headers for the caller, including repeated ones. */
function responseHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!NOT_TAKEN.test(rawHeaders[i]!.toLowerCase())) {
      headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
    }
  }
  return headers;
}

/**
 * Writes a body with backpressure, and cancels the source when the call ends first.
 * `Promise.race` is avoided: with a promise as long as the call, it would keep every chunk in
 * memory until the end of the call.
 */
async function writeBody(
  request: ClientRequest,
  body: ReadableStream<Uint8Array>,
  ended: Promise<unknown>,
) {
  const reader = body.getReader();
  let isOver = false, resume = () => {};
  void ended.then(() => {
    isOver = true;
    resume();
    // cancelling the source also ends a pending read
    return reader.cancel();
  }).catch(() => {});
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isOver) return;
      if (done) return void request.end();
      if (request.write(value)) continue;
      await new Promise<void>((resolve) => {
        resume = resolve;
        request.once("drain", resolve);
      });
    }
  } catch (error) {
    // an error, because the sender disconnected: a truncated body must not appear complete
    request.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/**
 * Body of a response. Cancelling ends the call at the core; a lost connection is an error.
 * Implemented by hand, because `Readable.toWeb` takes twice the time for a small body.
 */
function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  let isOver = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (error?: unknown) => {
        if (isOver) return;
        isOver = true;
        if (error === undefined) controller.close();
        else controller.error(error);
      };
      message.on("data", (part: Uint8Array) => {
        if (isOver) return;
        controller.enqueue(part);
        if ((controller.desiredSize ?? 0) <= 0) message.pause();
      });
      message.on("end", () => end());
      message.on("error", end);
      message.on("close", () => isOver || end(new CoreUnreachable("The answer broke off")));
    },
    pull: () => void message.resume(),
    cancel() {
      isOver = true;
      message.destroy();
    },
  }, { highWaterMark: MAX_QUEUED_PARTS });
}
