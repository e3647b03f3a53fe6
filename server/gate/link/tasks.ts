/**
 * Tasks of the server for the gate, which alone may reach the network, and its answers. Plain JSON.
 */

/** Largest object that is taken, however it comes: one multi-frame file can hold a whole series. */
export const MAX_OBJECT_BYTES = 512 << 20;

/** An element of DICOM JSON (PS3.18 Annex F). */
export interface JsonElement {
  vr: string;
  Value?: unknown[];
}
/** A data set: tags as eight hexadecimal digits, capitals. */
export type DicomJson = Record<string, JsonElement>;

/** A DICOM application on the network. */
export interface DicomPeer {
  host: string;
  port: number;
  /** its AE title */
  called: string;
  /** ours */
  calling: string;
  tls: boolean;
}

/** The UIDs of an instance. */
export interface InstanceName {
  sopClassUid: string;
  sopInstanceUid: string;
}
/** A Part 10 file of the folder for outgoing objects. */
export interface SentFile extends InstanceName {
  path: string;
  transferSyntax: string;
  /** the same deflated: by DICOM for a peer that takes it, by STOW-RS always */
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
    /** text, or the files as parts of a STOW-RS request */
    body?: string | { files: SentFile[] };
    /** parts of a WADO-RS answer go into the inbox, as sent by this name */
    intoInboxAs?: string;
    /** address of its host, which the gate looks up; absent: that is left to the connection */
    address?: string;
  }
  /** whether a port is open; nothing is sent */
  | { kind: "connect"; host: string; port: number; tls: boolean }
  | { kind: "mllp"; host: string; port: number; tls: boolean; message: string };

/** Why a task failed; the words stand in model/text. */
export type GateFailure =
  | "unreachable"
  /** an address of this machine, link-local, or of a metadata service */
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
  /** of DIMSE, or of HTTP */
  status?: number;
  /** error comment of a DIMSE answer */
  comment?: string;
  /** of `store`: one for each file, in order */
  statuses?: { status: number; comment: string }[];
  /** of `find` */
  matches?: DicomJson[];
  /** of `move`, `get` and WADO-RS: instances that came, and those that did not */
  completed?: number;
  failed?: number;
  /** of HTTP and MLLP */
  body?: string;
}

/** Runs one task. Never rejects: a failure is an answer. */
export type Gate = (task: GateTask, signal?: AbortSignal) => Promise<GateAnswer>;

/** Settings of the gate; the server writes them into the inbox when they change. */
export interface GateSettings {
  /** our AE title */
  aeTitle: string;
  /** who may send: its AE title, and from where (addresses or networks; none: from anywhere) */
  senders: { aeTitle: string; addresses: string[] }[];
  /** false: storage is refused with "out of resources" until it is true again */
  isAccepting: boolean;
  maxAssociations: number;
}

/** Events of the gate for the server, as files of the inbox. */
export type GateEvent =
  & { at: string; address: string; calling: string; called: string }
  & (
    | {
      type: "association";
      /** how it ended */
      end: "released" | "aborted" | "broken" | "timeout" | "protocol" | "internal";
      /** in words, empty at a release */
      reason: string;
      echoes: number;
      stored: number;
      refused: number;
      bytes: number;
      seconds: number;
    }
    | { type: "rejected"; reason: string; count: number }
    | { type: "commit_request"; transactionUid: string; instances: InstanceName[] }
    | { type: "commit_result"; transactionUid: string; committed: string[]; failed: string[] }
  );

/** State of the gate; it writes it into the inbox every few seconds. */
export interface GateState {
  at: string;
  startedAt: string;
  port: number;
  isTls: boolean;
  associations: number;
  /** since the start */
  stored: number;
  bytes: number;
  rejected: number;
  rssBytes: number;
}

/** Names below the inbox. */
export const INBOX = {
  /** objects that have arrived whole: `SOP Instance UID.dcm` */
  received: "received",
  /** incoming objects */
  partial: "partial",
  events: "events",
  /** outgoing objects; written by the server, read by the gate */
  sent: "sent",
  settings: "settings.json",
  state: "state.json",
} as const;
