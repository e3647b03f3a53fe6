// Process that converts series: `server/commands/start/converter.ts SOCKET`. It ends when its
// standard input closes, which the launcher holds open, and then removes the folder of its socket.
// After a series that hangs it also ends, and is restarted. Its permissions:
// server/commands/start/permissions.ts.
import { dirname } from "node:path";
import { setPriority } from "node:os";
import { createLog } from "@/server/core/log.ts";
import { keepServing } from "@/server/wire/unhandled_errors.ts";
import { packInWorker } from "@/server/core/dicom/convert/convert.ts";
import { serveConverter } from "@/server/core/dicom/convert/converter.ts";
import { failureOf } from "@/server/core/dicom/convert/series_volume.ts";

/** Exit code after a conversion that hangs. */
const HANGING = 3;

const [path] = Deno.args;
if (path === undefined) {
  throw new TypeError("Cannot start the series converter: the path of its socket is missing");
}

// lower CPU priority than the server, which answers users
try {
  setPriority(0, 10);
} catch { /* a system that forbids it converts all the same */ }

// ignored: a signal to the process group is meant for the server, and conversions are completed
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => {});

Deno.stdin.readable.pipeTo(new WritableStream()).catch(() => {}).finally(async () => {
  await Deno.remove(dirname(path), { recursive: true }).catch(() => {});
  Deno.exit(0);
});
/** When aborted, no further series is accepted. */
const leaving = new AbortController();
const write = createLog("info");
keepServing((level, message, fields) => write(level, `Converter: ${message}`, fields));
const atOnce = Math.max(1, navigator.hardwareConcurrency - 1);
await serveConverter(
  path,
  (request) =>
    packInWorker(request, undefined, () => leaving.abort()).catch((error) => ({
      error: failureOf(error),
    })),
  atOnce,
  leaving.signal,
);
// only the end of the process ends the thread of a hanging conversion; the launcher restarts it
Deno.exit(HANGING);
