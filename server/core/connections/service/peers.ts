import { storedFailure } from "@/model/connections/failure.ts";
import { AppError } from "@/model/errors.ts";
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import { isLocalAddress, networkList } from "@/model/site/networks.ts";
import {
  type PeerConfig,
  peerConfig,
  type PeerPut,
  type PeerTest,
} from "@/model/schema/connections/connections.ts";
import type { DicomPeer, GateAnswer, GateSettings, GateTask } from "@/server/gate/link/tasks.ts";
import { INBOX } from "@/server/gate/link/tasks.ts";
import {
  deletePeer,
  notePeerFailure,
  notePeerOk,
  writePeer,
} from "@/server/core/connections/storage/peers.ts";
import { logConnection } from "@/server/core/connections/storage/connection_log.ts";
import { type KnownPeer, knownPeers } from "@/server/core/connections/service/known_peers.ts";
import { pastedFingerprint } from "@/server/core/connections/service/system_certificates.ts";
import { InboxFiles } from "@/server/core/connections/service/inbox/inbox_files.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { groupSettings } from "@/server/core/settings/service/settings.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";
import { checkDiskSpace } from "@/server/core/site/service/status.ts";

/** Maximum number of simultaneous DICOM associations that the gate (network process) accepts. */
const MAX_ASSOCIATIONS = 8;

/** Host name or address at which a remote system is called; empty if never called. */
function hostOf(kind: PeerPut["kind"], { host, url }: { host: string; url: string }): string {
  return kind === "dicom" || kind === "hl7" ? host : URL.parse(url)?.hostname ?? "";
}

/** Name of a required setting that a DICOM or HL7 system lacks; `null` if none is missing. */
function missingOf(kind: PeerPut["kind"], config: PeerConfig): "ae_title" | "addresses" | null {
  if (kind === "dicom") return config.ae_title === "" ? "ae_title" : null;
  // HL7 messages change patient data and the sender's name is no proof, so addresses are required
  return config.may_send && config.addresses.length === 0 ? "addresses" : null;
}

/**
 * Refuses a loopback or other literal address of this machine as a remote system.
 * The gate (network process) checks host names at each call.
 * @throws {AppError} `input.invalid`.
 */
function checkAddress({ gate }: ServiceContext, kind: PeerPut["kind"], host: string): void {
  if (gate?.reach === undefined || host === "") return;
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  const address = name === "localhost" || name.endsWith(".localhost") ? "127.0.0.1" : name;
  // the URL parser converts 127.1, 0x7f000001 and similar forms to the usual form of an address
  const plain =
    URL.parse(`http://${address.includes(":") ? `[${address}]` : address}/`)?.hostname ?? address;
  const literal = plain.replace(/^\[|\]$/g, "");
  if (!isLocalAddress(literal) || networkList(gate.reach).has(literal)) return;
  throw new AppError(
    "input.invalid",
    "Cannot save the connection: its address is of this machine or link-local (SULCUS_DICOM_REACH)",
    { field: kind === "dicom" || kind === "hl7" ? "host" : "url", reason: "not_allowed" },
  );
}

/**
 * Password or token to store for a remote system. For another address it must be entered again, or
 * it would be sent to a wrong server. @returns `undefined` to keep the stored password or token.
 * @throws {AppError} `input.invalid` when the password or token must be entered again.
 */
function secretFor(
  earlier: KnownPeer | undefined,
  kind: PeerPut["kind"],
  url: string,
  secret: string | null | undefined,
): string | null | undefined {
  if (secret !== undefined || !earlier?.secret) return secret;
  if (kind === "dicom" || kind === "hl7") return null;
  const placeOf = (text: string) => URL.parse(text)?.origin ?? "";
  if (placeOf(earlier.config.url) === placeOf(url)) return undefined;
  throw new AppError(
    "input.invalid",
    "Cannot save the connection: another address needs the password again",
    {
      field: "secret",
      reason: "address_changed",
    },
  );
}

/**
 * Adds or changes a remote system.
 * @throws {AppError} `access.forbidden`, `input.invalid`, `entity.not_found`.
 */
export async function savePeer(
  services: ServiceContext,
  id: number | null,
  { name, kind, config, secret }: PeerPut,
  caller: Caller,
): Promise<number> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const fullConfig = peerConfig.parse(config);
  networkList(fullConfig.addresses);
  fullConfig.certificate = pastedFingerprint(fullConfig.certificate);
  const missing = kind === "dicom" || kind === "hl7"
    ? missingOf(kind, fullConfig)
    : fullConfig.url === ""
    ? "url"
    : null;
  if (missing) {
    throw new AppError("input.invalid", "Cannot save the connection: a value is missing", {
      field: missing,
    });
  }
  checkAddress(services, kind, hostOf(kind, fullConfig));
  const systems = await knownPeers(db), others = systems.filter((one) => one.id !== id);
  const savedSecret = secretFor(systems.find((one) => one.id === id), kind, fullConfig.url, secret);
  const taken = others.some((one) => one.name === name) ? "name" : fullConfig.certificate !== "" &&
      others.some((one) => one.config.certificate === fullConfig.certificate)
    ? "certificate"
    : null;
  if (taken) {
    throw new AppError("input.invalid", "Cannot save the connection: another one has this value", {
      field: taken,
      reason: "taken",
    });
  }
  const saved = await writePeer(
    db,
    id,
    { name, kind, config: fullConfig, secret: savedSecret },
    nowIso(),
  );
  if (saved === null) {
    throw new AppError("entity.not_found", "Cannot save the connection: it was removed");
  }
  await writeGateSettings(services);
  return saved;
}

/** @throws {AppError} `access.forbidden`, `entity.not_found`. */
export async function removePeer(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<void> {
  await checkMaintenance(services.db, caller);
  if (!await deletePeer(services.db, id)) {
    throw new AppError("entity.not_found", "Cannot remove the connection: it was removed");
  }
  await writeGateSettings(services);
}

/** Last pending write of the gate's settings, by inbox folder. */
const lastTurns = new Map<string, Promise<void>>();

/**
 * Writes the settings of the gate (network process), such as permitted senders, to a file.
 * Writes wait for each other, so that the latest settings remain in the file.
 */
export function writeGateSettings(services: ServiceContext): Promise<void> {
  const { gate } = services;
  if (!gate) return Promise.resolve();
  const before = lastTurns.get(gate.inbox) ?? Promise.resolve();
  const turn = before.catch(() => {}).then(() => writeSettings(services, gate));
  lastTurns.set(gate.inbox, turn);
  return turn.finally(() => {
    if (lastTurns.get(gate.inbox) === turn) lastTurns.delete(gate.inbox);
  });
}

async function writeSettings(
  services: ServiceContext,
  gate: NonNullable<ServiceContext["gate"]>,
): Promise<void> {
  const { db } = services;
  const isFull = await checkDiskSpace(services, 0).then(() => false, () => true);
  const settings: GateSettings = {
    aeTitle: gate.aeTitle,
    senders: (await knownPeers(db)).filter(({ kind, config }) =>
      kind === "dicom" && config.may_send
    )
      .map(({ config }) => ({ aeTitle: config.ae_title, addresses: config.addresses })),
    isAccepting: !isFull,
    maxAssociations: MAX_ASSOCIATIONS,
    hl7: {
      senders: (await knownPeers(db)).filter(({ kind, config }) =>
        kind === "hl7" && config.may_send && config.addresses.length > 0
      ).map(({ name, config }) => ({ name, addresses: config.addresses })),
      encoding: encodingTerm((await groupSettings(db)).dicom_encoding_id),
    },
  };
  const files = new InboxFiles(gate.inbox), before = await files.read<GateSettings>(INBOX.settings);
  if (JSON.stringify(before) !== JSON.stringify(settings)) {
    await files.write(INBOX.settings, settings);
  }
}

/** Address and AE titles with which the gate calls a DICOM system. */
export const dicomPeer = ({ config }: KnownPeer, calling: string): DicomPeer => ({
  host: config.host,
  port: config.port,
  called: config.ae_title,
  calling,
  tls: config.tls,
});

/** HTTP headers with the password or token for calling a web service. */
export function authorization({ config, secret }: KnownPeer): Record<string, string> {
  if (!secret) return {};
  return config.user === ""
    ? { authorization: `Bearer ${secret}` }
    : { authorization: `Basic ${Buffer.from(`${config.user}:${secret}`).toString("base64")}` };
}

const NO_GATE: GateAnswer = { error: { failure: "no_gate", text: "" } };

/** Sends a task to the gate (network process); fails with `no_gate` without a gate. */
export const askGate = ({ gate }: ServiceContext, task: GateTask): Promise<GateAnswer> =>
  gate ? gate.ask(task) : Promise.resolve(NO_GATE);

/** Failure in a response, as a key of model/text with the remote system's text; `null`: success. */
export function failureOf(answer: GateAnswer): { failure: string; text: string } | null {
  if (answer.error) return answer.error;
  const { status = 0, comment = "" } = answer;
  const isHttp = status >= 100 && status < 600 && answer.body !== undefined;
  if (isHttp) {
    // the response body is dropped: otherwise an administrator could read any page of the hospital
    return status < 300 ? null : { failure: "http", text: String(status) };
  }
  const isOk = status === 0 || (status & 0xf000) === 0xb000;
  return isOk
    ? null
    : { failure: "status", text: `0x${status.toString(16).padStart(4, "0")} ${comment}`.trim() };
}

/** Failures for which model/text contains a text; the remote system's own text is not needed. */
const OWN_WORDS = ["http", "rejected", "not_supported", "no_gate"];

/** A failure without the remote system's text; a DIMSE status keeps the number. */
export function ownWords(
  failed: { failure: string; text: string } | null,
): { failure: string; text: string } | null {
  if (failed === null || OWN_WORDS.includes(failed.failure)) return failed;
  return { ...failed, text: failed.failure === "status" ? failed.text.split(" ")[0]! : "" };
}

/** Tests a connection without side effects: C-ECHO, an empty search, or a server status. */
export async function testPeer(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<PeerTest> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const peer = (await knownPeers(db)).find((one) => one.id === id);
  if (!peer) throw new AppError("entity.not_found", "Cannot test the connection: it was removed");
  const calling = services.gate?.aeTitle ?? "SULCUS", { config } = peer;
  const tasks: Record<KnownPeer["kind"], () => GateTask> = {
    dicom: () => ({ kind: "echo", peer: dicomPeer(peer, calling) }),
    dicomweb: () => ({
      kind: "http",
      method: "GET",
      url: `${config.url}/studies?limit=1`,
      headers: { accept: "application/dicom+json", ...authorization(peer) },
    }),
    fhir: () => ({
      kind: "http",
      method: "GET",
      url: `${config.url}/metadata`,
      headers: { accept: "application/fhir+json", ...authorization(peer) },
    }),
    hl7: () => ({ kind: "connect", host: config.host, port: config.port, tls: config.tls }),
  };
  const failed = ownWords(failureOf(await askGate(services, tasks[peer.kind]())));
  await noteAnswer(services, peer, "test", failed);
  return { is_ok: failed === null, failure: failed?.failure ?? null, text: failed?.text ?? "" };
}

/** Stores the result of a call to a remote system. @param notBeforeMs Earliest next call. */
export async function noteAnswer(
  { db }: ServiceContext,
  peer: KnownPeer,
  event: string,
  failed: { failure: string; text: string } | null,
  details: Record<string, string | number> = {},
  notBeforeMs: number | null = null,
): Promise<void> {
  if (failed) {
    await notePeerFailure(db, peer.id, storedFailure(failed), notBeforeMs);
  } else await notePeerOk(db, peer.id, nowIso());
  await logConnection(db, {
    at: nowIso(),
    peer: peer.name,
    address: peer.config.host || peer.config.url,
    event,
    isError: failed !== null,
    details: { ...details, ...(failed ? { failure: failed.failure, text: failed.text } : {}) },
  });
}
