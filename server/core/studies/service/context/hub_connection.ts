/// <reference path="../../../../wire/ws.d.ts" />
// Subscription of one user at a FHIRcast hub: an HTTP request, then events over a WebSocket.
// The hub is another system, so sizes, rates and times of all its data are limited.
import { WebSocket } from "ws";
import {
  FOLLOWED_EVENTS,
  type HubMessage,
  MAX_HUB_MESSAGE_BYTES,
  readHubMessage,
} from "@/model/launch/hub_message.ts";
import type { Log } from "@/model/site/log.ts";
import {
  endpointOf,
  type HubSettings,
} from "@/server/core/studies/service/context/hub_settings.ts";
import { BodyBudget, readBody } from "@/server/wire/body.ts";

/** Maximum size of the response to a subscription, which contains only a WebSocket URL. */
const MAX_ANSWER_BYTES = 16 << 10;
/** Time in ms for an HTTP response and for the WebSocket handshake. */
const ANSWER_MS = 10_000;
/** Interval of pings in ms; without a pong before the next ping, the connection counts as lost. */
const PING_MS = 30_000;
/** Maximum number of hub messages per interval; a user opens only a few studies per minute. */
const MAX_MESSAGES = 60, RATE_MS = 60_000;
/** Delay in ms before the next attempt to connect: first value, doubled up to the maximum. */
const FIRST_DELAY_MS = 1000, MAX_DELAY_MS = 5 * 60_000;
/** Time in ms for which a connection must last before delays begin again with the first value. */
const STABLE_MS = 60_000;
/** Maximum fragments per message, and packets per frame: ws keeps 100 bytes for each. */
const MAX_FRAGMENTS = 64, MAX_PACKETS = 512;
/** Requested duration of a hub subscription, s. */
const LEASE_S = 7200;
const NORMAL_CLOSURE = 1000, POLICY_VIOLATION = 1008;

export type HubState = "connecting" | "following" | "unreachable";

interface HubConnectionOptions {
  settings: HubSettings;
  topic: string;
  log: Log;
  onMessage: (message: HubMessage) => void;
  onState: () => void;
}

/** A subscription of one topic at the hub, renewed until it is closed. */
export class HubConnection {
  state: HubState = "connecting";
  readonly #budget = new BodyBudget(MAX_ANSWER_BYTES);
  readonly #abort = new AbortController();
  #socket: WebSocket | null = null;
  #endpoint: URL | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pings: ReturnType<typeof setInterval> | undefined;
  /** monotonic time at which the WebSocket was opened; Infinity while there is none */
  #openedMs = Infinity;
  #failures = 0;
  #messages: number[] = [];

  constructor(private readonly options: HubConnectionOptions) {
    void this.#connect();
  }

  get isClosed(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Sends an event to the hub. @returns whether the hub accepted the event. */
  async publish(event: unknown): Promise<boolean> {
    try {
      const answer = await this.#post("application/json", JSON.stringify(event));
      await answer.body?.cancel();
      return answer.ok;
    } catch (error) {
      this.#note("Cannot send an event to the hub", error);
      return false;
    }
  }

  /** Answers an event of the hub. @param status HTTP status, sent as text as FHIRcast requires. */
  reply(id: string, status: 200 | 202 | 400 | 409): void {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) return;
    // unsent replies to a hub that does not read must not fill the memory
    if (socket.bufferedAmount > MAX_HUB_MESSAGE_BYTES) return this.#drop("the hub does not read");
    socket.send(JSON.stringify({ id, status: String(status) }));
  }

  /** Ends the subscription at the hub. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    clearTimeout(this.#timer);
    const endpoint = this.#endpoint, socket = this.#socket;
    if (socket !== null && endpoint !== null) {
      await this.#post(
        "application/x-www-form-urlencoded",
        new URLSearchParams({
          "hub.channel.type": "websocket",
          "hub.mode": "unsubscribe",
          "hub.topic": this.options.topic,
          "hub.channel.endpoint": endpoint.href,
        }).toString(),
      ).then((answer) => answer.body?.cancel(), () => {});
    }
    this.#abort.abort();
    this.#release();
    socket?.close(NORMAL_CLOSURE);
    // the connection is cut if the hub does not confirm its end
    const timer = setTimeout(() => socket?.terminate(), ANSWER_MS);
    Deno.unrefTimer(timer as unknown as number);
  }

  /** Ends the subscription at once, without informing the hub. */
  cut(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
    const socket = this.#socket;
    this.#release();
    socket?.terminate();
  }

  #post(type: string, body: string): Promise<Response> {
    const { url, token } = this.options.settings;
    return fetch(url, {
      method: "POST",
      body,
      headers: {
        "content-type": type,
        accept: "application/json",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      // a redirect could send the bearer token to another host
      redirect: "error",
      signal: AbortSignal.any([this.#abort.signal, AbortSignal.timeout(ANSWER_MS)]),
    });
  }

  async #connect(): Promise<void> {
    try {
      const endpoint = await this.#subscribe();
      if (!this.isClosed) this.#open(endpoint);
    } catch (error) {
      this.#note("Cannot subscribe at the hub", error);
      this.#retry();
    }
  }

  /** Subscribes at the hub. @returns the URL of the WebSocket for events. */
  async #subscribe(): Promise<URL> {
    const { settings, topic } = this.options;
    const answer = await this.#post(
      "application/x-www-form-urlencoded",
      new URLSearchParams({
        "hub.channel.type": "websocket",
        "hub.mode": "subscribe",
        "hub.topic": topic,
        "hub.events": FOLLOWED_EVENTS.join(","),
        "hub.lease_seconds": String(LEASE_S),
        "subscriber.name": "Sulcus",
      }).toString(),
    );
    if (answer.status !== 202) {
      await answer.body?.cancel();
      throw new Error(`status ${answer.status}`);
    }
    const body = await readBody(answer.body, {
      maxBytes: MAX_ANSWER_BYTES,
      budget: this.#budget,
      withinMs: ANSWER_MS,
    });
    const json = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown> | null;
    const endpoint = endpointOf(settings, json?.["hub.channel.endpoint"]);
    if (endpoint === null) throw new Error("the address of its WebSocket is not allowed");
    return endpoint;
  }

  #open(endpoint: URL): void {
    const socket = new WebSocket(endpoint.href, {
      maxPayload: MAX_HUB_MESSAGE_BYTES,
      maxFragments: MAX_FRAGMENTS,
      maxBufferedChunks: MAX_PACKETS,
      perMessageDeflate: false,
      followRedirects: false,
      handshakeTimeout: ANSWER_MS,
    });
    this.#socket = socket;
    this.#endpoint = endpoint;
    // counts messages of this connection only; a flood ends it, and growing delays limit the next
    this.#messages = [];
    let isAlive = true;
    this.#openedMs = performance.now();
    socket.onopen = () => {
      this.#pings = setInterval(() => {
        if (!isAlive) return this.#drop("no answer to a ping");
        isAlive = false;
        socket.ping();
      }, PING_MS);
    };
    socket.on("pong", () => void (isAlive = true));
    // after an error (message too long, no WebSocket) ws would wait 30 s for the hub to close
    socket.onerror = () => {
      if (this.#socket === socket) this.#drop("the WebSocket failed");
    };
    socket.onmessage = ({ data }) => this.#receive(socket, data);
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      this.#release();
      if (!this.isClosed) this.#retry();
    };
  }

  #receive(socket: WebSocket, data: unknown): void {
    if (this.#socket !== socket || this.isClosed) return;
    const nowMs = performance.now();
    this.#messages = this.#messages.filter((atMs) => nowMs - atMs < RATE_MS);
    if (this.#messages.push(nowMs) > MAX_MESSAGES) return this.#drop("too many messages");
    if (typeof data !== "string") return this.#drop("a message is not text");
    const message = readHubMessage(data);
    if (message.kind === "denied") return this.#drop("the subscription was denied");
    if (message.kind === "confirmed") this.#setState("following");
    this.options.onMessage(message);
  }

  /** Cuts the connection to a hub that breaks the rules, and connects again after a delay. */
  #drop(reason: string): void {
    this.#note("Cutting the connection to the hub", reason);
    const socket = this.#socket;
    this.#release();
    socket?.close(POLICY_VIOLATION);
    socket?.terminate();
    if (!this.isClosed) this.#retry();
  }

  #release(): void {
    clearInterval(this.#pings);
    this.#socket = null;
    this.#endpoint = null;
  }

  #retry(): void {
    if (this.isClosed) return;
    this.#setState("unreachable");
    if (performance.now() - this.#openedMs > STABLE_MS) this.#failures = 0;
    this.#openedMs = Infinity;
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures++);
    // random spread of the delays, so that the users of a site do not reconnect all at once
    const spreadMs = delayMs * (0.75 + Math.random() / 2) *
      (this.options.settings.delayFactor ?? 1);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#connect(), spreadMs);
    Deno.unrefTimer(this.#timer as unknown as number);
  }

  #setState(state: HubState): void {
    if (this.state === state) return;
    this.state = state;
    this.options.onState();
  }

  /** Logs the first failure of a series as a warning. The topic is omitted: it names a person. */
  #note(message: string, reason: unknown): void {
    if (this.isClosed) return;
    const level = this.#failures === 0 ? "warn" : "debug";
    const text = reason instanceof Error ? reason.message : String(reason);
    this.options.log(level, message, { reason: text.slice(0, 200) });
  }
}
