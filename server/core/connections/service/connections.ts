import {
  type Connections as ConnectionsPage,
  ROWS_PER_PAGE,
} from "@/model/schema/connections/connections.ts";
import { type GateState, INBOX } from "@/server/gate/link/tasks.ts";
import { countArrivals, listArrivals } from "@/server/core/connections/storage/arrivals.ts";
import { countCommitments } from "@/server/core/connections/storage/commitments.ts";
import {
  listConnectionLog,
  receivedSince,
} from "@/server/core/connections/storage/connection_log.ts";
import {
  countOutbox,
  countSentSince,
  listOutbox,
  type OutboxEntry,
} from "@/server/core/connections/storage/outbox.ts";
import {
  answerCommitments,
  takeEvents,
} from "@/server/core/connections/service/inbox/gate_events.ts";
import { alarm } from "@/server/core/connections/service/alarm.ts";
import { Inbox } from "@/server/core/connections/service/inbox/inbox.ts";
import { InboxFiles } from "@/server/core/connections/service/inbox/inbox_files.ts";
import { noteOrders } from "@/server/core/connections/service/orders.ts";
import { countPending } from "@/server/core/connections/storage/result_changes.ts";
import { mayCall, Outbox } from "@/server/core/connections/service/outbox.ts";
import { MessageWorker } from "@/server/core/connections/service/hl7/message_worker.ts";
import { mergeRows, messageRows } from "@/server/core/connections/service/hl7/messages_page.ts";
import { Puller } from "@/server/core/connections/service/pulls.ts";
import { knownPeers } from "@/server/core/connections/service/known_peers.ts";
import { writeGateSettings } from "@/server/core/connections/service/peers.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { countOrders } from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";

const TICK_MS = 1000, SETTINGS_MS = 10_000, ALARM_MS = 60_000;
/** Age of the gate's last state file after which the gate (network process) counts as stopped. */
const GATE_SILENT_MS = 15_000;
const LISTED = 50, HOUR_MS = 3_600_000;
/** Maximum number of studies for which accession numbers are looked up in a pass. */
const ORDERS = 20;

/** Stores objects that the gate (network process) received, and sends results from the outbox. */
export class ConnectionsWorker {
  readonly #files: InboxFiles;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #puller: Puller;
  readonly #messages: MessageWorker;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #working: Promise<void> = Promise.resolve();
  #isClosed = false;
  #lastSettings = 0;
  #lastAlarm = 0;

  constructor(private readonly services: ServiceContext, inbox: string) {
    this.#files = new InboxFiles(inbox, services.reader);
    this.#inbox = new Inbox(services, this.#files);
    this.#outbox = new Outbox(services);
    this.#puller = new Puller(services);
    this.#messages = new MessageWorker(services, inbox);
  }

  /** Takes over unfinished work of the previous process, then runs until {@link close}. */
  async start(): Promise<void> {
    // a read-only inbox folder does not prevent the start: the settings are written again later
    await writeGateSettings(this.services).catch((error) =>
      this.services.log("error", "Cannot write the settings of the gate", { error: String(error) })
    );
    await this.#outbox.recover();
    await this.#puller.recover();
    await this.#inbox.recover();
    this.#next(0);
    // HL7 messages are applied in a separate loop, so that storing a study does not delay a merge
    this.#messages.start();
  }

  #next(waitMs: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#working = this.#tick().catch((error) =>
        this.services.log("error", "Cannot follow the gate", { error: String(error) })
      ).finally(() => this.#next(TICK_MS));
    }, waitMs);
  }

  async #tick(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#lastSettings > SETTINGS_MS) {
      this.#lastSettings = nowMs;
      await writeGateSettings(this.services);
    }
    // an event that cannot be stored holds up events alone
    await takeEvents(this.services, this.#files).catch((error) =>
      this.services.log("error", "Cannot take the events of the gate", { error: String(error) })
    );
    await noteOrders(this.services, ORDERS);
    // sending runs in parallel with receiving, so that a night of reception does not block sending
    await this.#outbox.wake();
    await this.#puller.wake();
    while (!this.#isClosed && await this.#inbox.file());
    const isAsked = await countCommitments(this.services.db) > 0;
    const complete = isAsked
      ? await answerCommitments(this.services, await this.#inbox.open())
      : undefined;
    await this.#inbox.take(complete);
    if (nowMs - this.#lastAlarm > ALARM_MS) {
      this.#lastAlarm = nowMs;
      await alarm(this.services);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#working;
    await this.#outbox.close();
    await this.#puller.close();
    await this.#messages.close();
  }
}

/**
 * Whether a time is recent. A time far in the future was stored before the clock was set back.
 */
const isLately = (at: string, withinMs: number) => Math.abs(Date.now() - Date.parse(at)) < withinMs;

const errorOf = (entry: OutboxEntry, peers: ReadonlyMap<number, string>) => ({
  id: entry.id,
  peer: peers.get(entry.peerId) ?? "",
  pid: entry.pid,
  kind: entry.kind,
  state: entry.state,
  attempts: entry.attempts,
  last_error: entry.lastError,
  created_at: entry.createdAt,
  sent_at: entry.sentAt,
  committed_at: entry.committedAt,
});

/** Destinations and delivery state of a study's results, for all users who may see the study. */
export async function getSentResults({ db }: ServiceContext, pid: number) {
  const peers = new Map((await knownPeers(db)).map(({ id, name }) => [id, name]));
  return (await listOutbox(db, 200, pid)).map((entry) => errorOf(entry, peers));
}

/** Connections with remote systems, for administrators. @throws {AppError} `access.forbidden`. */
export async function getConnections(
  services: ServiceContext,
  caller: Caller,
): Promise<ConnectionsPage> {
  const { db, gate } = services;
  await checkMaintenance(db, caller);
  const hourAgo = new Date(Date.now() - HOUR_MS).toISOString();
  const [
    peers,
    sent,
    arrivals,
    counts,
    log,
    entries,
    commitments,
    came,
    went,
    pending,
    { messages, next: messages_next },
    { merges, next: merges_next },
    orders,
  ] = await Promise.all([
    knownPeers(db),
    countOutbox(db),
    listArrivals(db, LISTED),
    countArrivals(db),
    listConnectionLog(db, LISTED),
    listOutbox(db, LISTED),
    countCommitments(db),
    receivedSince(db, hourAgo),
    countSentSince(db, hourAgo),
    countPending(db),
    messageRows(db, { limit: ROWS_PER_PAGE }),
    mergeRows(db, { limit: ROWS_PER_PAGE }),
    countOrders(db),
  ]);
  const state = gate ? await new InboxFiles(gate.inbox).read<GateState>(INBOX.state) : null;
  const names = new Map(peers.map(({ id, name }) => [id, name]));
  const sumOf = (states: readonly string[], peerId?: number) =>
    sent.filter((one) =>
      states.includes(one.state) && (peerId === undefined || one.peerId === peerId)
    )
      .reduce((sum, { count }) => sum + count, 0);
  const arrived = (name: string) => counts.find((one) => one.state === name)?.count ?? 0;
  return {
    gate: gate
      ? {
        ae_title: gate.aeTitle,
        port: state?.port ?? 0,
        tls: state?.isTls ?? false,
        is_running: state !== null && isLately(state.at, GATE_SILENT_MS),
        associations: state?.associations ?? 0,
        stored: state?.stored ?? 0,
        bytes: state?.bytes ?? 0,
        rejected: state?.rejected ?? 0,
        rss_bytes: state?.rssBytes ?? 0,
        hl7: state?.hl7
          ? {
            port: state.hl7.port,
            tls: state.hl7.isTls,
            connections: state.hl7.connections,
            taken: state.hl7.taken,
            refused: state.hl7.refused,
          }
          : null,
      }
      : null,
    peers: peers.map((peer) => ({
      id: peer.id,
      name: peer.name,
      kind: peer.kind,
      config: peer.config,
      has_secret: peer.secret !== null,
      has_key: peer.hasKey,
      waiting: sumOf(["waiting", "sending"], peer.id),
      failed: sumOf(["failed"], peer.id),
      last_error: peer.lastError,
      last_ok_at: peer.lastOkAt,
      not_before: !mayCall(peer) ? new Date(peer.notBeforeMs).toISOString() : null,
    })),
    counts: {
      arriving: arrived("arriving"),
      waiting: arrived("waiting"),
      stored: arrived("stored"),
      refused: arrived("refused"),
      changed: pending,
      to_send: sumOf(["waiting", "sending"]),
      failed: sumOf(["failed"]),
      commitments,
      orders,
    },
    last_hour: { images: came.stored, bytes: came.bytes, results: went },
    arrivals: arrivals.map((
      { seriesUid, sender, description, instances, firstAt, lastMs, state, reason, pid },
    ) => ({
      series_uid: seriesUid,
      sender,
      description,
      instances,
      first_at: firstAt,
      last_at: new Date(lastMs).toISOString(),
      state,
      reason,
      pid,
    })),
    messages,
    messages_next,
    merges,
    merges_next,
    outbox: entries.map((entry) => errorOf(entry, names)),
    log: log.map(({ id, at, peer, address, event, isError, details }) => ({
      id,
      at,
      peer,
      address,
      event,
      is_error: isError,
      details,
    })),
  };
}
