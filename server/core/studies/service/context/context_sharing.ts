import {
  type ContextEvent,
  type HubMessage,
  refusalEvent,
  type SharedStudy,
  studyEvent,
} from "@/model/launch/hub_message.ts";
import type { Log } from "@/model/site/log.ts";
import type { Audience, ServerEvent } from "@/model/schema/site/events.ts";
import type { ContextState } from "@/model/schema/studies/context.ts";
import { HubConnection } from "@/server/core/studies/service/context/hub_connection.ts";
import { type HubSettings, topicOf } from "@/server/core/studies/service/context/hub_settings.ts";

/** Time without a call of a page after which a subscription ends, ms; pages call once a minute. */
const IDLE_MS = 4 * 60_000, SWEEP_MS = 30_000;
/** Maximum number of subscriptions of this process, and of own events that are recognised. */
const MAX_USERS = 500, MAX_OWN_IDS = 20;
/** Time for the hub to answer at the end of the site, ms. */
const END_MS = 2000;
/** Difference between the clocks of two applications that is tolerated, ms. */
const CLOCK_SKEW_MS = 10_000;

interface Follower {
  connection: HubConnection;
  topic: string;
  /** newest event of another application */
  latest: ContextEvent | null;
  /** whether a page has taken it */
  isTaken: boolean;
  isRefused: boolean;
  /** study that the hub's applications show, as far as the hub has said; `null`: none */
  hubStudy: { studyUid: string; patientId: string } | null;
  /** time of the event that set the context, ms since the epoch; older events are ignored */
  contextMs: number;
  /** study that this site has opened at the hub */
  published: SharedStudy | null;
  /** identifiers of the events that this site has sent; the hub sends them back */
  ownIds: string[];
  /** monotonic time of the newest call of a page, ms */
  calledMs: number;
  /** events are sent one after another */
  sending: Promise<unknown>;
}

interface ContextSharingOptions {
  settings: HubSettings;
  log: Log;
  publish: (event: ServerEvent, audience: Audience) => void;
  idleMs?: number;
}

/** Context sharing of all users of this process; one subscription for each user with a page. */
export class ContextSharing {
  readonly #followers = new Map<number, Follower>();
  readonly #sweep: ReturnType<typeof setInterval>;

  constructor(private readonly options: ContextSharingOptions) {
    const idleMs = options.idleMs ?? IDLE_MS;
    this.#sweep = setInterval(() => {
      for (const [uid, { calledMs }] of this.#followers) {
        if (performance.now() - calledMs > idleMs) void this.#end(uid);
      }
    }, Math.min(SWEEP_MS, idleMs));
    Deno.unrefTimer(this.#sweep as unknown as number);
  }

  get hub(): string {
    return new URL(this.options.settings.url).host;
  }

  /** State of a user's subscription, which is begun if there is none. */
  stateOf(uid: number, email: string): ContextState {
    const topic = topicOf(this.options.settings, email);
    const follower = this.#followers.get(uid) ?? this.#begin(uid, topic);
    if (follower === null) return { state: "unreachable", hub: this.hub, event_id: null };
    follower.calledMs = performance.now();
    const { latest, isTaken, connection } = follower;
    return {
      state: connection.state,
      hub: this.hub,
      event_id: isTaken ? null : latest?.id ?? null,
    };
  }

  /**
   * Newest event of the user for the one page that follows it; `null` when it has been taken or a
   * newer one has arrived.
   */
  take(uid: number, eventId: string): ContextEvent | null {
    const follower = this.#followers.get(uid);
    if (!follower || follower.isTaken || follower.latest?.id !== eventId) return null;
    follower.isTaken = true;
    return follower.latest;
  }

  /** Informs the hub that the newest event was not followed; at most once. */
  async refuse(uid: number, eventId: string): Promise<void> {
    const follower = this.#followers.get(uid), event = follower?.latest;
    if (!follower || event?.id !== eventId || follower.isRefused) return;
    follower.isTaken = true;
    follower.isRefused = true;
    await this.#send(follower, (facts) => refusalEvent(event, facts));
  }

  /**
   * Informs the hub which study a page shows; `null`: none. A study that another application has
   * opened is not opened again, and only a study that this site opened is closed.
   */
  async show(uid: number, study: SharedStudy | null): Promise<void> {
    const follower = this.#followers.get(uid);
    if (!follower) return;
    const { published, hubStudy } = follower;
    if (study === null) {
      if (published === null) return;
      follower.published = null;
      follower.hubStudy = null;
      await this.#send(follower, (facts) => studyEvent("ImagingStudy-close", facts, published));
      return;
    }
    const isOfHub = hubStudy?.studyUid === study.studyUid &&
      hubStudy.patientId === study.patientId;
    // without an ID, other applications could not tell whose study it is
    if (isOfHub || study.patientId === "") return;
    follower.published = study;
    follower.hubStudy = study;
    const isSent = await this.#send(
      follower,
      (facts) => studyEvent("ImagingStudy-open", facts, study),
    );
    if (isSent) {
      follower.contextMs = Math.max(follower.contextMs, Date.now() - CLOCK_SKEW_MS);
    } else if (follower.published === study) {
      // the page repeats it when the hub answers again
      follower.published = null;
      follower.hubStudy = null;
    }
  }

  /** Ends all subscriptions; a hub that does not answer delays the end of the site by 2 s. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const followers = [...this.#followers];
    const timer = setTimeout(() => {
      for (const [, { connection }] of followers) connection.cut();
    }, END_MS);
    await Promise.all(followers.map(([uid]) => this.#end(uid)));
    clearTimeout(timer);
  }

  #begin(uid: number, topic: string): Follower | null {
    if (this.#followers.size >= MAX_USERS) return null;
    const { settings, log } = this.options;
    const follower: Follower = {
      connection: new HubConnection({
        settings,
        topic,
        log,
        onMessage: (message) => this.#receive(uid, message),
        onState: () => this.#notify(uid),
      }),
      topic,
      latest: null,
      isTaken: true,
      isRefused: true,
      hubStudy: null,
      contextMs: 0,
      published: null,
      ownIds: [],
      calledMs: performance.now(),
      sending: Promise.resolve(),
    };
    this.#followers.set(uid, follower);
    return follower;
  }

  async #end(uid: number): Promise<void> {
    const follower = this.#followers.get(uid);
    if (!follower) return;
    await this.show(uid, null).catch(() => {});
    // a page may have called meanwhile
    if (this.#followers.get(uid) === follower) this.#followers.delete(uid);
    await follower.connection.close();
  }

  #notify(uid: number): void {
    this.options.publish({ event: "context_update" }, { uid });
  }

  #receive(uid: number, message: HubMessage): void {
    const follower = this.#followers.get(uid);
    if (!follower || message.kind === "confirmed" || message.kind === "denied") return;
    const { connection } = follower;
    if (message.kind === "invalid") {
      if (message.id !== null) connection.reply(message.id, 400);
      return;
    }
    if (message.topic !== follower.topic) {
      connection.reply(message.kind === "event" ? message.event.id : message.id, 400);
      return;
    }
    if (message.kind === "other") return connection.reply(message.id, 200);
    const { event } = message, { subject } = event;
    // own, repeated and outdated events change nothing
    const isOld = event.atMs < follower.contextMs || event.id === follower.latest?.id;
    if (isOld || follower.ownIds.includes(event.id)) return connection.reply(event.id, 200);
    follower.contextMs = event.atMs;
    follower.latest = event;
    follower.isTaken = false;
    follower.isRefused = false;
    // the context belongs to the other application from now on
    follower.published = null;
    follower.hubStudy = event.name === "ImagingStudy-open" && subject.studyUid !== null &&
        subject.patientId !== null
      ? { studyUid: subject.studyUid, patientId: subject.patientId }
      : null;
    connection.reply(event.id, 202);
    this.#notify(uid);
  }

  async #send(
    follower: Follower,
    make: (facts: { id: string; topic: string; nowMs: number }) => unknown,
  ): Promise<boolean> {
    const id = crypto.randomUUID();
    follower.ownIds = [...follower.ownIds, id].slice(-MAX_OWN_IDS);
    const event = make({ id, topic: follower.topic, nowMs: Date.now() });
    const sent = follower.sending.then(() => follower.connection.publish(event));
    follower.sending = sent;
    return await sent;
  }
}
