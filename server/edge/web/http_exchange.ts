import type { IncomingMessage, ServerResponse } from "node:http";

/** Size of response chunks: small enough to notice that a slow reader makes progress. */
const PART_BYTES = 64 << 10;
/** Number of buffered bytes of a body above which its sender is paused. */
const MAX_WAITING_BYTES = 256 << 10;
const NO_BODY = new Set([101, 204, 205, 304]);

const TOO_SLOW = "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/** Time limits of an exchange, ms. */
interface StallLimits {
  stallMs: number;
  lingerMs: number;
}

/**
 * Requested address; its scheme is that of the connection, never that of the request.
 * @returns `null` for several Host headers (RFC 9112 §3.2),
 * or an absolute address with another host.
 */
function addressOf(
  { url = "/", headers: { host = "localhost" }, rawHeaders, socket }: IncomingMessage,
) {
  const hosts = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) return null;
  const origin = `${"encrypted" in socket ? "https" : "http"}://${host}`;
  if (url.startsWith("/")) return origin + url;
  const target = URL.parse(url);
  // request target "OPTIONS *"
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
  /** time by performance.now() since when the other side is awaited; `null`: it is not */
  #waitsSince: number | null = null;
  /** whether the remaining body is read and discarded */
  #isDiscarding = false;
  readonly #abort = new AbortController();

  constructor(
    private readonly message: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly limits: StallLimits,
  ) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
    // an "error" event without a listener ends the process;
    // both errors are followed by "close", which is handled
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
        await this.#send(new Response(null, { status: 400, headers: { "connection": "close" } }));
      } else await this.#send(await handler(request));
      if (!this.isUpgraded) await this.#linger(closed);
    } catch {
      // a truncated response must not appear complete; the handler has logged the reason
      response.destroy();
      this.message.destroy();
    } finally {
      this.#waitsSince = null;
      this.#end();
    }
  }

  /** Closes the connection when the other side has neither sent nor received within the limit. */
  endIfStalled(now: number): void {
    const { stallMs, lingerMs } = this.limits, { socket } = this.message;
    if (
      this.#waitsSince === null ||
      now - this.#waitsSince < (this.#isDiscarding ? lingerMs : stallMs)
    ) {
      return;
    }
    if (!this.response.headersSent) socket.write(TOO_SLOW);
    socket.destroySoon();
    // a client that receives nothing would not receive the end either
    if (this.response.headersSent) socket.destroy();
  }

  /** Converts the request; `null` when its address or headers are invalid. */
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

  /** Body as a stream with backpressure. */
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
          if (isOver || this.#isDiscarding) return;
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
    if (!message.complete && !headers.some(([name]) => name === "connection")) {
      // the unread part of a body must not be parsed as the next request
      headers.push(["connection", "close"]);
    }
    if (body === null || message.method === "HEAD" || NO_BODY.has(status)) {
      await body?.cancel();
      if (body === null && message.method !== "HEAD" && !NO_BODY.has(status)) {
        headers.push(["content-length", "0"]);
      }
      response.writeHead(status, headers.flat());
      return void response.end();
    }
    const reader = body.getReader();
    this.#abort.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}), {
      once: true,
    });
    const first = await reader.read(), second = first.done ? first : await reader.read();
    const isWhole = second.done && !answer.headers.has("content-length");
    if (isWhole) headers.push(["content-length", String(first.value?.length ?? 0)]);
    response.writeHead(status, headers.flat());
    for (let part: { value?: Uint8Array } = first, next = second;;) {
      if (part.value !== undefined) await this.#write(part.value);
      if (next.done) break;
      part = next;
      next = await reader.read();
    }
    response.end();
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
   * Waits until the response is sent, and discards the remaining request body for a limited time.
   */
  async #linger(closed: Promise<void>): Promise<void> {
    const { message, response } = this;
    this.#waitsSince = performance.now();
    await new Promise<void>((resolve) => {
      if (response.writableFinished) resolve();
      response.once("finish", resolve);
      void closed.then(resolve);
    });
    if (message.complete || message.destroyed) return;
    this.#isDiscarding = true;
    this.#waitsSince = performance.now();
    message.resume();
    await new Promise<void>((resolve) => {
      message.once("end", resolve);
      message.once("close", resolve);
    });
  }
}
