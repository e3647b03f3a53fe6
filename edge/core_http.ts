// Calls of a core in another process. `fetch` unpacks compressed bodies; node:http hands bytes on as they were stored.
import { Agent, type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { connect } from "node:net";
import { rootCertificates } from "node:tls";

/** Time limits of a call, ms. */
export interface CallLimits {
  /** for a connection to the core; with {@link CallLimits.quietMs} it is how soon a core that is away is noticed */
  connectMs: number;
  /** without an answer for so long, a second connection asks whether the core is still there */
  quietMs: number;
  /** for the beginning of an answer to a request without a body; one with a body waits as long as the core is there */
  answerMs: number;
}
export const CALL_LIMITS: CallLimits = { connectMs: 900, quietMs: 700, answerMs: 120_000 };

/** An idle connection is given up before most servers and firewalls do it. */
const IDLE_CONNECTION_MS = 4000;
const MAX_CONNECTIONS = 256;
/** Headers that belong to one connection, or would make the core take the edge for a browser. */
const NOT_SENT =
  /^(sec-fetch-.*|connection|host|origin|cookie|transfer-encoding|keep-alive|te|upgrade|expect)$/;
const NOT_TAKEN = /^(connection|keep-alive|transfer-encoding|proxy-.*|te|trailer|upgrade)$/;
const NO_BODY = new Set([101, 204, 205, 304]);

/** The core did not answer, which is not the same as an answer that says no. */
export class NoAnswer extends Error {
  override name = "NoAnswer";
}

/** The headers of an answer; of repeated ones all. */
function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const pairs: [string, string][] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (!NOT_TAKEN.test(name.toLowerCase())) pairs.push([name, rawHeaders[i + 1]!]);
  }
  return new Headers(pairs);
}

/** Writes a body as fast as the core takes it. Gives the source up when the call ends before it does. */
async function writeBody(request: ClientRequest, body: ReadableStream<Uint8Array>, ended: Promise<unknown>) {
  const reader = body.getReader();
  let isOver = false;
  const over = ended.then(() => {
    isOver = true;
    return { done: true as const, value: undefined };
  });
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), over]);
      if (isOver) break;
      if (done) return void request.end();
      if (!request.write(value)) {
        await Promise.race([new Promise((resolve) => request.once("drain", resolve)), over]);
      }
    }
    await reader.cancel().catch(() => {});
  } catch (error) {
    // the sender is gone: half a body must not look like a whole one
    request.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Parts of an answer that wait for a reader at most. */
const PARTS_AHEAD = 4;

/**
 * The body of an answer; giving it up ends the call at the core, and one that breaks off is an error. By hand:
 * `Readable.toWeb` takes twice the time for a small one.
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
      message.on("close", () => isOver || end(new NoAnswer("The answer broke off")));
    },
    pull: () => void message.resume(),
    cancel() {
      isOver = true;
      message.destroy();
    },
  }, { highWaterMark: PARTS_AHEAD });
}

/** HTTP to one core, with connections that stay open for the next call. */
export class CoreHttp {
  readonly #base: URL;
  readonly #ca: string[] | undefined;
  readonly #agent: Agent | TlsAgent;
  #probe: Promise<boolean> | null = null;

  /**
   * @param address Origin of the core, with a path when the API root is not `/`.
   * @param ca      Certificates (PEM) that the core's may be signed with, beside those that everybody trusts.
   */
  constructor(address: string, private readonly limits: CallLimits = CALL_LIMITS, ca?: string) {
    this.#base = new URL(address);
    this.#ca = ca === undefined ? undefined : [...rootCertificates, ca];
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
   * Sends a request. Both bodies are streamed and left as they are; an abort, or giving the answer's body up, ends the
   * call at the core. Reads that meet a connection which the core has closed meanwhile are sent once more.
   *
   * @throws {NoAnswer} when the core is away: within 2 s when its machine cannot be reached.
   */
  async fetch(request: Request): Promise<Response> {
    const isRead = request.body === null && (request.method === "GET" || request.method === "HEAD");
    if (!isRead) return await this.#send(request, true);
    try {
      return await this.#send(request, false);
    } catch (error) {
      if (request.signal.aborted || !(error instanceof ClosedConnection)) throw error;
      return await this.#send(request, true);
    }
  }

  /** Whether a connection can be made now; asked once for all who wait. */
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
      const timer = setTimeout(() => end(false), this.limits.connectMs);
      socket.once("connect", () => end(true)).once("error", () => end(false));
    }).finally(() => this.#probe = null);
  }

  /** @param isFresh On a connection of its own: nothing is written to one that may be closed already. */
  #send(request: Request, isFresh: boolean): Promise<Response> {
    const { pathname, search } = new URL(request.url), { signal, body, method } = request;
    if (signal.aborted) return Promise.reject(signal.reason);
    const headers: Record<string, string> = {};
    for (const [name, value] of request.headers) {
      if (!NOT_SENT.test(name)) headers[name] = value;
    }
    headers["accept-encoding"] ??= "identity";
    if (body === null && method !== "GET" && method !== "HEAD") headers["content-length"] = "0";
    const send = this.#base.protocol === "https:" ? tlsRequest : plainRequest;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const call = send(this.address(pathname + search), {
      method,
      headers,
      ca: this.#ca,
      agent: isFresh ? false : this.#agent,
    });
    let quiet: ReturnType<typeof setTimeout> | undefined, answered = false;
    const started = performance.now();
    // an error event does not come for every end: whoever ends the call says why
    const fail = (why: Error) => {
      clearTimeout(quiet);
      signal.removeEventListener("abort", abort);
      reject(why);
      end();
      call.destroy();
    };
    const abort = () => fail(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    const look = async () => {
      if (!await this.isThere()) return answered || fail(new NoAnswer("Cannot connect"));
      if (answered || signal.aborted) return;
      if (body === null && performance.now() - started > this.limits.answerMs) {
        return fail(new NoAnswer("No answer in time"));
      }
      quiet = setTimeout(look, this.limits.quietMs);
    };
    quiet = setTimeout(look, this.limits.quietMs);
    signal.addEventListener("abort", abort, { once: true });
    call.on("error", (cause) => {
      const isClosed = !isFresh &&
        /ECONNRESET|EPIPE|socket hang up/.test(`${(cause as { code?: string }).code} ${cause}`);
      fail(
        isClosed
          ? new ClosedConnection("Connection closed", { cause })
          : new NoAnswer("No answer", { cause }),
      );
    });
    call.on("close", () => {
      if (!answered) {
        fail(isFresh ? new NoAnswer("Connection closed") : new ClosedConnection("Connection closed"));
      }
    });
    call.on("response", (message) => {
      answered = true;
      clearTimeout(quiet);
      message.once("close", () => {
        signal.removeEventListener("abort", abort);
        end();
      });
      const status = message.statusCode ?? 502, hasBody = method !== "HEAD" && !NO_BODY.has(status);
      if (!hasBody) message.resume();
      resolve(new Response(hasBody ? bodyOf(message) : null, { status, headers: headersOf(message) }));
    });
    if (body === null) call.end();
    else void writeBody(call, body, ended);
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A kept connection turned out to be closed before anything was answered. */
class ClosedConnection extends NoAnswer {}
