import type { IncomingMessage, ServerResponse } from "node:http";
import { REFUSAL_HEADERS, refusalOf, refusalText } from "@/server/edge/web/refusal.ts";

/** Size of response chunks: small enough to notice that a slow reader makes progress. */
const PART_BYTES = 64 << 10;
/** Number of buffered bytes of a body above which the sender is paused. */
const MAX_WAITING_BYTES = 256 << 10;
/** Maximum number of bytes of an unread body that are discarded after its response. */
export const MAX_DISCARDED_BYTES = 64 << 20;
/** Maximum number of unread bytes of a body that are discarded to keep the connection open. */
const MAX_KEPT_ALIVE_BYTES = 64 << 10;
/**
 * Maximum number of buffered bytes of a response that begins before the whole request has arrived.
 * If it is not longer, its Content-Length can be sent.
 */
const MAX_COLLECTED_BYTES = 64 << 10;
const NO_BODY = new Set([101, 204, 205, 304]);

const TOO_SLOW = refusalOf("too_slow");

/** Time limits of an exchange, ms. */
interface StallLimits {
  stallMs: number;
  lingerMs: number;
  lingerIdleMs: number;
}

/**
 * Requested address, with the scheme of the connection, never that of the request.
 * @returns `null` for several Host headers (RFC 9112 §3.2), or an address with another host.
 */
function addressOf(
  { url = "/", headers: { host = "localhost" }, rawHeaders, socket }: IncomingMessage,
) {
  const hosts = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) return null;
  const origin = `${"encrypted" in socket ? "https" : "http"}://${host}`;
  if (url.startsWith("/")) return origin + url;
  const target = URL.parse(url);
  // the request target may be "OPTIONS *"
  if (target === null || !/^https?:$/.test(target.protocol)) return `${origin}/`;
  const isOurs = URL.parse(`${target.protocol}//${host}`)?.host === target.host;
  return isOurs ? origin + target.pathname + target.search : null;
}

/** One request and its response: adapts node:http to a Fetch-like function. */
export class Exchange {
  /** whether the connection was upgraded to another protocol */
  isUpgraded = false;
  readonly ended: Promise<void>;
  readonly #end: () => void;
  /**
   * time (performance.now()) since when the exchange waits for the peer; `null` if it does not wait
   */
  #waitsSince: number | null = null;
  /** time since when the remaining request body is discarded; `null` if not discarding */
  #discardsSince: number | null = null;
  /** whether the response is complete, so that no handler reads the request's body any more */
  #isAnswered = false;
  #receivedBytes = 0;
  /** Ends discarding the request body. */
  #endDiscarding = () => {};
  readonly #abort = new AbortController();

  constructor(
    private readonly message: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly limits: StallLimits,
  ) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
    // an "error" event without a listener ends the process
    // "close" follows both errors and is handled
    message.on("error", () => {});
    response.on("error", () => {});
  }

  /** Sends the response; never rejects. A disconnecting client aborts the request's signal. */
  async run(handler: (request: Request) => Response | Promise<Response>): Promise<void> {
    const { response } = this;
    const closed = new Promise<void>((resolve) => response.once("close", resolve));
    void closed.then(() => response.writableFinished || this.#abort.abort());
    try {
      const request = this.#request();
      if (request === null) {
        await this.#send(
          new Response(refusalText("unreadable"), { status: 400, headers: REFUSAL_HEADERS }),
        );
      } else await this.#send(await handler(request));
      if (!this.isUpgraded) await this.#finish(closed);
    } catch {
      // a truncated response must not appear complete; the handler has logged the reason
      response.destroy();
      this.message.destroy();
    } finally {
      this.#waitsSince = null;
      this.#end();
    }
  }

  /** Whether some bytes of the response are sent. */
  get hasBegun(): boolean {
    return this.response.headersSent;
  }

  /** Whether the response is sent, and only the remaining body of the request is awaited. */
  get isDiscarding(): boolean {
    return this.#discardsSince !== null;
  }

  /** Closes the connection if the peer has neither sent nor received within the limit. */
  endIfStalled(now: number): void {
    const { stallMs, lingerMs, lingerIdleMs } = this.limits, { socket } = this.message;
    if (this.#waitsSince === null) return;
    if (this.#discardsSince !== null) {
      const isOver = now - this.#discardsSince >= lingerMs ||
        now - this.#waitsSince >= lingerIdleMs;
      return isOver ? this.#endDiscarding() : undefined;
    }
    if (now - this.#waitsSince < stallMs) return;
    if (!this.response.headersSent) socket.write(TOO_SLOW);
    socket.destroySoon();
    // a client that receives no bytes would not receive the end of the response either
    if (this.response.headersSent) socket.destroy();
  }

  /** Converts the request; `null` for an invalid address or invalid headers. */
  #request(): Request | null {
    const { method = "GET", rawHeaders } = this.message, address = addressOf(this.message);
    if (address === null) return null;
    const hasBody = method !== "GET" && method !== "HEAD" &&
      ("transfer-encoding" in this.message.headers ||
        Number(this.message.headers["content-length"]) > 0);
    try {
      const headers = new Headers();
      for (let i = 0; i < rawHeaders.length; i += 2) {
        headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
      }
      return new Request(address, {
        method,
        headers,
        body: hasBody ? this.#body() : null,
        signal: this.#abort.signal,
      });
    } catch {
      return null;
    }
  }

  /** The request's body as a stream with backpressure. */
  #body(): ReadableStream<Uint8Array> {
    const { message } = this;
    let isOver = false;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const fail = (why: Error) => {
          if (isOver) return;
          isOver = true;
          this.#waitsSince = null;
          controller.error(why);
        };
        this.#waitsSince = performance.now();
        message.on("data", (part: Uint8Array) => {
          this.#receivedBytes += part.length;
          if (isOver || this.#isAnswered) return;
          controller.enqueue(part);
          this.#waitsSince = performance.now();
          if ((controller.desiredSize ?? 0) > 0) return;
          message.pause();
          this.#waitsSince = null;
        });
        message.on("end", () => {
          if (!isOver) controller.close();
          isOver = true;
          this.#waitsSince = null;
        });
        message.on("error", fail);
        message.on("close", () => fail(new Error("The connection broke")));
      },
      pull: () => {
        if (isOver || !message.isPaused()) return;
        this.#waitsSince = performance.now();
        message.resume();
      },
      cancel: () => {
        isOver = true;
        this.#waitsSince = null;
      },
    }, { highWaterMark: MAX_WAITING_BYTES, size: (part) => part.length });
  }

  async #send(answer: Response): Promise<void> {
    const { response, message } = this, { status, body } = answer;
    if (status === 101) {
      this.isUpgraded = true;
      return;
    }
    const headers: [string, string][] = [...answer.headers];
    if (!this.#isRestShort() && !headers.some(([name]) => name === "connection")) {
      headers.push(["connection", "close"]);
    }
    if (body === null || message.method === "HEAD" || NO_BODY.has(status)) {
      await body?.cancel();
      if (body === null && message.method !== "HEAD" && !NO_BODY.has(status)) {
        headers.push(["content-length", "0"]);
      }
      response.writeHead(status, headers.flat());
      // sent now: without a body, the headers would be sent only with the end of the response
      return message.complete ? undefined : response.flushHeaders();
    }
    const reader = body.getReader();
    this.#abort.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}), {
      once: true,
    });
    const first = await this.#firstParts(reader), { parts, isWhole } = first;
    if (isWhole && !answer.headers.has("content-length")) {
      headers.push(["content-length", String(first.size)]);
    }
    response.writeHead(status, headers.flat());
    for (const part of parts) await this.#write(part);
    while (!isWhole) {
      const { done, value } = await reader.read();
      if (done) break;
      await this.#write(value);
    }
    if (!message.complete) response.flushHeaders();
  }

  /**
   * Whether the remaining request body has arrived, or is so short that the connection can be used
   * for another request afterwards.
   */
  #isRestShort(): boolean {
    const { message } = this, length = Number(message.headers["content-length"] ?? NaN);
    return message.complete || length - this.#receivedBytes <= MAX_KEPT_ALIVE_BYTES;
  }

  /**
   * First parts of a response body: two, or more of an early response. The client must know the
   * length of an early response, because its end is sent only after the remaining request.
   */
  async #firstParts(reader: ReadableStreamDefaultReader<Uint8Array>) {
    const parts: Uint8Array[] = [];
    for (let size = 0;;) {
      const { done, value } = await reader.read();
      if (done) return { parts, size, isWhole: true };
      parts.push(value);
      size += value.length;
      const isEnough = this.message.complete ? parts.length > 1 : size > MAX_COLLECTED_BYTES;
      if (isEnough) return { parts, size, isWhole: false };
    }
  }

  /** Writes bytes with backpressure. @throws Error when the other side has disconnected. */
  async #write(bytes: Uint8Array): Promise<void> {
    const { response } = this;
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      if (response.destroyed) throw new Error("The connection broke");
      if (response.write(bytes.subarray(at, at + PART_BYTES))) continue;
      this.#waitsSince = performance.now();
      await new Promise<void>((resolve) => {
        const goOn = () => {
          response.off("drain", goOn);
          response.off("close", goOn);
          resolve();
        };
        response.on("drain", goOn);
        response.on("close", goOn);
      });
      this.#waitsSince = null;
    }
  }

  /**
   * Discards the remaining request body, and then ends the response. node:http closes a connection
   * with the response, and a connection closed with unread bytes is reset, which can remove the
   * response before the client has read it.
   */
  async #finish(closed: Promise<void>): Promise<void> {
    const { message, response } = this;
    this.#isAnswered = true;
    if (!message.complete && !message.destroyed) await this.#discard();
    this.#waitsSince = performance.now();
    response.end();
    await new Promise<void>((resolve) => {
      if (response.writableFinished) resolve();
      response.once("finish", resolve);
      void closed.then(resolve);
    });
    // closes the connection: no other request can follow a body that is not read completely
    if (!message.complete) message.socket.destroySoon();
  }

  /** Reads and discards the remaining body of the request, up to the limits. */
  #discard(): Promise<void> {
    const { message } = this, { promise, resolve } = Promise.withResolvers<void>();
    this.#endDiscarding = resolve;
    this.#discardsSince = this.#waitsSince = performance.now();
    let discardedBytes = 0;
    message.on("data", (part: Uint8Array) => {
      if (this.#discardsSince === null) return;
      discardedBytes += part.length;
      this.#waitsSince = performance.now();
      if (discardedBytes > MAX_DISCARDED_BYTES) resolve();
    });
    message.once("end", resolve).once("close", resolve);
    message.resume();
    return promise.finally(() => {
      this.#discardsSince = null;
      if (!message.complete) message.pause();
    });
  }
}
