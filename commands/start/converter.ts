// The process beside the server that converts series: `commands/start/converter.ts SOCKET`. It ends with its standard input,
// which the process that started it holds open, and removes the folder of its socket then. What it may do:
// commands/start/permissions.ts.
import { dirname } from "node:path";
import { setPriority } from "node:os";
import { packInWorker } from "@/core/dicom/convert/convert.ts";
import { serveConverter } from "@/core/dicom/convert/converter.ts";
import { failureOf } from "@/core/dicom/convert/series_volume.ts";

const [path] = Deno.args;
if (path === undefined) throw new TypeError("The converter needs the path of its socket");

// those who wait for an answer of the site come first
try {
  setPriority(0, 10);
} catch { /* a system that forbids it converts all the same */ }

// a signal to the whole group is the server's: series that are being converted are finished for it
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => {});

const leaving = new AbortController();
Deno.stdin.readable.pipeTo(new WritableStream()).catch(() => {}).finally(() => leaving.abort());
const atOnce = Math.max(1, navigator.hardwareConcurrency - 1);
await serveConverter(
  path,
  (request) => packInWorker(request).catch((error) => ({ error: failureOf(error) })),
  atOnce,
  leaving.signal,
);
await Deno.remove(dirname(path), { recursive: true }).catch(() => {});
Deno.exit(0);
