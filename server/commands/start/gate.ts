// The gate: the only process with network access to other systems (DICOM, HL7). Run as
// `server/commands/start/gate.ts SETTINGS` (JSON). It ends when its standard input closes, which
// the launcher holds open. Its permissions: network, inbox, certificates.
import { openGateWhenFree } from "@/server/gate/gate.ts";
import { serveGate } from "@/server/gate/link/link.ts";
import type { OwnCertificates } from "@/server/gate/send/requestor.ts";
import { createLog } from "@/server/core/log.ts";
import { keepServing } from "@/server/wire/unhandled_errors.ts";
import { networkList } from "@/model/site/networks.ts";

interface Told {
  host: string;
  port: number;
  hl7: { port: number; isTls: boolean } | null;
  inbox: string;
  socket: string;
  tls: OwnCertificates | null;
  reach: readonly string[];
}

const write = createLog("info"), say = (text: string) => write("warn", `Gate: ${text}`);
const [text] = Deno.args;
if (text === undefined) {
  throw new TypeError("Cannot start the DICOM service: its settings are missing");
}
const { host, port, hl7, inbox, socket, tls, reach } = JSON.parse(text) as Told;

// ignored: a signal to the process group is meant for the server, and transfers are completed
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => {});
const leaving = new AbortController();
Deno.stdin.readable.pipeTo(new WritableStream()).catch(() => {}).finally(() => leaving.abort());

const allowed = networkList(reach);
const gate = await openGateWhenFree({
  host,
  port,
  hl7,
  folder: inbox,
  own: tls && {
    cert: await Deno.readTextFile(tls.cert),
    key: await Deno.readTextFile(tls.key),
    ca: await Deno.readTextFile(tls.ca),
  },
  // maps the IPv4-mapped form that a dual-stack socket reports to plain IPv4
  isAmong: (address, networks) => networkList(networks).has(address.replace(/^::ffff:/i, "")),
  isAllowed: (address) => allowed.has(address.replace(/^::ffff:/i, "")),
  log: say,
}, leaving.signal);
if (gate === null) Deno.exit(0);
keepServing((level, message, fields) => write(level, `Gate: ${message}`, fields));
await serveGate(socket, gate.ask, leaving.signal);
await gate.close();
Deno.exit(0);
