import type { Subscriber, Subscription, TokenOwner } from "@/server/edge/remote/core_link.ts";

/** Time limit for opening a socket to the core, after which the socket counts as refused. */
const OPEN_TIMEOUT_MS = 2000;
/** Delay before an unused socket to the core is closed: the last browser may be changing pages. */
const LINGER_MS = 5000;

interface UpstreamOptions {
  /** address and headers of the socket to the core; called for each connection */
  connect: () => { url: URL; headers?: Record<string, string> };
  /** HTTP client that uses no proxy */
  client: Deno.HttpClient;
  onMessage: (text: string) => void;
  /** called when the connection to the core has ended or is no longer needed */
  onEnd: () => void;
  /** silence after which the connection counts as lost; `null`: never */
  silenceMs: number | null;
  /** owner of a browser socket after its session token was renewed */
  ownerOf: (subscriber: Subscriber, renewed: TokenOwner) => TokenOwner;
  onRenew?: (subscriber: Subscriber) => void;
}

/**
 * One socket to the core, shared by any number of browser sockets.
 * A socket that has ended cannot be reopened.
 */
export class Upstream {
  readonly #subscribers = new Set<Subscriber>();
  readonly #socket: WebSocket;
  readonly #opening: Promise<void>;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #hasEnded = false;

  constructor(private readonly options: UpstreamOptions) {
    const { client } = options, { url, headers } = options.connect();
    url.protocol = url.protocol.replace("http", "ws");
    // passes headers and a client, which Deno accepts but the DOM types lack
    const socket = this.#socket = new WebSocket(url, { headers, client } as unknown as string[]);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#opening = promise;
    const timer = setTimeout(() => this.end(), OPEN_TIMEOUT_MS);
    socket.onopen = () => {
      clearTimeout(timer);
      this.#heard();
      resolve();
    };
    socket.onmessage = ({ data }) => {
      this.#heard();
      if (typeof data === "string" && !this.#hasEnded) options.onMessage(data);
    };
    socket.onerror = socket.onclose = () => {
      clearTimeout(timer);
      reject(new Error("The core's socket did not open"));
      this.end();
    };
    promise.catch(() => {});
  }

  /** Resolves once events can arrive. @throws Error when the core refuses the connection. */
  async addSubscriber(subscriber: Subscriber): Promise<Subscription> {
    clearTimeout(this.#linger);
    this.#subscribers.add(subscriber);
    try {
      await this.#opening;
      if (this.#hasEnded) throw new Error("The core's socket has closed");
    } catch (error) {
      this.#subscribers.delete(subscriber);
      throw error;
    }
    return {
      renew: (owner) => {
        this.options.onRenew?.(subscriber);
        return this.options.ownerOf(subscriber, owner);
      },
      end: () => {
        if (!this.#subscribers.delete(subscriber) || this.#subscribers.size > 0 || this.#hasEnded) {
          return;
        }
        this.#linger = setTimeout(() => this.end(), LINGER_MS);
        Deno.unrefTimer(this.#linger as unknown as number);
      },
    };
  }

  /** Current token of a subscribed session; `null` when all sessions have ended. */
  async token(): Promise<string | null> {
    for (const subscriber of [...this.#subscribers].reverse()) {
      const token = await subscriber.token().catch(() => null);
      if (token !== null) return token;
    }
    return null;
  }

  send(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  /** Closes the connection and notifies all subscribers. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#linger);
    clearTimeout(this.#silence);
    try {
      this.#socket.close();
    } catch { /* it was never open */ }
    this.options.onEnd();
    for (const subscriber of [...this.#subscribers]) subscriber.lost();
  }

  #heard(): void {
    const { silenceMs } = this.options;
    if (silenceMs === null || this.#hasEnded) return;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.end(), silenceMs);
    Deno.unrefTimer(this.#silence as unknown as number);
  }
}
