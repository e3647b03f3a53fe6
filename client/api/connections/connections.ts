import {
  type Connections,
  connections,
  type MergesPage,
  mergesPage,
  type MessageConfirmation,
  messageConfirmation,
  type MessagesPage,
  messagesPage,
  type PeerPut,
  peerSaved,
  type PeerTest,
  peerTest,
  type Routing,
  routing,
  type RoutingTest,
  routingTest,
  type SentResults,
  sentResults,
  systemKey,
} from "@/model/schema/connections/connections.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

const ROOT = "/api/v1/connections";

/**
 * State of the connections to other systems; administrators only.
 * @throws {AppError} `access.forbidden`.
 */
export const getConnections = (api: Api, signal?: AbortSignal): Promise<Connections> =>
  callJson(api, connections, ROOT, { signal });

/**
 * Adds a remote system (`null`) or changes a stored system.
 * @throws {AppError} `input.invalid`, `entity.not_found`.
 */
export const savePeer = async (api: Api, id: number | null, peer: PeerPut): Promise<number> =>
  (await callJson(api, peerSaved, id === null ? `${ROOT}/peers` : `${ROOT}/peers/${id}`, {
    method: id === null ? "POST" : "PUT",
    json: peer,
  })).id;

export async function removePeer(api: Api, id: number): Promise<void> {
  await call(api, `${ROOT}/peers/${id}`, { method: "DELETE" });
}

/** Tests the connection to a remote system by a DICOM echo or an equivalent call. */
export const testPeer = (api: Api, id: number): Promise<PeerTest> =>
  callJson(api, peerTest, `${ROOT}/peers/${id}/test`, { method: "POST" });

/** Sends a synthetic image to an archive, as a test. @throws {AppError} `entity.not_found`. */
export const sendTestImage = (api: Api, id: number): Promise<PeerTest> =>
  callJson(api, peerTest, `${ROOT}/peers/${id}/test-image`, { method: "POST" });

/**
 * Creates an API key with which a system reads results; the previous key becomes invalid.
 * @returns the key, which is shown only once.
 */
export const renewSystemKey = async (api: Api, id: number): Promise<string> =>
  (await callJson(api, systemKey, `${ROOT}/peers/${id}/key`, { method: "POST" })).key;

/** Sends results of a study again. @throws {AppError} `entity.not_found`. */
export async function repeatResults(api: Api, ids: readonly number[]): Promise<void> {
  await call(api, `${ROOT}/outbox/repeat`, { method: "POST", json: { ids } });
}

/** Rows to return: at most `limit` rows after the cursor `after`; by default, the first page. */
export type PageChoice = {
  after?: string;
  limit?: number;
};

/** A page of HL7 messages; waiting and failed messages come first. */
export const getMessages = (
  api: Api,
  query: PageChoice,
  signal?: AbortSignal,
): Promise<MessagesPage> => callJson(api, messagesPage, `${ROOT}/messages`, { query, signal });

/** A page of patient merges, newest first. */
export const getMerges = (
  api: Api,
  query: PageChoice,
  signal?: AbortSignal,
): Promise<MergesPage> => callJson(api, mergesPage, `${ROOT}/merges`, { query, signal });

/** Identities to compare before a message is applied. @throws {AppError} `entity.not_found`. */
export const getConfirmation = (api: Api, id: number): Promise<MessageConfirmation> =>
  callJson(api, messageConfirmation, `${ROOT}/messages/${id}/confirmation`);

/**
 * Applies an HL7 message again after a failure.
 * @param confirmed `confirmed` of the identities that the user has compared.
 * @throws {AppError} `entity.not_found`, `message.unconfirmed`.
 */
export async function repeatMessage(api: Api, id: number, confirmed?: string): Promise<void> {
  const query = confirmed === undefined ? "" : `?confirmed=${confirmed}`;
  await call(api, `${ROOT}/messages/${id}/repetition${query}`, { method: "POST" });
}

/** Drops an HL7 message that waits or has failed. @throws {AppError} `entity.not_found`. */
export async function dropMessage(api: Api, id: number): Promise<void> {
  await call(api, `${ROOT}/messages/${id}`, { method: "DELETE" });
}

/**
 * Undoes a merge of two patients.
 * @throws {AppError} `entity.not_found`, `merge.not_undoable`, `study.being_edited`.
 */
export async function undoMerge(api: Api, id: number): Promise<void> {
  await call(api, `${ROOT}/merges/${id}/undo`, { method: "POST" });
}

export const getRouting = (api: Api, signal?: AbortSignal): Promise<Routing> =>
  callJson(api, routing, `${ROOT}/routing`, { signal });

export const saveRouting = (api: Api, values: Routing): Promise<Routing> =>
  callJson(api, routing, `${ROOT}/routing`, { method: "PUT", json: values });

/** Previews routing rules on the most recent studies, without saving the rules. */
export const testRouting = (api: Api, values: Routing): Promise<RoutingTest> =>
  callJson(api, routingTest, `${ROOT}/routing/test`, { method: "POST", json: values });

/** Delivery state of the results of a study. @throws {AppError} `entity.not_found`. */
export const getSentResults = (api: Api, pid: number, signal?: AbortSignal): Promise<SentResults> =>
  callJson(api, sentResults, `/api/v1/patients/${pid}/sent`, { signal });
