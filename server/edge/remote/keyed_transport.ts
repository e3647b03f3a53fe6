import * as z from "zod/mini";
import { AppError } from "@/model/errors.ts";
import { serverEvent } from "@/model/schema/site/events.ts";
import {
  type CoreTransport,
  type Listener,
  type Log,
  readResponse,
  type Subscriber,
  type Subscription,
  type TokenOwner,
} from "@/server/edge/remote/core_link.ts";
import type { CoreClient } from "@/server/edge/remote/core_client.ts";
import {
  EDGE_CALLS,
  HEARTBEAT_MS,
  sessionResponse,
  tokenResponse,
} from "@/server/edge/remote/edge_service.ts";
import { Upstream } from "@/server/edge/live/upstream.ts";

/** Interval in which requests are collected into one batch, ms. */
const BATCH_WINDOW_MS = 5;
const MAX_BATCH = 500;
/** Maximum token length; longer tokens are invalid and would make a batch too long for the core. */
const MAX_TOKEN_LENGTH = 256;

const pushedEvent = z.object({
  event: serverEvent,
  audience: z.object({ uid: z.optional(z.number()), sid: z.optional(z.string()) }),
});

/** Parses JSON; `null` when the text is not JSON, which matches no schema. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Batches requests that arrive almost simultaneously, as when many pages reconnect.
 * Each call opens a connection, which takes more memory than a browser's socket
 * until the next full garbage collection.
 */
class RequestBatcher<Answer> {
  #asked: { questions: string[]; answers: Promise<Answer[]> } | null = null;

  /** @param ask Sends a batch of requests and returns the responses in the same order. */
  constructor(private readonly ask: (questions: string[]) => Promise<Answer[]>) {}

  /** Response to one request; `undefined` without one. */
  async answer(question: string): Promise<Answer | undefined> {
    const { questions, answers } = this.#asked ??= this.#wait();
    const place = questions.push(question) - 1;
    if (questions.length === MAX_BATCH) this.#asked = null;
    return (await answers)[place];
  }

  #wait() {
    const questions: string[] = [];
    const answers = new Promise<void>((resolve) => setTimeout(resolve, BATCH_WINDOW_MS)).then(
      () => {
        if (this.#asked?.questions === questions) this.#asked = null;
        return this.ask(questions);
      },
    );
    return { questions, answers };
  }
}

/**
 * Transport to a Sulcus core that shares a key with the edge.
 * One socket carries the events of all users.
 */
export class KeyedTransport implements CoreTransport {
  #upstream: Upstream | null = null;
  readonly #owners = new RequestBatcher(async (token_list) =>
    (await this.#ask(EDGE_CALLS.tokens, { token_list }, tokenResponse)).owner_list
  );
  readonly #sessions = new RequestBatcher(async (sid_list) => {
    const open = new Set(
      (await this.#ask(EDGE_CALLS.sessions, { sid_list }, sessionResponse)).sid_list,
    );
    return sid_list.map((sid) => open.has(sid));
  });

  constructor(
    private readonly http: CoreClient,
    private readonly key: string,
    private readonly listener: Listener,
    private readonly log: Log,
  ) {}

  async verifyToken(token: string): Promise<TokenOwner | null> {
    // not cached, because verifying uses up a ticket
    return token.length > MAX_TOKEN_LENGTH ? null : await this.#owners.answer(token) ?? null;
  }

  async isSessionOpen(sid: string): Promise<boolean> {
    return await this.#sessions.answer(sid) ?? false;
  }

  async addSubscriber(subscriber: Subscriber): Promise<Subscription> {
    const upstream = this.#upstream ??= this.#open();
    try {
      return await upstream.addSubscriber(subscriber);
    } catch (cause) {
      throw new AppError("core.unreachable", "Cannot hear the core", {}, { cause });
    }
  }

  forget(): void {}

  lost(): void {
    this.#upstream?.end();
  }

  close(): void {
    this.lost();
  }

  #open(): Upstream {
    const upstream: Upstream = new Upstream({
      connect: () => ({
        url: this.http.address(EDGE_CALLS.events),
        headers: { authorization: `Bearer ${this.key}` },
      }),
      client: this.http.socketClient,
      onMessage: (text) => {
        // a heartbeat is an empty object
        if (text === "{}") return;
        const message = pushedEvent.safeParse(jsonOf(text));
        if (message.success) this.listener(message.data.event, message.data.audience);
        else this.log("warn", "Ignoring an event that this version does not know");
      },
      onEnd: () => {
        if (this.#upstream === upstream) this.#upstream = null;
      },
      silenceMs: 2.5 * HEARTBEAT_MS,
      ownerOf: (_followed, renewed) => renewed,
    });
    return upstream;
  }

  /** Calls the core. @throws AppError `core.unreachable`, also if the core refuses the key. */
  async #ask<T extends z.ZodMiniType>(
    path: string,
    question: unknown,
    schema: T,
  ): Promise<z.output<T>> {
    const answer = await this.http.fetch(
      new Request(`http://core${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json" },
        body: JSON.stringify(question),
      }),
    );
    if (answer.ok) return await readResponse(answer, schema);
    await answer.body?.cancel();
    const why = answer.status === 403 || answer.status === 404
      ? "it does not take the key of SULCUS_CORE_KEY"
      : `answer ${answer.status}`;
    this.log("error", `Cannot ask the core: ${why}`);
    throw new AppError("core.unreachable", `Cannot ask the core: ${why}`);
  }
}
