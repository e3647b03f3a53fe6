import { ID_DOUBTS } from "@/model/hl7/uncertain_ids.ts";
import * as z from "zod/mini";
import { typedText } from "@/model/schema/typed_text.ts";

/** Kinds of remote systems, by protocol. */
export const PEER_KINDS = ["dicom", "dicomweb", "hl7", "fhir"] as const;
/** Kinds of a study's results that can be sent. */
export const RESULT_KINDS = [
  "report",
  "measurements",
  "regions",
  "lesions",
  "outlines",
  "changes",
  "thickness",
  "percentiles",
  "pages",
  "key_images",
  "images",
  "hl7",
  "fhir",
] as const;
export type ResultKind = (typeof RESULT_KINDS)[number];

/** AE title: no backslash, no control characters, no surrounding spaces (PS3.5 Table 6.2-1). */
const aeTitle = z.string().check(z.regex(/^(?! )[\x20-\x5b\x5d-\x7e]{1,16}(?<! )$/));
const hostName = z.string().check(z.regex(/^[A-Za-z0-9._:-]{1,253}$/));
const webAddress = z.string().check(typedText, z.maxLength(500), z.regex(/^https?:\/\/[^\s]+$/));

/**
 * Stored settings of a remote system, without the secret.
 * Fields that the kind of system does not use are empty.
 */
export const peerConfig = z.object({
  ae_title: z._default(z.union([aeTitle, z.literal("")]), ""),
  host: z._default(z.union([hostName, z.literal("")]), ""),
  port: z._default(z.number().check(z.int(), z.gte(0), z.lte(65535)), 0),
  tls: z._default(z.boolean(), false),
  /** base address of DICOMweb or FHIR */
  url: z._default(z.union([webAddress, z.literal("")]), ""),
  /** user name for basic authentication; empty: the secret is a bearer token */
  user: z._default(z.string().check(typedText, z.maxLength(200)), ""),
  /** whether the system may send images or messages to this site */
  may_send: z._default(z.boolean(), false),
  /** addresses from which the system may send; empty: any address */
  addresses: z._default(z.array(z.string().check(z.maxLength(50))).check(z.maxLength(50)), []),
  /**
   * HL7: assigning authority (CX.4) of the patient IDs in the images
   * empty: a message's only ID, or only medical record number
   */
  id_authority: z._default(z.string().check(typedText, z.maxLength(100), z.trim()), ""),
  /**
   * SHA-256 fingerprint of the client certificate with which the system reads from this site
   * in a change request also the PEM certificate
   */
  certificate: z._default(z.string().check(z.maxLength(10_000)), ""),
  /** kinds of results that are sent to the system */
  results: z._default(z.array(z.enum(RESULT_KINDS)), []),
  /** true: send only studies that match a rule of the system; false: send all studies */
  by_rule: z._default(z.boolean(), false),
  /** whether to request storage commitment for sent objects */
  commits: z._default(z.boolean(), false),
  language: z._default(z.enum(["en", "ko"]), "en"),
  /** whether the system accepts segmentations as label maps (PS3.3 2024) */
  label_map: z._default(z.boolean(), false),
  /**
   * whether the system accepts Deflated Explicit VR Little Endian
   * over DICOM this is negotiated, with uncompressed objects as fallback
   */
  deflated: z._default(z.boolean(), false),
  /** whether to send only de-identified objects (PS3.15), and no report */
  research: z._default(z.boolean(), false),
  /** whether to remove faces from images that are sent to the system */
  deface: z._default(z.boolean(), false),
  /** whether the system offers a modality worklist, to be queried for missing accession numbers */
  worklist: z._default(z.boolean(), false),
  /** whether users may search the system and retrieve studies from it */
  search: z._default(z.boolean(), false),
  /** retrieval method of a DICOM system; DICOMweb always uses WADO-RS */
  retrieve: z._default(z.enum(["move", "get"]), "move"),
});
export type PeerConfig = z.infer<typeof peerConfig>;

export const peerPut = z.object({
  name: z.string().check(typedText, z.trim(), z.minLength(1), z.maxLength(60)),
  kind: z.enum(PEER_KINDS),
  config: peerConfig,
  /** absent: the secret is not changed */
  secret: z.optional(z.nullable(z.string().check(z.maxLength(2000)))),
});
export type PeerPut = z.input<typeof peerPut>;

const peer = z.object({
  id: z.number(),
  name: z.string(),
  kind: z.enum(PEER_KINDS),
  config: peerConfig,
  has_secret: z.boolean(),
  /** whether the system has a key for reading from this site by DICOMweb and FHIR */
  has_key: z.boolean(),
  waiting: z.number(),
  failed: z.number(),
  /** error of the last call to the system; `null` after a successful call */
  last_error: z.nullable(z.string()),
  last_ok_at: z.nullable(z.string()),
  /** end of the pause in sending after failures */
  not_before: z.nullable(z.string()),
});
export type Peer = z.infer<typeof peer>;

const ARRIVAL_STATES = ["arriving", "waiting", "stored", "refused"] as const;
const arrival = z.object({
  series_uid: z.string(),
  sender: z.string(),
  description: z.string(),
  instances: z.number(),
  first_at: z.string(),
  last_at: z.string(),
  state: z.enum(ARRIVAL_STATES),
  /** error code, then a slash and the reason */
  reason: z.nullable(z.string()),
  pid: z.nullable(z.number()),
});

const OUTBOX_STATES = ["waiting", "sending", "sent", "failed", "nothing"] as const;
const sentResult = z.object({
  id: z.number(),
  peer: z.string(),
  pid: z.number(),
  kind: z.string(),
  state: z.enum(OUTBOX_STATES),
  attempts: z.number(),
  last_error: z.nullable(z.string()),
  created_at: z.string(),
  sent_at: z.nullable(z.string()),
  committed_at: z.nullable(z.string()),
});

const connectionEvent = z.object({
  id: z.number(),
  at: z.string(),
  peer: z.string(),
  address: z.string(),
  event: z.string(),
  is_error: z.boolean(),
  details: z.record(z.string(), z.union([z.string(), z.number()])),
});

const MESSAGE_STATES = ["waiting", "failed", "applied", "ignored", "dropped"] as const;
/** A message of the hospital's patient administration; those that wait or failed come first. */
const hl7Message = z.object({
  id: z.number(),
  system: z.string(),
  /** event of the message, such as ADT^A08 */
  event: z.string(),
  control_id: z.string(),
  /** patient ID of the message; empty if it cannot be read with certainty */
  patient_id: z.string(),
  /** former patient ID of a merge; empty for other messages */
  prior_id: z.string(),
  received_at: z.string(),
  state: z.enum(MESSAGE_STATES),
  /** reason code of the state; `null` without a reason */
  reason: z.nullable(z.string()),
  /** whether a user must compare the identities before the message is applied */
  needs_confirmation: z.optional(z.boolean()),
  /** patient IDs as received, if they are uncertain, each with its assigning authority */
  uncertain: z.optional(z.object({
    ids: z.array(z.string()),
    prior_ids: z.array(z.string()),
    doubt: z.enum(ID_DOUBTS),
  })),
  /** user and time of the undo after which a merge of the same two IDs waits */
  undone: z.optional(z.object({ by: z.string(), at: z.string() })),
});
export type Hl7MessageRow = z.infer<typeof hl7Message>;

const identity = {
  name: z.string(),
  /** ISO 8601; year, or year and month, of an incomplete date in a message */
  birth_date: z.nullable(z.string()),
  sex: z.nullable(z.string()),
};
/**
 * `GET /api/v1/connections/messages/:id/confirmation`: the identities that a person compares before
 * a message is applied despite a doubt.
 */
export const messageConfirmation = z.object({
  reason: z.string(),
  /** digest for the call that applies the message; another one as soon as the records change */
  confirmed: z.string(),
  /** distinct identities recorded for the IDs of the message, and how many records have each */
  recorded: z.array(
    z.object({ patient_id: z.string(), ...identity, studies: z.number(), orders: z.number() }),
  ),
  given: z.object({ patient_id: z.string(), prior_id: z.string(), ...identity }),
});
export type MessageConfirmation = z.infer<typeof messageConfirmation>;

/** `POST /api/v1/connections/messages/:id/repetition`. */
export const repetitionQuery = z.object({
  /** digest `confirmed` of {@link messageConfirmation}, as seen by the user; absent for a retry */
  confirmed: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
});

const patientMerge = z.object({
  id: z.number(),
  system: z.string(),
  prior_id: z.string(),
  patient_id: z.string(),
  merged_at: z.string(),
  /** numbers of the studies that the merge moved */
  pids: z.array(z.number()),
  state: z.enum(["active", "superseded", "undone"]),
  /** end of the time in which an undo is possible; `null` if it is impossible */
  undo_until: z.nullable(z.string()),
  /** why an active merge cannot be undone; otherwise `null` */
  refusal: z.nullable(z.enum(["too_old", "merged_later"])),
});
export type PatientMergeRow = z.infer<typeof patientMerge>;

/** Number of HL7 messages and of merges on a page, unless a call requests another number. */
export const ROWS_PER_PAGE = 50;
const pageLimit = z._default(
  z.coerce.number().check(z.int(), z.gte(1), z.lte(100)),
  ROWS_PER_PAGE,
);

/** `GET /api/v1/connections/messages`. `after`: `next` of the previous page. */
export const messagesQuery = z.object({
  after: z.optional(z.string().check(z.regex(/^(open|ended)-[0-9]{1,15}$/))),
  limit: pageLimit,
});
export type MessagesQuery = z.output<typeof messagesQuery>;
/** One page of HL7 messages, in the order of the whole list. */
export const messagesPage = z.object({
  messages: z.array(hl7Message),
  /** position of the next page; `null` on the last page */
  next: z.nullable(z.string()),
});
export type MessagesPage = z.infer<typeof messagesPage>;

/** `GET /api/v1/connections/merges`. `after`: `next` of the previous page. */
export const mergesQuery = z.object({
  after: z.optional(z.string().check(z.regex(/^[0-9]{1,15}$/))),
  limit: pageLimit,
});
export type MergesQuery = z.output<typeof mergesQuery>;
/** One page of patient merges, newest first. */
export const mergesPage = z.object({
  merges: z.array(patientMerge),
  /** position of the next page; `null` on the last page */
  next: z.nullable(z.string()),
});
export type MergesPage = z.infer<typeof mergesPage>;

/** Maximum number of orders without images: those of a month with 650 orders a day. */
export const MAX_ORDERS = 20_000;

/** `GET /api/v1/connections`; maintenance users only. */
export const connections = z.object({
  gate: z.nullable(z.object({
    ae_title: z.string(),
    port: z.number(),
    tls: z.boolean(),
    is_running: z.boolean(),
    associations: z.number(),
    stored: z.number(),
    bytes: z.number(),
    rejected: z.number(),
    rss_bytes: z.number(),
    /** state of the receiver of HL7 messages; `null`: not configured */
    hl7: z._default(
      z.nullable(z.object({
        port: z.number(),
        tls: z.boolean(),
        connections: z.number(),
        taken: z.number(),
        refused: z.number(),
      })),
      null,
    ),
  })),
  peers: z.array(peer),
  counts: z.object({
    arriving: z.number(),
    waiting: z.number(),
    stored: z.number(),
    refused: z.number(),
    /** studies changed in bulk, for example by norms, that are not yet queued for sending */
    changed: z._default(z.number(), 0),
    to_send: z.number(),
    failed: z.number(),
    commitments: z.number(),
    /** orders without images, of at most {@link MAX_ORDERS} */
    orders: z._default(z.number(), 0),
  }),
  /** DICOM traffic of the last hour; an association is counted when it ends */
  last_hour: z.object({ images: z.number(), bytes: z.number(), results: z.number() }),
  arrivals: z.array(arrival),
  /** first page of the HL7 messages, and the position of the next one */
  messages: z._default(z.array(hl7Message), []),
  messages_next: z._default(z.nullable(z.string()), null),
  /** first page of the merges, and the position of the next one */
  merges: z._default(z.array(patientMerge), []),
  merges_next: z._default(z.nullable(z.string()), null),
  outbox: z.array(sentResult),
  log: z.array(connectionEvent),
});
export type Connections = z.infer<typeof connections>;

/** Result of a connection test started by a user. */
export const peerTest = z.object({
  is_ok: z.boolean(),
  /** failure reason (server/gate/link/tasks.ts); `status`: the system returned a failure status */
  failure: z.nullable(z.string()),
  text: z.string(),
});
export type PeerTest = z.infer<typeof peerTest>;

export const RULE_ACTIONS = ["analyze", "keep", "refuse"] as const;
/**
 * Conditions of a routing rule; an empty text or `null` accepts every study.
 * Texts match as substrings, case-insensitively.
 */
const routingRule = z.object({
  sender: z.string().check(typedText, z.maxLength(64)),
  modality: z.string().check(typedText, z.maxLength(16)),
  station: z.string().check(typedText, z.maxLength(64)),
  description: z.string().check(typedText, z.maxLength(100)),
  body_part: z.string().check(typedText, z.maxLength(64)),
  age_from: z.nullable(z.number().check(z.gte(0), z.lte(150))),
  age_to: z.nullable(z.number().check(z.gte(0), z.lte(150))),
  action: z.enum(RULE_ACTIONS),
  /** ids of the systems that receive the results, among those that are sent by rules */
  peers: z.array(z.number()).check(z.maxLength(50)),
  /** id of the archive from which earlier brain studies of the patient are retrieved */
  priors_from: z._default(z.nullable(z.number()), null),
});
export type RoutingRule = z.infer<typeof routingRule>;
/** Rule without conditions: analyses every study. */
export const ANY_ROUTING_RULE: RoutingRule = {
  sender: "",
  modality: "",
  station: "",
  description: "",
  body_part: "",
  age_from: null,
  age_to: null,
  action: "analyze",
  peers: [],
  priors_from: null,
};

export const routing = z.object({
  rules: z.array(routingRule).check(z.maxLength(100)),
  /** time without new files, s, after which a study counts as complete */
  quiet_seconds: z.number().check(z.int(), z.gte(1), z.lte(3600)),
  /** time for which refused series are stored, in case more slices arrive */
  keep_days: z.number().check(z.int(), z.gte(0), z.lte(365)),
  /** destination of alarms about a blocked queue; empty: no alarm */
  webhook: z.union([webAddress, z.literal("")]),
  /** age of a queue's oldest entry at which an alarm is raised */
  alarm_minutes: z.number().check(z.int(), z.gte(1), z.lte(10080)),
});
export type Routing = z.infer<typeof routing>;

export const routingTest = z.object({
  /** recent studies, newest first, each with the index of the rule that the first series matches */
  studies: z.array(z.object({
    pid: z.number(),
    description: z.string(),
    rule: z.nullable(z.number()),
    action: z.enum(RULE_ACTIONS),
  })),
});
export type RoutingTest = z.infer<typeof routingTest>;

/** SOP Class UID and SOP Instance UID of an object. */
export interface InstanceName {
  sopClassUid: string;
  sopInstanceUid: string;
}

/** Response of `POST …/peers/{id}/key`: the key is shown once. */
export const systemKey = z.object({ key: z.string() });
/** Response to a change of a remote system. */
export const peerSaved = z.object({ id: z.number() });
export const repeatRequest = z.object({
  ids: z.array(z.number().check(z.int(), z.gte(1))).check(z.minLength(1), z.maxLength(500)),
});
export const sentResults = z.object({ results: z.array(sentResult) });
export type SentResults = z.infer<typeof sentResults>;
