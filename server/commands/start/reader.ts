// The process beside the server that reads DICOM: `server/commands/start/reader.ts SOCKET FOLDER…`.
// The process that started it holds its standard input open, and starts another one when it ends.
// Its permissions: server/commands/start/permissions.ts.
import { createLog } from "@/server/core/log.ts";
import { runReader } from "@/server/core/dicom/worker/run_reader.ts";

const [path, ...folders] = Deno.args;
if (path === undefined) throw new TypeError("The reader needs the path of its socket");
const log = createLog("info");
await runReader({
  path,
  folders,
  log: (level, message, fields) => log(level, `Reader: ${message}`, fields),
});
