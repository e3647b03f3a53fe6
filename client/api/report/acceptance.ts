import {
  acceptanceCreated,
  type AcceptanceDetails,
  acceptanceDetails,
  type AcceptanceList,
  acceptanceList,
  type AcceptancePost,
  type PictureAnswer,
  type SignaturePost,
} from "@/model/schema/report/acceptance.ts";
import {
  type ScannerStops,
  scannerStops,
  type StopAgreement,
  type StopProposal,
} from "@/model/schema/report/stops.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

const ALL = "/api/v1/acceptances", STOPS = "/api/v1/stops";

/** Scanners with results, and the acceptance tests of these scanners. */
export const getAcceptances = (api: Api): Promise<AcceptanceList> =>
  callJson(api, acceptanceList, ALL);

/** @throws {AppError} `entity.not_found`. */
export const getAcceptance = (api: Api, id: number): Promise<AcceptanceDetails> =>
  callJson(api, acceptanceDetails, `${ALL}/${id}`);

/** Starts an acceptance test. @throws {AppError} `acceptance.no_studies`, `access.forbidden`. */
export const beginAcceptance = async (api: Api, post: AcceptancePost): Promise<number> =>
  (await callJson(api, acceptanceCreated, ALL, { method: "POST", json: post })).id;

/**
 * Stores an answer about one picture. A user to whom its image was not sent can
 * answer `unclear` only.
 * @throws {AppError} `acceptance.not_open`, `acceptance.picture_unseen`, `entity.not_found`.
 */
export const answerPicture = async (
  api: Api,
  { id, place }: { id: number; place: number },
  answer: PictureAnswer,
): Promise<void> =>
  void await call(api, `${ALL}/${id}/pictures/${place}`, { method: "PUT", json: { answer } });

/**
 * Signs an acceptance test.
 * @throws {AppError} `acceptance.not_allowed`, `acceptance.remark_missing`, `acceptance.not_open`,
 * `access.forbidden`.
 */
export const signAcceptance = async (api: Api, id: number, post: SignaturePost): Promise<void> =>
  void await call(api, `${ALL}/${id}/signature`, { method: "POST", json: post });

/**
 * Signs as the second person.
 * @throws {AppError} `acceptance.same_person`, `acceptance.not_open`, `acceptance.replaced`,
 * `access.forbidden`.
 */
export const countersignAcceptance = async (api: Api, id: number): Promise<void> =>
  void await call(api, `${ALL}/${id}/countersignature`, { method: "POST" });

/** Withdraws an acceptance test. @throws {AppError} `acceptance.not_open`, `access.forbidden`. */
export const revokeAcceptance = async (api: Api, id: number): Promise<void> =>
  void await call(api, `${ALL}/${id}/revocation`, { method: "POST" });

/** Scanners with percentiles that are, or were, withheld. @throws {AppError} `access.forbidden`. */
export const getStops = (api: Api): Promise<ScannerStops> => callJson(api, scannerStops, STOPS);

/**
 * Proposes a decision about withheld percentiles.
 * @throws {AppError} `stop.not_open`, `access.forbidden`.
 */
export const proposeStop = async (api: Api, id: number, proposal: StopProposal): Promise<void> =>
  void await call(api, `${STOPS}/${id}/proposal`, { method: "POST", json: proposal });

/**
 * Agrees, as the second person, to the proposal about withheld percentiles that was read.
 * @throws {AppError} `stop.same_person`, `stop.not_open`, `access.forbidden`.
 */
export const agreeToStop = async (api: Api, id: number, seen: StopAgreement): Promise<void> =>
  void await call(api, `${STOPS}/${id}/agreement`, { method: "POST", json: seen });

/**
 * Withdraws a decision about withheld percentiles.
 * @throws {AppError} `stop.not_open`, `access.forbidden`.
 */
export const undoStop = async (api: Api, id: number): Promise<void> =>
  void await call(api, `${STOPS}/${id}/undo`, { method: "POST" });
