import { insertMessages, writeState } from "@/server/core/connections/storage/hl7_messages.ts";
import { insertMerge } from "@/server/core/connections/storage/patient_merges.ts";
import type { Database } from "@/server/core/database/database.ts";

/** Number of messages and of merges that {@link addManyMessages} adds. */
export const MANY = 130;

/** Adds 130 messages, of which the oldest 60 failed, and 130 merges, all a day old. */
export async function addManyMessages(db: Database): Promise<void> {
  const at = new Date(Date.now() - 86_400_000).toISOString();
  for (let n = 1; n <= MANY; n++) {
    await insertMessages(db, [{
      system: "HIS",
      sender: "HIS",
      controlId: `M${n}`,
      digest: `${n}`,
      event: "ADT^A08",
      patientId: `P-${n}`,
      priorId: "",
      eventMs: n,
      receivedAt: at,
      message: new Uint8Array(),
    }]);
    const state = n <= 60 ? "failed" as const : "applied" as const;
    await writeState(db, n, { state, reason: null, endedAt: at });
    await insertMerge(db, {
      priorId: `OLD-${n}`,
      patientId: `NEW-${n}`,
      eventMs: n,
      mergedAt: at,
      system: "HIS",
      controlId: `M${n}`,
      moved: [],
      movedOrders: [],
    });
  }
}
