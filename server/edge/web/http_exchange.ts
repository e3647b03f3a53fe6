import type { IncomingMessage, ServerResponse } from "node:http";

/** A part of an answer that is handed to the system at once: a slow reader is seen to take it. */
const PART_BYTES = 64 << 10;
/** Of a body that comes faster than it is read, so much waits before its sender is held back. */
const MAX_WAITING_BYTES = 256 << 10;
const NO_BODY = new Set([101, 204, 205, 304]);

const TOO_SLOW = "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/** Times after which an exchange is ended, ms. */
interface StallLimits {
  stallMs: number;
  lingerMs: number;
}

/**
 * The address that a request asks for; its scheme is the connection's, which no request can claim.
 * @returns `null`: it has several Host headers (RFC 9112 §3.2), or its absolute address names
 *   another host than they do.
 */
function addressOf(
  { url = "/", headers: { host = "localhost" }, rawHeaders, socket }: IncomingMessage,
) {
  const hosts = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) return null;
  const origin = `${"encrypted" in socket ? "https" : "http"}://${host}`;
  if (url.startsWith("/")) return origin + url;
  const target = URL.parse(url);
  // "OPTIONS *"
  if (target === null || !/^https?:$/.test(target.protocol)) return `${origin}/`;
  const isOurs = URL.parse(`${target.protocol}//${host}`)?.host === target.host;
  return isOurs ? origin + target.pathname + target.search : null;
}

/** One request and its answer, between node:http and a function of Fetch's kind. */
export class Exchange {
  /** the connection speaks another protocol from now on */
  isUpgraded = false;
  readonly ended: Promise<void>;
  readonly #end: () => void;
  /** performance.now() since which the site waits for the other side; `null`: it does not */
  #waitsSince: number | null = null;
  /** the remaining body is read and thrown away: the answer does not need it */
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
    // an "error" event without a listener ends the process; both are followed by "close", which is
    // handled
    message.on("error", () => {});
    response.on("error", () => {});
  }

  /** Answers; never rejects. A caller that hangs up before the end aborts the request's signal. */
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
      // half an answer must not look like a whole one; the handler has logged the reason
      response.destroy();
      this.message.destroy();
    } finally {
      this.#waitsSince = null;
      this.#end();
    }
  }

  /** Ends the connection when the other side has neither sent nor taken anything for too long. */
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
    // a reader that takes nothing would not take the end either
    if (this.response.headersSent) socket.destroy();
  }

  /** `null`: its address or its headers cannot be read. */
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

  /** The body as it comes; its sender is held back while the handler does not read. */
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
      // the unread part of a body must not be taken for the next request
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

  /**
   * Hands bytes to the system as fast as the other side takes them. @throws Error when it has hung
   * up.
   */
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

  /** Waits until the answer is taken, and reads the rest of the request's body, for a while. */
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
