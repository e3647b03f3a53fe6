import * as z from "zod/mini";
import { AppError } from "@/model/errors.ts";
import { serverEvent } from "@/model/schema/events.ts";
import type { CoreHttp } from "@/edge/core_http.ts";
import type { CoreVoice, Listener } from "@/edge/core_voice.ts";
import { BEAT_EVERY_MS, EDGE_CALLS, sessionAnswer, tokenAnswer } from "@/edge/edge_service.ts";
import type { Followed, Following, Log, TokenOwner } from "@/edge/site.ts";
import { Upstream } from "@/edge/upstream.ts";

/** Sessions asked for within this time are asked for together, ms. */
const TOGETHER_MS = 5;

const told = z.object({
  event: serverEvent,
  audience: z.object({ uid: z.optional(z.number()), sid: z.optional(z.string()) }),
});

/** A core of this very kind that knows the edge by a key: one socket tells everything for everybody. */
export class KeyedVoice implements CoreVoice {
  #upstream: Upstream | null = null;
  #asked: { sids: Set<string>; open: Promise<Set<string>> } | null = null;

  constructor(
    private readonly http: CoreHttp,
    private readonly key: string,
    private readonly listener: Listener,
    private readonly log: Log,
  ) {}

  async verifyToken(token: string): Promise<TokenOwner | null> {
    // a ticket is used up by it: no answer is kept
    return (await this.#ask(EDGE_CALLS.tokens, { token }, tokenAnswer)).owner;
  }

  async isSessionOpen(sid: string): Promise<boolean> {
    if (this.#asked === null) {
      const sids = new Set<string>();
      const open = new Promise<void>((resolve) => setTimeout(resolve, TOGETHER_MS)).then(async () => {
        this.#asked = null;
        const answer = await this.#ask(EDGE_CALLS.sessions, { sid_list: [...sids] }, sessionAnswer);
        return new Set(answer.sid_list);
      });
      this.#asked = { sids, open };
    }
    this.#asked.sids.add(sid);
    return (await this.#asked.open).has(sid);
  }

  async follow(followed: Followed): Promise<Following> {
    const upstream = this.#upstream ??= this.#open();
    try {
      return await upstream.follow(followed);
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
      onMessage: (text) => {
        // the beat is an empty object
        const message = text === "{}" ? null : told.safeParse(JSON.parse(text));
        if (message?.success) this.listener(message.data.event, message.data.audience);
        else if (message !== null) this.log("warn", "Ignoring an event that this version does not know");
      },
      onEnd: () => {
        if (this.#upstream === upstream) this.#upstream = null;
      },
      silenceMs: 2.5 * BEAT_EVERY_MS,
      ownerOf: (_followed, renewed) => renewed,
    });
    return upstream;
  }

  /** @throws AppError `core.unreachable`, also when the core does not take the key. */
  async #ask<T extends z.ZodMiniType>(path: string, question: unknown, schema: T): Promise<z.output<T>> {
    const answer = await this.http.fetch(
      new Request(`http://core${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json" },
        body: JSON.stringify(question),
      }),
    );
    if (answer.ok) return schema.parse(await answer.json());
    await answer.body?.cancel();
    const why = answer.status === 403 || answer.status === 404
      ? "it does not take the key of SULCUS_CORE_KEY"
      : `answer ${answer.status}`;
    this.log("error", `Cannot ask the core: ${why}`);
    throw new AppError("core.unreachable", `Cannot ask the core: ${why}`);
  }
}
