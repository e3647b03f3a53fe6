// Applies a message and kills this process before a statement: `DATABASE MESSAGE STATEMENT`.
import { applyMessage } from "@/server/core/connections/service/hl7/apply_message.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import { stoppedBefore } from "@/tests/sites/connections/stopped_statements.ts";

const [database, message, statement] = Deno.args as [string, string, string];
const isPostgres = database.startsWith("postgres");
const db = isPostgres ? await openPostgres(database) : openDatabase(database);
const kill = () => Deno.kill(Deno.pid, "SIGKILL");
await db.withPlugin(stoppedBefore(Number(statement), kill)).transaction().execute(async (tx) => {
  await applyMessage(tx, Number(message));
  // killed after the last statement, before the commit
  kill();
});
