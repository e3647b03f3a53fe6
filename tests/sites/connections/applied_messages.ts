// Applies HL7 messages in order of arrival, without a gate, on SQLite and on PostgreSQL.
import { applyMessage } from "@/server/core/connections/service/hl7/apply_message.ts";
import { type Database, openDatabase } from "@/server/core/database/database.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import { noteAccession } from "@/server/core/studies/service/orders/match_orders.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { order, type OrderFields } from "@/tests/sites/connections/hl7_messages.ts";
import { readOrderRows } from "@/tests/sites/connections/hl7_model.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

export interface Messages {
  db: Database;
  send(message: string | Uint8Array): Promise<void>;
  order(fields: Partial<OrderFields>): Promise<void>;
  /** Stores a study of patient P-1 with the accession number A1. @returns pid of the study. */
  images(): Promise<number>;
  procedure(): Promise<string | null>;
  /** Orders without images: accession number, patient and procedures. */
  rows(): Promise<string[]>;
}

export const messagesTest = (name: string, body: (messages: Messages) => Promise<void>): void =>
  databaseTest(name, async ({ url }) => {
    const db = url === null ? openDatabase(":memory:") : await openPostgres(url);
    let sent = 0;
    const send = async (message: string | Uint8Array) => {
      const id = await storeMessage(db, message);
      await db.transaction().execute((tx) => applyMessage(tx, id!));
    };
    try {
      await body({
        db,
        send,
        order: (fields) => send(order({ control: `O${++sent}`, ...fields })),
        images: () =>
          db.transaction().execute(async (tx) => {
            const pid = await insertPatient(tx, { ...newStudy(1), patientId: "P-1" });
            await noteAccession(tx, pid, "A1");
            return pid;
          }),
        procedure: async () =>
          (await db.selectFrom("patients").select("ordered_procedure").executeTakeFirstOrThrow())
            .ordered_procedure,
        rows: async () =>
          (await readOrderRows(db)).map(({ accession, id, name, procedure }) =>
            [accession, id, name, procedure].filter(Boolean).join(" ")
          ),
      });
    } finally {
      await db.destroy();
    }
  });
