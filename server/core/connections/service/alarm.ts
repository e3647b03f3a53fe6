import { latestCredible } from "@/model/time/stored_time.ts";
import { countArrivals } from "@/server/core/connections/storage/arrivals.ts";
import { countMessages } from "@/server/core/connections/storage/hl7_messages.ts";
import { countOutbox } from "@/server/core/connections/storage/outbox.ts";
import { askGate } from "@/server/core/connections/service/peers.ts";
import { readRouting } from "@/server/core/connections/service/inbox/routing.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { logConnection } from "@/server/core/connections/storage/connection_log.ts";

/** Names of stalled queues at the last check, by database, so that each is reported only once. */
const lastReported = new WeakMap<ServiceContext["db"], string>();

/**
 * Queues in which the oldest entry has waited longer than the setting `alarm_minutes`.
 * A time in the future counts as too long: the clock was set back, so the wait is unknown.
 */
export async function standingQueues(
  { db }: Pick<ServiceContext, "db">,
): Promise<("inbox" | "outbox" | "hl7")[]> {
  const { alarm_minutes } = await readRouting(db), nowMs = Date.now();
  const isTooLong = (sinceMs: number) =>
    sinceMs < nowMs - 60_000 * alarm_minutes || sinceMs > latestCredible(nowMs);
  const arrivals = (await countArrivals(db)).some(({ state, oldestMs }) =>
    state === "waiting" && isTooLong(oldestMs)
  );
  const sent = (await countOutbox(db)).some(({ state, oldestAt }) =>
    state === "waiting" && isTooLong(Date.parse(oldestAt))
  );
  // failed HL7 messages count too, because they wait for an administrator
  const messages = (await countMessages(db)).some(({ state, oldestAt }) =>
    (state === "waiting" || state === "failed") && isTooLong(Date.parse(oldestAt))
  );
  return [
    ...arrivals ? ["inbox" as const] : [],
    ...sent ? ["outbox" as const] : [],
    ...messages ? ["hl7" as const] : [],
  ];
}

/** Calls a webhook when a queue stalls or recovers. The call contains no patient data. */
export async function alarm(services: ServiceContext): Promise<void> {
  const { db } = services, { webhook } = await readRouting(db);
  const standing = (await standingQueues(services)).join();
  const lastStanding = lastReported.get(db) ?? "";
  if (standing === lastStanding) return;
  lastReported.set(db, standing);
  const isError = standing !== "";
  await logConnection(db, {
    at: nowIso(),
    peer: "",
    address: webhook,
    event: "alarm",
    isError,
    details: { standing },
  });
  if (webhook === "") return;
  const answer = await askGate(services, {
    kind: "http",
    method: "POST",
    url: webhook,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      event: isError ? "queue_standing" : "queue_flowing",
      queues: standing.split(",").filter(Boolean),
    }),
  });
  // a failed webhook call is repeated at the next check
  if (answer.error || (answer.status ?? 500) >= 300) lastReported.set(db, lastStanding);
}
