import { X509Certificate } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { freemem, totalmem } from "node:os";
import { statfs } from "node:fs/promises";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import type { Environment } from "@/server/commands/start/environment.ts";
import { hostAndPort } from "@/model/site/networks.ts";
import { checkDatabase as faultsOf } from "@/server/core/blobs/integrity.ts";
import { openToRead } from "@/server/core/database/database.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";

/** Result of one check. `advice` states the required action, if any. */
export interface Finding {
  name: string;
  state: "good" | "warning" | "bad";
  text: string;
  advice?: string;
}

const good = (name: string, text: string): Finding => ({ name, state: "good", text });
const warning = (name: string, text: string, advice: string): Finding => ({
  name,
  state: "warning",
  text,
  advice,
});
const bad = (name: string, text: string, advice: string): Finding => ({
  name,
  state: "bad",
  text,
  advice,
});

const DAY_MS = 24 * 60 * 60_000;
const reason = (error: unknown) => error instanceof Error ? error.message : String(error);

const isForbidden = (error: unknown) =>
  error instanceof Deno.errors.PermissionDenied || reason(error).includes("ermission");
/** Advice to install the package's drop-in file, which lets the unit use ports below 1024. */
const LOW_PORT_ADVICE =
  "Choose a port above 1023, put a reverse proxy in front of the server, or allow the systemd unit to use low ports (/usr/lib/sulcus/systemd/low-ports.conf)";

/** Whether the DICOM gate may use the port; a port in use may belong to the running site. */
export function checkDicomPort({ dicom }: Environment): Finding[] {
  if (dicom === null || dicom.port === 0) return [];
  const name = "DICOM port", address = hostAndPort(dicom.host, dicom.port);
  try {
    Deno.listen({ hostname: dicom.host, port: dicom.port }).close();
    return [good(name, `${address} is free`)];
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) {
      return [good(name, `${address} is in use (by the Sulcus server, if it is running)`)];
    }
    return [
      isForbidden(error)
        ? bad(name, `this user is not allowed to use ${address}`, LOW_PORT_ADVICE)
        : bad(
          name,
          `${address}: ${reason(error)}`,
          "Set SULCUS_DICOM_HOST to an address of this machine",
        ),
    ];
  }
}

/**
 * Requests a page of a site on this machine and returns its body.
 * The certificate names the site, not this address, and is not checked.
 */
function answerOf(url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const get = url.startsWith("https:") ? https.get : http.get;
  const options = { rejectUnauthorized: false, signal: AbortSignal.timeout(3000) };
  get(url, options, (answer) => {
    text(answer).then(resolve, reject);
  }).on("error", reject);
  return promise;
}

/** Whether the site's port is free; a running site is distinguished from another program. */
export async function checkPort({ host, port }: Environment): Promise<Finding> {
  const name = "Port", address = hostAndPort(host, port);
  if (port === 0) return good(name, "any free port");
  try {
    Deno.listen({ hostname: host, port }).close();
    return good(name, `${address} is free`);
  } catch (error) {
    const there = host === "0.0.0.0" ? "127.0.0.1" : host;
    for (const scheme of ["http", "https"]) {
      const site = `${scheme}://${hostAndPort(there, port)}`;
      const status = await answerOf(`${site}/api/v1/status`).then(JSON.parse).catch(() => null);
      if (typeof status?.disk_usage !== "number") continue;
      const said = await answerOf(`${site}/ready`).catch(() => "no answer");
      return good(name, `a Sulcus server responds at ${address}: ${said.trim()}`);
    }
    if (isForbidden(error)) {
      return bad(name, `this user is not allowed to use ${address}`, LOW_PORT_ADVICE);
    }
    const isInUse = error instanceof Deno.errors.AddrInUse;
    return bad(
      name,
      isInUse ? `${address} is in use by another program` : `${address}: ${reason(error)}`,
      "Set SULCUS_PORT and SULCUS_HOST to a free port and an address of this machine (ss -ltnp shows which program uses a port)",
    );
  }
}

/**
 * Whether the data folder is writable and owned by this account.
 * Also whether the folder syncs to disk fast enough for uploads.
 */
export async function checkFolder({ dataDir }: Environment): Promise<Finding[]> {
  const name = "Data folder", probe = `${dataDir}/.doctor-${crypto.randomUUID()}`;
  const info = await Deno.stat(dataDir).catch(() => null);
  if (!info) {
    return [
      warning(name, `${dataDir} does not exist yet`, "It will be created at the first start"),
    ];
  }
  const findings: Finding[] = [];
  const otherRights = (info.mode ?? 0) & 0o077;
  findings.push(
    otherRights === 0 ? good("Rights", `only its owner can open ${dataDir}`) : warning(
      "Rights",
      `other users can open ${dataDir} (mode ${((info.mode ?? 0) & 0o777).toString(8)})`,
      `chmod 700 ${dataDir}`,
    ),
  );
  try {
    const piece = new Uint8Array(1 << 20), times: number[] = [];
    using file = await Deno.open(probe, { write: true, createNew: true, mode: 0o600 });
    for (let n = 0; n < 16; n++) {
      const started = performance.now();
      for (let done = 0; done < piece.length;) done += await file.write(piece.subarray(done));
      await file.sync();
      times.push(performance.now() - started);
    }
    const median = times.toSorted((a, b) => a - b)[8]!,
      text = `1 MiB written and synced to disk in ${median.toFixed(1)} ms (median of 16)`;
    findings.push(
      median < 50 ? good("Disk speed", text) : warning(
        "Disk speed",
        text,
        "Put the data folder on a local SSD, not on a network share or a busy disk",
      ),
    );
  } catch (error) {
    findings.push(
      bad(
        name,
        `cannot be written: ${reason(error)}`,
        `Make the server's account the owner of the folder: chown -R sulcus ${dataDir}`,
      ),
    );
  } finally {
    await Deno.remove(probe).catch(() => {});
  }
  const { bavail, bfree, blocks, bsize } = await statfs(dataDir),
    usable = (blocks - bfree + bavail) * bsize;
  const free = bavail * bsize, percent = Math.round(100 * (1 - free / usable));
  const text = `${(free / 1e9).toFixed(0)} GB free, ${percent}\u00a0% used`;
  findings.push(
    percent < 80 ? good("Disk", text) : (percent < 95 ? warning : bad)(
      "Disk",
      text,
      "Free up some space, or move the folder to a larger disk",
    ),
  );
  return findings;
}

/** Whether memory suffices for an analysis (at most 1.2 GB) in addition to the server. */
export function checkMemory(total = totalmem(), free = freemem()): Finding {
  const text = `${(total / 1e9).toFixed(1)} GB, ${(free / 1e9).toFixed(1)} GB free`;
  if (total < 3e9) {
    return bad(
      "Memory",
      text,
      "An analysis needs up to 1.2 GB of memory in addition to the server: use a machine with at least 4 GB",
    );
  }
  return total < 7e9 ? warning("Memory", text, "8 GB are recommended") : good("Memory", text);
}

/** Whether the clock is correct: a wrong one breaks sessions, certificates and the audit log. */
export async function checkClock({ dataDir }: Environment, now = Date.now()): Promise<Finding> {
  const name = "Clock", text = new Date(now).toISOString();
  if (now < Date.parse("2026-01-01")) {
    return bad(
      name,
      `${text} is in the past`,
      "Set the clock, and keep it synchronized with chrony or systemd-timesyncd",
    );
  }
  const written = (await Deno.stat(`${dataDir}/core.sqlite`).catch(() => null))?.mtime?.getTime() ??
    0;
  if (written > now + 60_000) {
    return bad(
      name,
      `${text} is earlier than the last change to the database`,
      "The clock was set back: keep it synchronized with chrony or systemd-timesyncd",
    );
  }
  return good(name, text);
}

/** Whether the database exists, is undamaged, and has this version's schema. */
export async function checkDatabase({ dataDir, databaseUrl }: Environment): Promise<Finding> {
  const name = "Database";
  if (databaseUrl !== null) {
    try {
      await (await openPostgres(databaseUrl)).destroy();
      return good(name, "PostgreSQL answers");
    } catch (error) {
      return bad(
        name,
        `PostgreSQL: ${reason(error)}`,
        "Check that the database is running and that the user in SULCUS_DATABASE_URL may connect to it",
      );
    }
  }
  const path = `${dataDir}/core.sqlite`;
  if (!(await Deno.stat(path).catch(() => null))?.isFile) {
    return warning(name, `${path} does not exist yet`, "It will be created at the first start");
  }
  try {
    const db = openToRead(path);
    try {
      const faults = await faultsOf(db);
      return faults.length === 0
        ? good(name, "SQLite, intact")
        : bad(name, faults[0]!, "Restore a backup: sulcus restore FOLDER");
    } finally {
      await db.destroy();
    }
  } catch (error) {
    return bad(name, reason(error), "Restore a backup: sulcus restore FOLDER");
  }
}

/** Remaining validity of the site's certificate; `path` is the value of `SULCUS_TLS_CERT`. */
export async function checkCertificate(
  path: string | undefined,
  now = Date.now(),
): Promise<Finding> {
  const name = "Certificate";
  if (!path) {
    return good(
      name,
      "no certificate is set: a proxy provides HTTPS, or the site can be opened only on this machine",
    );
  }
  try {
    const { validTo, subject } = new X509Certificate(await Deno.readTextFile(path));
    const days = Math.floor((Date.parse(validTo) - now) / DAY_MS),
      text = `${subject}, valid for ${days} more days`;
    if (days < 0) {
      return bad(
        name,
        `${subject} expired ${-days} days ago`,
        "Replace the certificate: the running server will load the new one",
      );
    }
    return days < 21
      ? warning(name, text, "Renew the certificate: the running server will load the new one")
      : good(name, text);
  } catch (error) {
    return bad(
      name,
      `${path}: ${reason(error)}`,
      "SULCUS_TLS_CERT must name a PEM certificate that this user can read",
    );
  }
}

/** Whether a server such as the PACS accepts connections; sends no data. */
export function checkReach(
  name: string,
  host: string,
  port: number,
  advice: string,
): Promise<Finding> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 5000 });
    const end = (finding: Finding) => {
      socket.destroy();
      resolve(finding);
    };
    socket.on("connect", () => end(good(name, `${host}:${port} accepts connections`)));
    socket.on("timeout", () => end(bad(name, `${host}:${port} did not answer within 5 s`, advice)));
    socket.on("error", (error) => end(bad(name, `${host}:${port}: ${error.message}`, advice)));
  });
}
