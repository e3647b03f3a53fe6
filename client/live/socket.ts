import type { ClientEvent, ServerEvent } from "@/model/schema/site/events.ts";

/** Delay before a reconnection attempt (D1 §9). */
export const RECONNECT_DELAY_MS = 2000;

/** Event schemas, loaded with the first event, because a page without events does not need them. */
const loadSchemas = () => import("@/model/schema/site/events.ts");

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export type SocketState = "connecting" | "open" | "waiting" | "stopped";

interface LiveSocketOptions {
  url: string;
  onEvent: (event: ServerEvent) => void;
  /** called after each successful connection, when the data on screen may be outdated */
  onOpen: () => void;
  /** `false`: the session has ended. `null`: the server did not respond, so try again. */
  hasSession: () => Promise<boolean | null>;
  /** called once when the session has ended */
  onSignedOut: () => void;
  onState?: (state: SocketState) => void;
  /** called if the event schemas could not be loaded, because the page is of an earlier version */
  onStale?: (error: unknown) => void;
  /** called with a text for the log when a message is dropped */
  log?: (message: string) => void;
  reconnectDelayMs?: number;
}

/** The real-time channel: reconnects until the session has ended or `stop` is called. */
export class LiveSocket {
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;
  /** Queue that processes events one after another. */
  #reading: Promise<void> = Promise.resolve();

  constructor(private readonly options: LiveSocketOptions) {
    this.#connect();
  }

  /** Sends a message if the socket is open; otherwise the message is dropped and logged. */
  send(event: ClientEvent): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(event));
    else this.options.log?.(`Dropping ${event.event}: the socket is not open`);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
    this.options.onState?.("stopped");
  }

  /**
   * Closes the socket when the browser is offline; the socket itself notices that minutes later.
   */
  drop(): void {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) return;
    this.#socket = null;
    socket.close();
    void this.#afterClose();
  }

  /** Reconnects the socket after {@link stop}. */
  restart(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#connect();
  }

  #connect(): void {
    const { url, onOpen, onState } = this.options;
    onState?.("connecting");
    const socket = this.#socket = new WebSocket(url);
    socket.onopen = () => {
      onState?.("open");
      onOpen();
    };
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = () => {
      if (socket === this.#socket) void this.#afterClose();
    };
  }

  #receive(data: unknown): void {
    if (typeof data !== "string") return;
    this.#reading = this.#reading.then(() => this.#read(data)).catch((error) =>
      this.options.log?.(`Cannot follow an event: ${error}`)
    );
  }

  async #read(text: string): Promise<void> {
    const schemas = await loadSchemas().catch((error) => this.options.onStale?.(error));
    if (!schemas || this.#isStopped) return;
    const parsed = schemas.serverEvent.safeParse(jsonIn(text));
    if (parsed.success) this.options.onEvent(parsed.data);
    else this.options.log?.("Ignoring an unknown event");
  }

  async #afterClose(): Promise<void> {
    if (this.#isStopped) return;
    this.options.onState?.("waiting");
    const signedIn = await this.options.hasSession().catch(() => null);
    if (this.#isStopped) return;
    if (signedIn === false) {
      this.#isStopped = true;
      this.options.onState?.("stopped");
      return this.options.onSignedOut();
    }
    this.#timer = setTimeout(
      () => this.#connect(),
      this.options.reconnectDelayMs ?? RECONNECT_DELAY_MS,
    );
  }
}
