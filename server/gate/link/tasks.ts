/**
 * Tasks of the server for the gate, the only process with network access, and results of tasks.
 * Plain JSON.
 */

/** Maximum size of a received object: one multi-frame file can contain a whole series. */
export const MAX_OBJECT_BYTES = 512 << 20;

/** An element of DICOM JSON (PS3.18 Annex F). */
export interface JsonElement {
  vr: string;
  Value?: unknown[];
}
/** A data set: tags as eight upper-case hexadecimal digits. */
export type DicomJson = Record<string, JsonElement>;

/** A DICOM application on the network. */
export interface DicomPeer {
  host: string;
  port: number;
  /** AE title of the application */
  called: string;
  /** AE title of this site */
  calling: string;
  tls: boolean;
}

/** SOP Class UID and SOP Instance UID of an instance. */
export interface InstanceName {
  sopClassUid: string;
  sopInstanceUid: string;
}
/** A Part 10 file in the folder of outgoing objects. */
export interface SentFile extends InstanceName {
  path: string;
  transferSyntax: string;
  /** deflated variant, for DICOM peers that accept deflated files, and always for STOW-RS */
  deflatedPath?: string;
}

export type GateTask =
  | { kind: "echo"; peer: DicomPeer }
  | { kind: "store"; peer: DicomPeer; files: SentFile[] }
  | { kind: "find"; peer: DicomPeer; model: "study" | "worklist"; query: DicomJson; most: number }
  | { kind: "move"; peer: DicomPeer; destination: string; studyUid: string; seriesUid?: string }
  | { kind: "get"; peer: DicomPeer; studyUid: string; seriesUid?: string }
  | { kind: "commit"; peer: DicomPeer; transactionUid: string; instances: InstanceName[] }
  | {
    kind: "commit_result";
    peer: DicomPeer;
    transactionUid: string;
    committed: InstanceName[];
    failed: (InstanceName & { reason: number })[];
  }
  | {
    kind: "http";
    method: "GET" | "POST" | "PUT";
    url: string;
    headers: Record<string, string>;
    /** text, or files as parts of a STOW-RS request */
    body?: string | { files: SentFile[] };
    /** parts of a WADO-RS response are stored in the inbox under this sender's name */
    intoInboxAs?: string;
    /** IP address of the host, resolved by the gate; absent: resolved by the connection */
    address?: string;
  }
  /** tests whether a port is open; sends nothing */
  | { kind: "connect"; host: string; port: number; tls: boolean }
  | { kind: "mllp"; host: string; port: number; tls: boolean; message: string };

/** Reason for the failure of a task; the texts are in model/text. */
export type GateFailure =
  | "unreachable"
  /** refused address: this machine, link-local, or a metadata service */
  | "not_allowed"
  | "rejected"
  | "timeout"
  | "tls"
  | "aborted"
  | "protocol"
  | "not_supported"
  | "no_gate"
  | "internal";

export interface GateAnswer {
  error?: { failure: GateFailure; text: string };
  /** status of DIMSE or HTTP */
  status?: number;
  /** error comment of a DIMSE response */
  comment?: string;
  /** result of `store`: one status per file, in order */
  statuses?: { status: number; comment: string }[];
  /** matches found by `find` */
  matches?: DicomJson[];
  /** result of `move`, `get` and WADO-RS: number of received and of failed instances */
  completed?: number;
  failed?: number;
  /** body of an HTTP or MLLP response */
  body?: string;
}

/** Executes one task. Never rejects: a failure is a result. */
export type Gate = (task: GateTask, signal?: AbortSignal) => Promise<GateAnswer>;

/** Settings of the gate, which the server writes into the inbox after a change. */
export interface GateSettings {
  /** AE title of this site */
  aeTitle: string;
  /** permitted senders: AE title, and addresses or networks (empty: any) */
  senders: { aeTitle: string; addresses: string[] }[];
  /** false: storage is refused with "out of resources" */
  isAccepting: boolean;
  maxAssociations: number;
  /** who may send HL7 messages; absent in settings of an earlier version: nobody */
  hl7?: {
    /** name of a system, and from where: at least one address or network */
    senders: { name: string; addresses: string[] }[];
    /** character set of messages that name none, as a term of DICOM */
    encoding: string;
  };
}

/** Events of the gate for the server, as files in the inbox. */
export type GateEvent =
  & { at: string; address: string; calling: string; called: string }
  & (
    | {
      type: "association";
      /** how the association ended */
      end: "released" | "aborted" | "broken" | "timeout" | "protocol" | "internal";
      /** reason as text, empty after a release */
      reason: string;
      echoes: number;
      stored: number;
      refused: number;
      bytes: number;
      seconds: number;
    }
    | { type: "rejected"; reason: string; count: number }
    /** HL7 messages that were answered with AE or AR; `calling` is the system */
    | { type: "message_refused"; reason: string; count: number }
    | { type: "commit_request"; transactionUid: string; instances: InstanceName[] }
    | { type: "commit_result"; transactionUid: string; committed: string[]; failed: string[] }
  );

/** State of the gate, which it writes into the inbox every few seconds. */
export interface GateState {
  at: string;
  startedAt: string;
  port: number;
  isTls: boolean;
  associations: number;
  /** counters since the start */
  stored: number;
  bytes: number;
  rejected: number;
  rssBytes: number;
  /** state of the receiver of HL7 messages; absent without a receiver */
  hl7?: {
    port: number;
    isTls: boolean;
    connections: number;
    /** since the start: stored and acknowledged, and refused */
    taken: number;
    refused: number;
    /** stored messages that the server has not fetched yet */
    queued: number;
  };
}

/** The first line of a message's file; the received message follows unchanged. */
export interface MessageNote {
  at: string;
  address: string;
  /** name of the sending system, by the system's address */
  system: string;
}

/** Folder names in the inbox. */
export const INBOX = {
  /** completely received objects: `SOP Instance UID.dcm` */
  received: "received",
  /** folder of objects that are being received */
  partial: "partial",
  events: "events",
  /** folder of acknowledged HL7 messages, ordered by file name */
  messages: "messages",
  /** outgoing objects; written by the server, read by the gate */
  sent: "sent",
  settings: "settings.json",
  state: "state.json",
} as const;
