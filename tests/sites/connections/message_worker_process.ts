// The worker of messages in a process of its own, to be killed: `DATABASE INBOX`.
import { openDatabase } from "@/server/core/database/database.ts";
import { MessageWorker } from "@/server/core/connections/service/hl7/message_worker.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const [database, inbox] = Deno.args as [string, string];
const services = { db: openDatabase(database), log: () => {}, publish: () => {} };
// no more than the worker uses
new MessageWorker(services as unknown as ServiceContext, inbox).start();
console.log("started");
