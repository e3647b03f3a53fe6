import {
  type ContextEvent,
  type ContextSubject,
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
/** Maximum number of subscriptions of this process, and of events that are recognised. */
const MAX_USERS = 500, MAX_OWN_IDS = 20, MAX_SEEN = 100;
/** Time for the hub to answer at the end of the site, ms. */
const END_MS = 2000;

interface Follower {
  connection: HubConnection;
  topic: string;
  /** newest event of another application */
  latest: ContextEvent | null;
  /** whether a page has taken it, and which, if the page has said */
  isTaken: boolean;
  takenBy: string | null;
  isRefused: boolean;
  /** study that the hub's applications show, as far as the hub has said; `null`: none */
  hubStudy: { studyUid: string; patientId: string } | null;
  /** {@link keyOf} of the event that set the context, or identifier of an own event; "": none */
  context: string;
  /** keys of received events: the hub delivers an event again when a reply was lost */
  seen: string[];
  /** study that this site has opened at the hub */
  published: SharedStudy | null;
  /** whether the hub has refused the newest study that this site has opened */
  isUnshared: boolean;
  /** identifiers of the events that this site has sent, which the hub may send back */
  ownIds: string[];
  /** newest own event that the hub has sent back */
  echoedId: string;
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

/** Key of an event: all content, because an identifier may be used again for another patient. */
const keyOf = ({ id, stamp, name, subject }: ContextEvent): string =>
  JSON.stringify([id, stamp, name, subject]);

/** Whether a close names what an open has shown: the study, or else the patient. */
function isCloseOf(closed: ContextSubject, opened: Partial<ContextSubject>): boolean {
  for (const key of ["studyUid", "accessionNumber"] as const) {
    if (closed[key] && opened[key]) return closed[key] === opened[key];
  }
  return closed.patientId === opened.patientId;
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

  /** State of a user's subscription, which is started if the user has none. */
  stateOf(uid: number, email: string): ContextState {
    const topic = topicOf(this.options.settings, email);
    const follower = this.#followers.get(uid) ?? this.#begin(uid, topic);
    if (follower === null) return { state: "unreachable", hub: this.hub, event_id: null };
    follower.calledMs = performance.now();
    const { latest, isTaken, connection, isUnshared } = follower;
    return {
      state: connection.state === "following" && isUnshared ? "unshared" : connection.state,
      hub: this.hub,
      event_id: isTaken ? null : latest?.id ?? null,
    };
  }

  /**
   * Newest event of the user, for the one page that follows the event.
   * `null` when another page has taken the event, or a newer event has arrived.
   *
   * @param page Identifier of the page, which may ask again because an answer may be lost.
   */
  take(uid: number, eventId: string, page: string | null = null): ContextEvent | null {
    const follower = this.#followers.get(uid);
    if (!follower || follower.latest?.id !== eventId) return null;
    if (follower.isTaken && (page === null || follower.takenBy !== page)) return null;
    follower.isTaken = true;
    follower.takenBy = page;
    return follower.latest;
  }

  /** Informs the hub that the newest event was not followed; at most once. */
  async refuse(uid: number, eventId: string): Promise<void> {
    const follower = this.#followers.get(uid), event = follower?.latest;
    if (!follower || event?.id !== eventId || follower.isRefused) return;
    follower.isTaken = true;
    follower.isRefused = true;
    await this.#send(follower, crypto.randomUUID(), (facts) => refusalEvent(event, facts));
  }

  /**
   * Informs the hub which study a page shows; `null` if none. A study that another application has
   * opened is not opened again, and only a study that this site opened is closed.
   */
  async show(uid: number, study: SharedStudy | null): Promise<void> {
    const follower = this.#followers.get(uid);
    if (!follower) return;
    const { published, hubStudy } = follower;
    if (study === null) {
      this.#setUnshared(uid, follower, false);
      if (published === null) return;
      follower.published = null;
      follower.hubStudy = null;
      await this.#sendOwn(follower, "ImagingStudy-close", published);
      return;
    }
    const isOfHub = hubStudy?.studyUid === study.studyUid &&
      hubStudy.patientId === study.patientId;
    // without a patient ID, other applications could not identify the patient of the study
    if (isOfHub || study.patientId === "") return;
    follower.published = study;
    follower.hubStudy = study;
    const { id, isSent } = await this.#sendOwn(follower, "ImagingStudy-open", study);
    const isContext = follower.context === id;
    if (isContext) this.#setUnshared(uid, follower, !isSent);
    if (!isSent && isContext) {
      // not shared: removed from the state, so that the page's next attempt goes to the hub
      follower.published = null;
      follower.hubStudy = null;
      follower.context = "";
    } else if (isSent && isContext) {
      // the hub had sent the waiting event before
      follower.latest = null;
    } else if (isSent && follower.echoedId !== id) {
      // the order of two simultaneous opens is unknown: the page announces the next study
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
      takenBy: null,
      isRefused: true,
      isUnshared: false,
      hubStudy: null,
      context: "",
      seen: [],
      published: null,
      ownIds: [],
      echoedId: "",
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
    // a page may have called in the meantime
    if (this.#followers.get(uid) === follower) this.#followers.delete(uid);
    await follower.connection.close();
  }

  /** Notifies pages of a changed state only: an attempt that fails again causes no further call. */
  #setUnshared(uid: number, follower: Follower, isUnshared: boolean): void {
    if (follower.isUnshared === isUnshared) return;
    follower.isUnshared = isUnshared;
    this.#notify(uid);
  }

  #notify(uid: number): void {
    this.options.publish({ event: "context_update" }, { uid });
  }

  #receive(uid: number, message: HubMessage): void {
    const follower = this.#followers.get(uid);
    if (!follower || message.kind === "denied") return;
    if (message.kind === "confirmed") {
      // the next event is the current context, even if it was sent long before
      follower.seen = [];
      follower.ownIds = follower.ownIds.slice(-1);
      return;
    }
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
    const { event } = message;
    if (!this.#isNews(follower, event)) return connection.reply(event.id, 200);
    this.#adopt(follower, event);
    connection.reply(event.id, 202);
    this.#notify(uid);
  }

  /**
   * Whether an event changes the context. The order of arrival decides, because the clocks of
   * applications differ. No change: repeated events, most events of this site, closes of studies
   * that are not shown.
   */
  #isNews(follower: Follower, event: ContextEvent): boolean {
    const { ownIds, latest, hubStudy } = follower, isClose = event.name.endsWith("-close");
    if (ownIds.includes(event.id)) {
      const isNewest = ownIds.at(-1) === event.id;
      if (isNewest) follower.echoedId = event.id;
      // after another application's open in between, the hub has this site's event as the later
      return isNewest && !isClose && follower.context !== event.id;
    }
    const key = keyOf(event);
    if (follower.seen.includes(key) || follower.context === key) return false;
    follower.seen = [...follower.seen, key].slice(-MAX_SEEN);
    const opened = latest?.name.endsWith("-open") ? latest.subject : hubStudy;
    return !isClose || opened === null || isCloseOf(event.subject, opened);
  }

  #adopt(follower: Follower, event: ContextEvent): void {
    const { subject } = event, isOwn = follower.ownIds.includes(event.id);
    follower.context = isOwn ? event.id : keyOf(event);
    follower.latest = event;
    follower.isTaken = false;
    follower.takenBy = null;
    follower.isRefused = false;
    follower.isUnshared = false;
    // the context belongs to the other application from now on
    follower.published = null;
    follower.hubStudy = event.name === "ImagingStudy-open" && subject.studyUid !== null &&
        subject.patientId !== null
      ? { studyUid: subject.studyUid, patientId: subject.patientId }
      : null;
  }

  /** Sends an open or a close of this site. */
  async #sendOwn(
    follower: Follower,
    name: "ImagingStudy-open" | "ImagingStudy-close",
    study: SharedStudy,
  ): Promise<{ id: string; isSent: boolean }> {
    const id = crypto.randomUUID();
    follower.ownIds = [...follower.ownIds, id].slice(-MAX_OWN_IDS);
    if (name === "ImagingStudy-open") follower.context = id;
    const isSent = await this.#send(follower, id, (facts) => studyEvent(name, facts, study));
    return { id, isSent };
  }

  async #send(
    follower: Follower,
    id: string,
    make: (facts: { id: string; topic: string; nowMs: number }) => unknown,
  ): Promise<boolean> {
    const event = make({ id, topic: follower.topic, nowMs: Date.now() });
    const sent = follower.sending.then(() => follower.connection.publish(event));
    follower.sending = sent;
    return await sent;
  }
}
