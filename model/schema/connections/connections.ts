import * as z from "zod/mini";

/** Kinds of systems that a site talks to. */
export const PEER_KINDS = ["dicom", "dicomweb", "hl7", "fhir"] as const;
/** Results of a study that can be sent. */
export const RESULT_KINDS = [
  "report",
  "measurements",
  "regions",
  "lesions",
  "changes",
  "pages",
  "key_images",
  "images",
  "hl7",
  "fhir",
] as const;
export type ResultKind = (typeof RESULT_KINDS)[number];

/** AE title: no backslash, no control characters, no spaces around it (PS3.5 Table 6.2-1). */
const aeTitle = z.string().check(z.regex(/^(?! )[\x20-\x5b\x5d-\x7e]{1,16}(?<! )$/));
const hostName = z.string().check(z.regex(/^[A-Za-z0-9._:-]{1,253}$/));
const webAddress = z.string().check(z.maxLength(500), z.regex(/^https?:\/\/[^\s]+$/));

/** Stored settings of a remote system, without its secret. Fields that its kind lacks are empty. */
export const peerConfig = z.object({
  ae_title: z._default(z.union([aeTitle, z.literal("")]), ""),
  host: z._default(z.union([hostName, z.literal("")]), ""),
  port: z._default(z.number().check(z.int(), z.gte(0), z.lte(65535)), 0),
  tls: z._default(z.boolean(), false),
  /** of DICOMweb or FHIR */
  url: z._default(z.union([webAddress, z.literal("")]), ""),
  /** user of basic authentication; empty: the secret is a bearer token */
  user: z._default(z.string().check(z.maxLength(200)), ""),
  /** may send to us */
  may_send: z._default(z.boolean(), false),
  /** from where it may send; none: from anywhere */
  addresses: z._default(z.array(z.string().check(z.maxLength(50))).check(z.maxLength(50)), []),
  /**
   * certificate that it reads from us with: SHA-256 fingerprint; in a change also the certificate
   * itself, PEM
   */
  certificate: z._default(z.string().check(z.maxLength(10_000)), ""),
  /** results that go there */
  results: z._default(z.array(z.enum(RESULT_KINDS)), []),
  /** only studies of these rules; false: of every study */
  by_rule: z._default(z.boolean(), false),
  /** storage commitment is requested for sent objects */
  commits: z._default(z.boolean(), false),
  language: z._default(z.enum(["en", "ko"]), "en"),
  /** takes segmentations as label maps (PS3.3 2024) */
  label_map: z._default(z.boolean(), false),
  /**
   * takes objects in Deflated Explicit VR Little Endian; by DICOM it is asked, and gets them plain
   * if it does not
   */
  deflated: z._default(z.boolean(), false),
  /** it receives de-identified objects only (PS3.15), and no report */
  research: z._default(z.boolean(), false),
  /** faces are removed from the images that it gets */
  deface: z._default(z.boolean(), false),
  /** it has the modality worklist: asked for the accession numbers that images lack */
  worklist: z._default(z.boolean(), false),
  /** users may search it and take studies from it */
  search: z._default(z.boolean(), false),
  /** how a DICOM system gives studies; by DICOMweb it is always WADO-RS */
  retrieve: z._default(z.enum(["move", "get"]), "move"),
});
export type PeerConfig = z.infer<typeof peerConfig>;

export const peerPut = z.object({
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(60)),
  kind: z.enum(PEER_KINDS),
  config: peerConfig,
  /** absent: as it is */
  secret: z.optional(z.nullable(z.string().check(z.maxLength(2000)))),
});
export type PeerPut = z.input<typeof peerPut>;

const peer = z.object({
  id: z.number(),
  name: z.string(),
  kind: z.enum(PEER_KINDS),
  config: peerConfig,
  has_secret: z.boolean(),
  /** it has a key to read from us by DICOMweb and FHIR */
  has_key: z.boolean(),
  waiting: z.number(),
  failed: z.number(),
  /** the last failure; `null` when the last call worked */
  last_error: z.nullable(z.string()),
  last_ok_at: z.nullable(z.string()),
  /** until then nothing is sent there */
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
  /** code of an error, with its reason after a slash */
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
  })),
  peers: z.array(peer),
  counts: z.object({
    arriving: z.number(),
    waiting: z.number(),
    stored: z.number(),
    refused: z.number(),
    /** studies that a change of many has left to be queued, a few a minute */
    changed: z._default(z.number(), 0),
    to_send: z.number(),
    failed: z.number(),
    commitments: z.number(),
  }),
  /** DICOM traffic of the last hour; an association counts when it has ended */
  last_hour: z.object({ images: z.number(), bytes: z.number(), results: z.number() }),
  arrivals: z.array(arrival),
  outbox: z.array(sentResult),
  log: z.array(connectionEvent),
});
export type Connections = z.infer<typeof connections>;

/** Result of a test that the page runs. */
export const peerTest = z.object({
  is_ok: z.boolean(),
  /** of server/gate/link/tasks.ts, or `status` */
  failure: z.nullable(z.string()),
  text: z.string(),
});
export type PeerTest = z.infer<typeof peerTest>;

export const RULE_ACTIONS = ["analyze", "keep", "refuse"] as const;
/**
 * Conditions of a rule; an empty text or `null` matches everything. Texts match as a part, ignoring
 * case.
 */
const routingRule = z.object({
  sender: z.string().check(z.maxLength(64)),
  modality: z.string().check(z.maxLength(16)),
  station: z.string().check(z.maxLength(64)),
  description: z.string().check(z.maxLength(100)),
  body_part: z.string().check(z.maxLength(64)),
  age_from: z.nullable(z.number().check(z.gte(0), z.lte(150))),
  age_to: z.nullable(z.number().check(z.gte(0), z.lte(150))),
  action: z.enum(RULE_ACTIONS),
  /** numbers of the systems that the results go to, of those that go by rules */
  peers: z.array(z.number()).check(z.maxLength(50)),
  /** number of the archive that earlier brain studies of the patient are taken from */
  priors_from: z._default(z.nullable(z.number()), null),
});
export type RoutingRule = z.infer<typeof routingRule>;
/** Analyses whatever comes. */
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
  /** a study is complete when nothing of it has come for so long */
  quiet_seconds: z.number().check(z.int(), z.gte(1), z.lte(3600)),
  /** refused series are kept this long, for slices that come late */
  keep_days: z.number().check(z.int(), z.gte(0), z.lte(365)),
  /** where alarms of a standing queue go; empty: nowhere */
  webhook: z.union([webAddress, z.literal("")]),
  /** a queue alarms when its oldest entry has waited this long */
  alarm_minutes: z.number().check(z.int(), z.gte(1), z.lte(10080)),
});
export type Routing = z.infer<typeof routing>;

export const routingTest = z.object({
  /**
   * the last studies, newest first, with the number of the rule (from 0) that their first series
   * meets
   */
  studies: z.array(z.object({
    pid: z.number(),
    description: z.string(),
    rule: z.nullable(z.number()),
    action: z.enum(RULE_ACTIONS),
  })),
});
export type RoutingTest = z.infer<typeof routingTest>;

/** The UIDs of an instance. */
export interface InstanceName {
  sopClassUid: string;
  sopInstanceUid: string;
}

/** Answer to `POST …/peers/{id}/key`: shown once. */
export const systemKey = z.object({ key: z.string() });
/** Answer to a change of a system. */
export const peerSaved = z.object({ id: z.number() });
export const repeatRequest = z.object({
  ids: z.array(z.number().check(z.int(), z.gte(1))).check(z.minLength(1), z.maxLength(500)),
});
export const sentResults = z.object({ results: z.array(sentResult) });
export type SentResults = z.infer<typeof sentResults>;
