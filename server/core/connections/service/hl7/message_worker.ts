/** Moves HL7 messages from the gate's (network process) folder to the database; applies them. */
import { createHash } from "node:crypto";
import { headerOf, Hl7Error, readMessage } from "@/model/hl7/message.ts";
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import { MAX_ORDERS } from "@/model/schema/connections/connections.ts";
import { INBOX, type MessageNote } from "@/server/gate/link/tasks.ts";
import {
  beginAttempt,
  dueMessages,
  forgetMessages,
  hasEarlier,
  insertMessages,
  type NewMessage,
  NOT_APPLIED,
  writeState,
} from "@/server/core/connections/storage/hl7_messages.ts";
import {
  applyMessage,
  eventTime,
  LONGEST_PAUSE_MS,
  readStored,
} from "@/server/core/connections/service/hl7/apply_message.ts";
import { reasonOf } from "@/server/core/connections/service/inbox/unusable_files.ts";
import {
  forgetOrders,
  trimOrders,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import { groupSettings } from "@/server/core/settings/service/settings.ts";
import { noteAudit } from "@/server/core/site/service/audit/audit.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const BATCH = 200, TICK_MS = 500, DAY_MS = 86_400_000;
/** Days for which applied HL7 messages are kept. */
const KEPT_DAYS = 30;
const FORGET_MS = 600_000;
/**
 * Maximum number of attempts to apply a message if each attempt ends with an unexpected error, for
 * example because a stored study is damaged, or ends the process.
 */
const MAX_ATTEMPTS = 3;

/**
 * Parses the file of an HL7 message. @throws {Hl7Error} for an invalid message;
 * SyntaxError and TypeError for a file that the gate (network process) did not write.
 */
async function readFile(
  { db }: ServiceContext,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<NewMessage> {
  const end = bytes.indexOf(10);
  const { at, system } = JSON.parse(
    new TextDecoder().decode(bytes.subarray(0, end)),
  ) as MessageNote;
  const message = bytes.slice(end + 1);
  const encoding = encodingTerm((await groupSettings(db)).dicom_encoding_id);
  const header = headerOf(readMessage(message, encoding));
  const { adt, patientId, priorId } = await readStored(db, { system, message });
  return {
    system,
    sender: header.sender,
    controlId: header.controlId,
    digest: createHash("sha256").update(message).digest("hex"),
    event: `${header.type}^${header.event}`,
    patientId,
    priorId,
    eventMs: eventTime(adt.eventMs, Date.parse(at)),
    receivedAt: at,
    message,
  };
}

/** Processes the HL7 messages in the inbox folder of one gate, in order of arrival. */
export class MessageWorker {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #working: Promise<void> = Promise.resolve();
  #isClosed = false;
  #lastForgotten = -Infinity;
  readonly #folder: string;
  #areOrdersChanged = false;

  constructor(private readonly services: ServiceContext, inbox: string) {
    this.#folder = `${inbox}/${INBOX.messages}`;
  }

  /** Starts reading HL7 messages after a pause, so that the server can open its port first. */
  start(): void {
    this.#next(TICK_MS);
  }

  #next(waitMs: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#working = this.#tick().catch((error) =>
        this.services.log("error", "Cannot take messages", { error: String(error) })
      ).finally(() => this.#next(TICK_MS));
    }, waitMs);
  }

  async #tick(): Promise<void> {
    while (await this.#take() && !this.#isClosed);
    await this.#apply();
    if (performance.now() - this.#lastForgotten < FORGET_MS) return;
    this.#lastForgotten = performance.now();
    const before = new Date(Date.now() - KEPT_DAYS * DAY_MS).toISOString();
    await forgetMessages(this.services.db, before);
    if (await forgetOrders(this.services.db, new Date().toISOString()) > 0) {
      this.services.publish({ event: "study_orders" });
    }
  }

  async #names(): Promise<string[]> {
    const names: string[] = [];
    try {
      for await (const { name } of Deno.readDir(this.#folder)) {
        if (name.endsWith(".hl7")) names.push(name);
      }
    } catch (error) {
      // the folder does not exist if the gate receives no HL7 messages
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return names.sort();
  }

  /**
   * Stores HL7 messages in the database, then deletes the files of these messages.
   * @returns whether more messages are waiting.
   */
  async #take(): Promise<boolean> {
    const { db, log } = this.services, names = await this.#names(), taken = names.slice(0, BATCH);
    const messages: NewMessage[] = [], done: string[] = [];
    for (const name of taken) {
      const path = `${this.#folder}/${name}`;
      try {
        messages.push(await readFile(this.services, await Deno.readFile(path)));
        done.push(name);
      } catch (error) {
        const isBroken = error instanceof Hl7Error || error instanceof SyntaxError ||
          error instanceof TypeError || await reasonOf(path, error) !== null;
        if (!isBroken) throw error;
        // the gate parsed the message before acknowledging it, so the file was damaged on disk
        log("error", "Cannot read a message of the inbox", { name, error: String(error) });
        await Deno.rename(path, `${path}.unusable`);
      }
    }
    if (messages.length > 0) {
      await db.transaction().execute((tx) => insertMessages(tx, messages));
      for (const name of done) await Deno.remove(`${this.#folder}/${name}`);
    }
    return names.length > taken.length;
  }

  async #apply(): Promise<void> {
    const { db } = this.services;
    // patients with a message that must wait: later messages about these patients wait as well,
    // messages about other patients are applied
    const blocked = new Set<string>();
    for (let afterId = -1, isMore = true; isMore && !this.#isClosed;) {
      const due = await dueMessages(db, {
        nowMs: Date.now(),
        longestMs: LONGEST_PAUSE_MS,
        most: BATCH,
        afterId,
      });
      for (const { id, patientIds } of due) {
        if (this.#isClosed) return;
        afterId = id;
        if (patientIds.some((one) => blocked.has(one)) || !await this.#attempt(id, patientIds)) {
          for (const one of patientIds) blocked.add(one);
        }
      }
      isMore = due.length === BATCH;
      if (this.#areOrdersChanged) await trimOrders(db, MAX_ORDERS);
      // one event for many messages, because each event makes open worklists reload a page
      if (this.#areOrdersChanged) this.services.publish({ event: "study_orders" });
      this.#areOrdersChanged = false;
    }
  }

  /**
   * Applies a message unless an earlier one about its patient is waiting. The attempt is stored
   * before it begins, so that a message which ends the process does not block others for ever.
   * @returns whether the message has left the queue.
   * @throws the error of the database while it cannot be written: all messages wait.
   */
  async #attempt(id: number, patientIds: readonly string[]): Promise<boolean> {
    const { db } = this.services;
    // first, since most waiting messages wait for another one: nothing is written for them
    if (patientIds.length > 0 && await hasEarlier(db, id, patientIds)) return false;
    const time = { nowMs: Date.now(), longestMs: LONGEST_PAUSE_MS };
    const attempts = await beginAttempt(db, id, time);
    if (attempts === null) return false;
    if (attempts <= MAX_ATTEMPTS) return await this.#applyOrPostpone(id, attempts);
    await this.#setFailed(id, attempts - 1, "each attempt ended the process");
    return true;
  }

  async #setFailed(id: number, attempts: number, error: string): Promise<void> {
    const { db, log } = this.services, endedAt = new Date().toISOString();
    log("error", "Cannot apply a message", { hl7_message: id, attempts, error });
    await writeState(db, id, { state: "failed", reason: NOT_APPLIED, endedAt, isError: true });
  }

  /**
   * Applies a message. After an unexpected error, the message is postponed, and after
   * {@link MAX_ATTEMPTS} attempts marked as failed, so that it does not block other messages.
   * @returns whether the message has left the queue.
   * @throws the error of the database while it cannot be written: all messages wait.
   */
  async #applyOrPostpone(id: number, attempts: number): Promise<boolean> {
    const { db, log } = this.services;
    try {
      return await this.#applyOne(id);
    } catch (error) {
      const isLast = attempts >= MAX_ATTEMPTS;
      // also throws if the database caused the error: then all messages wait
      if (isLast) await this.#setFailed(id, attempts, String(error));
      else {
        log("error", "Cannot apply a message", { hl7_message: id, attempts, error: String(error) });
        const notBeforeMs = Date.now() + LONGEST_PAUSE_MS;
        const later = { state: "waiting" as const, reason: NOT_APPLIED, notBeforeMs };
        await writeState(db, id, { ...later, endedAt: null, isError: true });
      }
      return isLast;
    }
  }

  /** @returns whether the message has left the queue: applied, or refused with a reason. */
  async #applyOne(id: number): Promise<boolean> {
    const { db, publish, log } = this.services;
    const outcome = await db.transaction().execute((tx) => applyMessage(tx, id));
    if (outcome === null) {
      // another server applied it, or an administrator requeued an earlier one: no failed attempt
      await writeState(db, id, { state: "waiting", reason: null, endedAt: null });
      return false;
    }
    const { state, reason, changed, queued, merge, matched = [] } = outcome;
    for (const pid of new Set([...changed, ...matched])) {
      publish({ event: "study_update", pid, uid: 0 });
    }
    this.#areOrdersChanged ||= outcome.areOrdersChanged === true;
    for (const pid of queued) publish({ event: "study_sent", pid });
    if (changed.length > 0) {
      const entry = {
        event: merge === undefined ? "patient.update" : "patient.merge",
        userId: null,
        details: { message: id, ...merge === undefined ? {} : { merge } },
      };
      await noteAudit(this.services, entry, changed);
    }
    if (state === "failed") {
      log("warn", "Cannot apply a message", { hl7_message: id, reason: reason! });
    }
    return state !== "waiting";
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#working;
  }
}
