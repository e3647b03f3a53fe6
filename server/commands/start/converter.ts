// The process beside the server that converts series: `server/commands/start/converter.ts SOCKET`.
// It ends with its standard input, which the process that started it holds open, and removes the
// folder of its socket then. It ends after a series that hangs too, and is started again. Its
// permissions: server/commands/start/permissions.ts.
import { dirname } from "node:path";
import { setPriority } from "node:os";
import { createLog } from "@/server/core/log.ts";
import { keepServing } from "@/server/wire/unhandled_errors.ts";
import { packInWorker } from "@/server/core/dicom/convert/convert.ts";
import { serveConverter } from "@/server/core/dicom/convert/converter.ts";
import { failureOf } from "@/server/core/dicom/convert/series_volume.ts";

/** Exit code of a converter over which a series hangs. */
const HANGING = 3;

const [path] = Deno.args;
if (path === undefined) throw new TypeError("The converter needs the path of its socket");

// those who wait for an answer of the site come first
try {
  setPriority(0, 10);
} catch { /* a system that forbids it converts all the same */ }

// a signal to the whole group is the server's: series that are being converted are finished for it
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => {});

Deno.stdin.readable.pipeTo(new WritableStream()).catch(() => {}).finally(async () => {
  await Deno.remove(dirname(path), { recursive: true }).catch(() => {});
  Deno.exit(0);
});
/** Takes no further series. */
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
// one of them hangs, and its thread ends with this process alone; the launcher starts another
Deno.exit(HANGING);
