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

/** Time in ms after a page's last call when its subscription ends; pages call once a minute. */
const IDLE_MS = 4 * 60_000, SWEEP_MS = 30_000;
/** Maximum numbers: subscriptions of this process, remembered own events, remembered hub events. */
const MAX_USERS = 500, MAX_OWN_IDS = 20, MAX_SEEN = 100;
/** Time in ms for which the hub may answer when the server stops. */
const END_MS = 2000;

interface Follower {
  connection: HubConnection;
  topic: string;
  /** newest event that another application has sent to the hub */
  latest: ContextEvent | null;
  /** whether a page has taken the newest event; if the page gave its identifier, which page */
  isTaken: boolean;
  takenBy: string | null;
  isRefused: boolean;
  /** study that the hub's applications now show, according to the last event; `null`: none */
  hubStudy: { studyUid: string; patientId: string } | null;
  /** {@link keyOf} of the event that set the hub's context, or identifier of this site's event */
  context: string;
  /** keys of received events: the hub delivers an event again if our reply was lost */
  seen: string[];
  /** study that this site has opened at the hub; `null` without any */
  published: SharedStudy | null;
  /** whether the hub has refused the study that this site opened last */
  isUnshared: boolean;
  /** identifiers of events that this site has sent; the hub may send these back */
  ownIds: string[];
  /** identifier of this site's newest event that the hub has sent back */
  echoedId: string;
  /** monotonic time of the last call of a page, ms */
  calledMs: number;
  /** resolves when the last event was sent: events are sent one after another */
  sending: Promise<unknown>;
}

interface ContextSharingOptions {
  settings: HubSettings;
  log: Log;
  publish: (event: ServerEvent, audience: Audience) => void;
  idleMs?: number;
}

/** Key of an event, made of its content: hubs may reuse an identifier for another patient. */
const keyOf = ({ id, stamp, name, subject }: ContextEvent): string =>
  JSON.stringify([id, stamp, name, subject]);

/** Whether a close event is about the subject of an open event: its study, or else its patient. */
function isCloseOf(closed: ContextSubject, opened: Partial<ContextSubject>): boolean {
  for (const key of ["studyUid", "accessionNumber"] as const) {
    if (closed[key] && opened[key]) return closed[key] === opened[key];
  }
  return closed.patientId === opened.patientId;
}

/** Shares the context of all users of this process: one hub subscription per user with a page. */
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

  /** State of a user's subscription. The subscription is started if the user has none. */
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
   * Newest event for a user, which only one page of the user may follow.
   * `null` if another page has taken the event, or a newer event has arrived.
   *
   * @param page Identifier of the page, which may ask again if the response was lost.
   */
  take(uid: number, eventId: string, page: string | null = null): ContextEvent | null {
    const follower = this.#followers.get(uid);
    if (!follower || follower.latest?.id !== eventId) return null;
    if (follower.isTaken && (page === null || follower.takenBy !== page)) return null;
    follower.isTaken = true;
    follower.takenBy = page;
    return follower.latest;
  }

  /** Informs the hub that the newest event was not followed; sent at most once. */
  async refuse(uid: number, eventId: string): Promise<void> {
    const follower = this.#followers.get(uid), event = follower?.latest;
    if (!follower || event?.id !== eventId || follower.isRefused) return;
    follower.isTaken = true;
    follower.isRefused = true;
    await this.#send(follower, crypto.randomUUID(), (facts) => refusalEvent(event, facts));
  }

  /**
   * Informs the hub which study a page shows, `null` for none.
   * A study that another application opened is not opened again; only own studies are closed.
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
      // the hub did not accept the study: the state forgets it, so that the next attempt is sent
      follower.published = null;
      follower.hubStudy = null;
      follower.context = "";
    } else if (isSent && isContext) {
      // the event that waited for a page is older than the study that was just opened
      follower.latest = null;
    } else if (isSent && follower.echoedId !== id) {
      // another application may have opened a study at the same time: the next study is always sent
      follower.hubStudy = null;
    }
  }

  /** Ends all subscriptions. A hub that does not answer delays the stop of the server by 2 s. */
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
    // a page may have started a new subscription in the meantime
    if (this.#followers.get(uid) === follower) this.#followers.delete(uid);
    await follower.connection.close();
  }

  /** Notifies pages only if the state changes, so that repeated failures cause no further calls. */
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
      // after a subscription, the first event is the current context, even if it was sent long ago
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
   * Whether an event changes the context of a user.
   * The order of arrival decides, because the clocks of applications differ.
   * No change: repeated events, most events of this site, and closes of studies not shown.
   */
  #isNews(follower: Follower, event: ContextEvent): boolean {
    const { ownIds, latest, hubStudy } = follower, isClose = event.name.endsWith("-close");
    if (ownIds.includes(event.id)) {
      const isNewest = ownIds.at(-1) === event.id;
      if (isNewest) follower.echoedId = event.id;
      // if another application opened a study in between, the hub counts this site's event as later
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
    // from now on the context belongs to the application that sent the event
    follower.published = null;
    follower.hubStudy = event.name === "ImagingStudy-open" && subject.studyUid !== null &&
        subject.patientId !== null
      ? { studyUid: subject.studyUid, patientId: subject.patientId }
      : null;
  }

  /** Sends an open or close event of this site to the hub. */
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
