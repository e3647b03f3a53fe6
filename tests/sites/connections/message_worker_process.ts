// Runs the message worker in a separate process, which tests kill: `DATABASE INBOX`.
import { openDatabase } from "@/server/core/database/database.ts";
import { MessageWorker } from "@/server/core/connections/service/hl7/message_worker.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const [database, inbox] = Deno.args as [string, string];
const services = { db: openDatabase(database), log: () => {}, publish: () => {} };
// only the services that the worker uses
new MessageWorker(services as unknown as ServiceContext, inbox).start();
console.log("started");
