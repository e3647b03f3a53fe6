// Process that reads DICOM files: `server/commands/start/reader.ts SOCKET FOLDER…`.
// It ends when its standard input closes, which the launcher holds open; the launcher restarts it.
// Its permissions: server/commands/start/permissions.ts.
import { createLog } from "@/server/core/log.ts";
import { runReader } from "@/server/core/dicom/worker/run_reader.ts";

const [path, ...folders] = Deno.args;
if (path === undefined) {
  throw new TypeError("Cannot start the DICOM file reader: the path of its socket is missing");
}
const log = createLog("info");
await runReader({
  path,
  folders,
  log: (level, message, fields) => log(level, `Reader: ${message}`, fields),
});
