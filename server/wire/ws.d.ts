/** Types of the npm package ws, as far as they are used. */
declare module "ws" {
  import type { IncomingMessage } from "node:http";
  import type { Duplex } from "node:stream";
  export class WebSocket extends globalThis.WebSocket {
    /** Opens a WebSocket connection to another system. */
    constructor(address: string, options: {
      maxPayload: number;
      maxFragments: number;
      maxBufferedChunks: number;
      perMessageDeflate: false;
      followRedirects: false;
      handshakeTimeout: number;
    });
    ping(): void;
    terminate(): void;
    pause(): void;
    emit(event: "open"): boolean;
    on(event: "message" | "ping" | "pong" | "error", listener: () => void): this;
    once(event: "close", listener: () => void): this;
  }
  export class WebSocketServer {
    constructor(options: {
      noServer: true;
      maxPayload: number;
      maxFragments: number;
      maxBufferedChunks: number;
      closeTimeout: number;
      perMessageDeflate: false;
    });
    /** Calls `callback` at once, or answers an invalid WebSocket handshake with an HTTP error. */
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Uint8Array,
      callback: (socket: WebSocket) => void,
    ): void;
  }
}
