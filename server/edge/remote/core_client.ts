// Every HTTP call of a core in another process. node:http passes bodies on as they were stored,
// compressed or not.
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
} from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { connect } from "node:net";
import { rootCertificates } from "node:tls";

/** The core did not answer at all; an answer that refuses is a response. */
export class CoreUnreachable extends Error {
  override name = "CoreUnreachable";
}

/** The core had closed a pooled connection before it answered. */
class ConnectionClosed extends CoreUnreachable {}

/** Time limits of a call, ms. */
export interface CallLimits {
  /**
   * for a connection to the core; with {@link CallLimits.quietMs} it bounds how soon an absent core
   * is noticed
   */
  connectMs: number;
  /** without an answer for so long, a second connection checks whether the core is still there */
  quietMs: number;
  /**
   * for the beginning of the answer to a request without a body; one with a body waits as long as
   * the core is there
   */
  answerMs: number;
}
const CALL_LIMITS: CallLimits = { connectMs: 900, quietMs: 700, answerMs: 120_000 };

/** Pooled connections close before most servers and firewalls would close them. */
const IDLE_CONNECTION_MS = 4000;
const MAX_CONNECTIONS = 256;
/** Parts of an answer that wait for a reader at most. */
const MAX_QUEUED_PARTS = 4;

/** Headers that belong to one connection, or would make the core take the edge for a browser. */
const NOT_SENT =
  /^(sec-fetch-.*|connection|host|origin|cookie|transfer-encoding|keep-alive|te|upgrade|expect)$/;
const NOT_TAKEN = /^(connection|keep-alive|transfer-encoding|proxy-.*|te|trailer|upgrade)$/;
/** Statuses of responses without a body. */
const NO_BODY = new Set([101, 204, 205, 304]);

interface Options {
  limits?: CallLimits;
  /** certificates (PEM) that may have signed the core's, beside the public ones */
  ca?: string;
}

/**
 * Calls one core over HTTP. Connections stay open for the next call. No proxy is used, whatever the
 * environment says.
 */
export class CoreClient {
  /** for sockets to the core */
  readonly socketClient: Deno.HttpClient;
  readonly #base: URL;
  readonly #limits: CallLimits;
  readonly #ca: string[] | undefined;
  readonly #agent: Agent | TlsAgent;
  #probe: Promise<boolean> | null = null;

  /** @param address Origin of the core, with a path when the API root is not `/`. */
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

  /** Address of a call under the core's root. */
  address(path: string): URL {
    return new URL(this.#base.pathname.replace(/\/$/, "") + path, this.#base);
  }

  /**
   * Sends a request. Both bodies are streamed unchanged; an abort, or cancelling the answer's body,
   * ends the call at the core. A read on a pooled connection that the core has closed meanwhile is
   * sent once more on a new one.
   *
   * @throws {CoreUnreachable} when the core is away: within 2 s when its machine cannot be reached.
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

  /** Whether a connection can be made now; concurrent callers share one probe. */
  isThere(): Promise<boolean> {
    return this.#probe ??= new Promise<boolean>((resolve) => {
      const { hostname, port, protocol } = this.#base;
      const socket = connect({
        host: hostname.replace(/^\[|\]$/g, ""),
        port: Number(port) || (protocol === "https:" ? 443 : 80),
      });
      const end = (isThere: boolean) => {
        clearTimeout(timer);
        socket.destroy();
        resolve(isThere);
      };
      const timer = setTimeout(() => end(false), this.#limits.connectMs);
      socket.once("connect", () => end(true)).once("error", () => end(false));
    }).finally(() => this.#probe = null);
  }

  close(): void {
    this.#agent.destroy();
    this.socketClient.close();
  }

  /**
   * Sends a request once.
   * @param agent Pooled connections; `false`: a new one, so that nothing is written to one that may
   *   be closed already.
   * @throws {ConnectionClosed} when a pooled connection turned out to be closed; {@link
   *   CoreUnreachable}; an abort as it is.
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
    // some ends come without an error event: the caller of fail() gives the reason
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
   * Fails a call without an answer when the core is away or takes too long. @returns stops
   * watching.
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
 * A client that uses no proxy for one machine. Deno reads NO_PROXY when a client is made, so the
 * machine's name is added to it.
 *
 * @param ca Certificates (PEM) that may have signed the machine's, beside the public ones.
 * @throws Error when the environment cannot be changed.
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

/** The headers that the core gets. Without `accept-encoding` the core must not compress. */
function requestHeaders({ headers, body, method }: Request): Record<string, string> {
  const sent = Object.fromEntries([...headers].filter(([name]) => !NOT_SENT.test(name)));
  sent["accept-encoding"] ??= "identity";
  if (body === null && method !== "GET" && method !== "HEAD") sent["content-length"] = "0";
  return sent;
}

/** The headers of an answer that the caller gets; of repeated ones all. */
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
 * Writes a body as fast as the core takes it, and cancels the source when the call ends first.
 * Nothing waits for two promises at once: `Promise.race` with one that lasts as long as the call
 * would keep every part until then.
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
    // a pending read ends with it
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
    // the sender is gone: half a body must not look like a whole one
    request.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/**
 * The body of an answer. Cancelling it ends the call at the core; a connection that breaks is an
 * error. Written by hand, because `Readable.toWeb` takes twice the time for a small body.
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
