/**
 * Tasks that the server gives to the gate, the only process with network access, and their results.
 * Tasks and results are plain JSON.
 */

/** Maximum size of a received object: one multi-frame file can contain a whole series. */
export const MAX_OBJECT_BYTES = 512 << 20;

/** An element of DICOM JSON (PS3.18 Annex F). */
export interface JsonElement {
  vr: string;
  Value?: unknown[];
}
/** A DICOM data set as JSON: tags are eight upper-case hexadecimal digits. */
export type DicomJson = Record<string, JsonElement>;

/** Network address and AE titles of a remote DICOM system. */
export interface DicomPeer {
  host: string;
  port: number;
  /** AE title of the remote system */
  called: string;
  /** AE title of this program */
  calling: string;
  tls: boolean;
}

/** SOP Class UID and SOP Instance UID of an instance. */
export interface InstanceName {
  sopClassUid: string;
  sopInstanceUid: string;
}
/** A DICOM file (Part 10) in the folder of outgoing objects. */
export interface SentFile extends InstanceName {
  path: string;
  transferSyntax: string;
  /** path of a deflated copy, for DICOM systems that accept deflated files, and for STOW-RS */
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
    /** text, or files that are sent as parts of a STOW-RS request */
    body?: string | { files: SentFile[] };
    /** name of the sender under which the parts of a WADO-RS response are stored in the inbox */
    intoInboxAs?: string;
    /** IP address of the host, resolved by the gate; absent: resolved on connecting */
    address?: string;
  }
  /** tests whether a port accepts connections; sends nothing */
  | { kind: "connect"; host: string; port: number; tls: boolean }
  | { kind: "mllp"; host: string; port: number; tls: boolean; message: string };

/** Reason for the failure of a task; the texts for users are in model/text. */
export type GateFailure =
  | "unreachable"
  /** the address is refused: this machine, link-local, or a cloud metadata service */
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
  /** DIMSE or HTTP status of the response */
  status?: number;
  /** error comment of a DIMSE response */
  comment?: string;
  /** result of the task `store`: one status per file, in order */
  statuses?: { status: number; comment: string }[];
  /** matches found by the task `find` */
  matches?: DicomJson[];
  /** result of `move`, `get` and WADO-RS: number of received and of failed instances */
  completed?: number;
  failed?: number;
  /** body of an HTTP response, or HL7 acknowledgement */
  body?: string;
}

/** Executes one task. Never rejects: a failure is part of the result. */
export type Gate = (task: GateTask, signal?: AbortSignal) => Promise<GateAnswer>;

/** Settings of the gate (network process), which the server writes into the inbox folder. */
export interface GateSettings {
  /** AE title of this program */
  aeTitle: string;
  /** permitted senders: AE title, and addresses or networks (empty: any address) */
  senders: { aeTitle: string; addresses: string[] }[];
  /** false: storage requests are refused with "out of resources" */
  isAccepting: boolean;
  maxAssociations: number;
  /** permitted senders of HL7 messages; absent in settings of an earlier version: no sender */
  hl7?: {
    /** name of a sending system, and at least one address or network from which it sends */
    senders: { name: string; addresses: string[] }[];
    /** character set of messages that declare no character set, as DICOM defined term */
    encoding: string;
  };
}

/** Events that the gate (network process) writes as files in the inbox, for the server. */
export type GateEvent =
  & { at: string; address: string; calling: string; called: string }
  & (
    | {
      type: "association";
      /** how the DICOM association ended */
      end: "released" | "aborted" | "broken" | "timeout" | "protocol" | "internal";
      /** reason of the end as text, empty after a release */
      reason: string;
      echoes: number;
      stored: number;
      refused: number;
      bytes: number;
      seconds: number;
    }
    | { type: "rejected"; reason: string; count: number }
    /** refused HL7 messages (answered with AE or AR); `calling` is the sending system */
    | { type: "message_refused"; reason: string; count: number }
    /** HL7 connections that were closed for others, because too many were open */
    | { type: "hl7_closed"; reason: string; count: number }
    | { type: "commit_request"; transactionUid: string; instances: InstanceName[] }
    | { type: "commit_result"; transactionUid: string; committed: string[]; failed: string[] }
  );

/** State of the gate (network process), which it writes into the inbox every few seconds. */
export interface GateState {
  at: string;
  startedAt: string;
  port: number;
  isTls: boolean;
  associations: number;
  /** counters since the start of the process */
  stored: number;
  bytes: number;
  rejected: number;
  rssBytes: number;
  /** state of the receiver of HL7 messages; absent if none are received */
  hl7?: {
    port: number;
    isTls: boolean;
    connections: number;
    /** number of messages since the start: stored and acknowledged, and refused */
    taken: number;
    refused: number;
    /** number of stored messages that the server has not fetched yet */
    queued: number;
  };
}

/** First line, as JSON, in the file of an HL7 message; the received message follows unchanged. */
export interface MessageNote {
  at: string;
  address: string;
  /** name of the sending system, found by the network address */
  system: string;
}

/** Names of folders and files in the inbox, the folder shared by gate and server. */
export const INBOX = {
  /** folder of completely received DICOM objects, `SOP Instance UID.dcm` */
  received: "received",
  /** folder of DICOM objects that are being received */
  partial: "partial",
  events: "events",
  /** folder of acknowledged HL7 messages, ordered by file name */
  messages: "messages",
  /** folder of outgoing DICOM objects; written by the server, read by the gate */
  sent: "sent",
  settings: "settings.json",
  state: "state.json",
} as const;
