import type * as z from "zod/mini";
import type { Action } from "@/model/accounts/roles.ts";

/** Schemas under their names in the OpenAPI document. */
export type NamedSchemas = Readonly<Record<string, z.ZodMiniType>>;

/**
 * Studies of which a response contains images, results or findings. The server records them as
 * seen for users who still have to read them in a blinded reading study.
 * - `nothing`: none; identity, settings, counts, and figures of many studies together
 * - `studies`: the study in the URL, studies named by a `pid` in the JSON response, and those that
 *   the route names by `shown` or for the audit log
 * - `patients`: the same, and all other studies of these patients
 * - `unnamed`: studies that cannot be named, so the response is refused to such users
 * - `blinded`: the case that a reading study shows; the reading study records the view itself
 */
export type ShownStudies = "nothing" | "studies" | "patients" | "unnamed" | "blinded";

/** A call of the API: permission, parameters, body and response. */
export interface Endpoint {
  /** `public` calls work without a session */
  may: Action | "public";
  /** required with `answer` or `file`; without it, the response is refused as for `unnamed` */
  shows?: ShownStudies;
  /** description of the call, one English sentence */
  summary: string;
  query?: NamedSchemas;
  /** schemas of a JSON request body, by name in the OpenAPI document */
  body?: NamedSchemas;
  /** media types of any other request body */
  takes?: readonly string[];
  /**
   * schemas of a JSON response; with several, the query decides. Without `answer` and `file`: 204
   */
  answer?: NamedSchemas;
  /** media types of a response that is not JSON; with `answer` too, `status` is for JSON only */
  file?: readonly string[];
  /** HTTP status of a JSON response, 200 by default */
  status?: 200 | 201 | 202;
  /** a GET route that supports only HEAD */
  isHeadOnly?: boolean;
}

/** Calls by method and route, as Hono writes routes. */
export type Endpoints = Readonly<Record<string, Endpoint>>;

/** Checks the type of a table of calls and keeps the keys in the type. */
export const endpoints = <T extends Endpoints>(table: T): T => table;
