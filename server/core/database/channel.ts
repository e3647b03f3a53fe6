/// <reference path="./pg.d.ts" />
import type { Client } from "pg";
import type { Log } from "@/model/site/log.ts";
import type { Database } from "@/server/core/database/database.ts";
import { newClient } from "@/server/core/database/postgres.ts";

const NAME = "sulcus";
/** Maximum message size, bytes: PostgreSQL refuses notifications of 8,000 bytes or more. */
export const MAX_MESSAGE_BYTES = 7_900;
const MAX_WAITING = 10_000;
const RECONNECT_MS = 1_000;

/** Times of the test of a connection, ms: between two tests, and for an answer. */
interface ProbeTimes {
  everyMs: number;
  answerMs: number;
}
const PROBE: ProbeTimes = { everyMs: 30_000, answerMs: 10_000 };

/** Receives messages of other server processes that use the same database. */
interface ChannelListener {
  /**
   * Called for each message; messages of one process arrive in the order in which they were sent.
   */
  message(text: string): void;
  /** Called after a lost connection is restored: messages in between were lost. */
  missed(): void;
}

/** Short messages between processes on one PostgreSQL database (LISTEN and NOTIFY). */
export class Channel {
  #client: Client | null = null;
  #pid = 0;
  #waiting: string[] = [];
  #sending: Promise<void> | null = null;
  #isSending = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #probes: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  private constructor(
    private readonly db: Database,
    private readonly listener: ChannelListener,
    private readonly log: Log,
    private readonly probe: ProbeTimes,
  ) {}

  /** @returns `null` for SQLite, which only this process uses. */
  static async open(
    db: Database,
    listener: ChannelListener,
    log: Log,
    probe = PROBE,
  ): Promise<Channel | null> {
    if (!newClient(db)) return null;
    const channel = new Channel(db, listener, log, probe);
    await channel.#connect();
    return channel;
  }

  /** Sends a message to all other processes, in order; waits while the database is unavailable. */
  send(text: string): void {
    if (this.#isClosed) return;
    if (this.#waiting.length >= MAX_WAITING) this.#waiting.shift();
    this.#waiting.push(text);
    this.#flush();
  }

  /** Closes the connection after all queued messages were sent. */
  async close(): Promise<void> {
    await this.#sending;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#probes);
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = newClient(this.db)!;
    const lose = (error?: Error) => {
      if (this.#client !== client || this.#isClosed) return;
      this.#client = null;
      clearInterval(this.#probes);
      this.log("warn", "Lost the other processes", { error: error?.message ?? "connection ended" });
      this.#reconnect();
    };
    client.on("error", lose);
    client.on("end", () => lose());
    client.on("notification", ({ processId, payload }) => {
      if (processId !== this.#pid && payload !== undefined) this.listener.message(payload);
    });
    try {
      await client.connect();
      const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
      this.#pid = Number(rows[0].pid);
      await client.query(`LISTEN ${NAME}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    this.#probes = setInterval(() => this.#test(client, lose), this.probe.everyMs);
    this.#flush();
  }

  /**
   * Asks the database for an answer. A firewall may drop an idle connection without closing it, and
   * node-postgres reports nothing then: messages would just stop to arrive, for hours.
   */
  #test(client: Client, lose: (error: Error) => void): void {
    client.query({ text: "SELECT 1", query_timeout: this.probe.answerMs }).catch((error: Error) => {
      lose(error);
      // destroys the connection, because the query is unanswered
      client.end().catch(() => {});
    });
  }

  #reconnect(): void {
    this.#timer = setTimeout(() => {
      this.#connect().then(() => this.listener.missed(), () => {
        if (!this.#isClosed) this.#reconnect();
      });
    }, RECONNECT_MS);
  }

  #flush(): void {
    if (!this.#isSending) this.#sending = this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0 && this.#client) {
      const text = this.#waiting[0]!;
      try {
        await this.#client.query("SELECT pg_notify($1, $2)", [NAME, text]);
      } catch (error) {
        // the message is kept, and sent again when the connection is restored
        if (this.#client === null) break;
        this.log("warn", "Cannot tell the other processes", { error: String(error) });
      }
      if (this.#waiting[0] === text) this.#waiting.shift();
    }
    // set without `await`, so that a message queued after the last check starts a new run
    this.#isSending = false;
  }
}
