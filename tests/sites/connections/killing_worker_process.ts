// Message worker that ends its process as it renames a patient: `DATABASE INBOX NAME`.
import { openDatabase } from "@/server/core/database/database.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import { MessageWorker } from "@/server/core/connections/service/hl7/message_worker.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const [database, inbox, name] = Deno.args as [string, string, string];
const isPostgres = database.startsWith("postgres");
const db = (isPostgres ? await openPostgres(database) : openDatabase(database)).withPlugin({
  transformQuery: ({ node }) => {
    const isFatal = node.kind === "UpdateQueryNode" && JSON.stringify(node).includes(`"${name}"`);
    if (isFatal) Deno.kill(Deno.pid, "SIGKILL");
    return node;
  },
  transformResult: ({ result }) => Promise.resolve(result),
});
// only the services that the worker uses
const services = { db, log: () => {}, publish: () => {} } as unknown as ServiceContext;
new MessageWorker(services, inbox).start();
