import type * as z from "zod/mini";
import type { Action } from "@/model/accounts/roles.ts";

/** Schemas under the names that they have in the OpenAPI document. */
export type NamedSchemas = Readonly<Record<string, z.ZodMiniType>>;

/** A call of the API: its permission, its parameters and body, its answer. */
export interface Endpoint {
  /** `public` calls work without a session */
  may: Action | "public";
  /** one English sentence */
  summary: string;
  query?: NamedSchemas;
  /** of a JSON body */
  body?: NamedSchemas;
  /** media types of any other body */
  takes?: readonly string[];
  /** of a JSON answer; several: which one depends on the query. Without `answer` and `file`: 204 */
  answer?: NamedSchemas;
  /** media types of any other answer; together with `answer`, which then has the given status */
  file?: readonly string[];
  /** of a JSON answer, 200 by default */
  status?: 200 | 201 | 202;
  /** a GET route that answers HEAD only */
  isHeadOnly?: boolean;
}

/** Calls by method and route, as Hono writes routes. */
export type Endpoints = Readonly<Record<string, Endpoint>>;

/** Checks the type of a table and keeps its keys. */
export const endpoints = <T extends Endpoints>(table: T): T => table;
