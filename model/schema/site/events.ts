import * as z from "zod/mini";
import { jobStatus } from "@/model/schema/site/jobs.ts";
import { analysisStatus, seriesKind } from "@/model/schema/studies/study.ts";

const uid = z.number();

/**
 * All messages that the server sends on `/api/v1/ws`. Clients ignore auth events of other users.
 */
export const serverEvent = z.discriminatedUnion("event", [
  z.object({ event: z.literal("auth_multi_login"), uid, sid: z.string() }),
  z.object({ event: z.literal("auth_token_expired"), uid }),
  z.object({ event: z.literal("credit_update") }),
  z.object({ event: z.literal("credit_error") }),
  z.object({
    event: z.literal("setting_update"),
    scope: z.enum(["individual", "group"]),
    uid: z.optional(uid),
  }),
  z.object({ event: z.literal("study_create"), pid_list: z.array(z.number()) }),
  z.object({ event: z.literal("study_delete"), pid: z.number(), uid }),
  z.object({ event: z.literal("study_update"), pid: z.number(), uid }),
  /** Editing of a record began (`user`: name of the editor) or ended (`null`). */
  z.object({
    event: z.literal("study_editing"),
    pid: z.number(),
    uid,
    user: z.nullable(z.string()),
  }),
  /** Measurements, key images or corrections of a study changed. */
  z.object({ event: z.literal("study_reading"), pid: z.number(), uid }),
  /** Missing findings of these studies were computed. */
  z.object({ event: z.literal("study_finding"), pid_list: z.array(z.number()) }),
  /** The delivery state of a study's results changed. */
  z.object({ event: z.literal("study_sent"), pid: z.number() }),
  /** Orders without images were added, changed or removed. */
  z.object({ event: z.literal("study_orders") }),
  /**
   * Labels were saved: label names, or the labels of these studies, changed.
   * `null`: too many studies to list.
   */
  z.object({ event: z.literal("label_update"), pid_list: z.nullable(z.array(z.number())), uid }),
  /** Events were missed, or too many studies changed: the client reloads all data on screen. */
  z.object({ event: z.literal("resync") }),
  z.object({
    event: z.literal("study_analysis"),
    pid: z.number(),
    series: seriesKind,
    status: analysisStatus,
    /** progress 0..100 while processing */
    percent: z.optional(z.number()),
    /** current stage of the engine in the analysis */
    stage: z.optional(z.string()),
  }),
  z.object({
    event: z.literal("report"),
    uuid: z.string(),
    percent: z.number(),
    status: jobStatus,
  }),
  z.object({
    event: z.literal("excel"),
    excel_id: z.string(),
    percent: z.number(),
    status: jobStatus,
  }),
  /** An event of another application, or another state of the hub: read `GET /api/v1/context`. */
  z.object({ event: z.literal("context_update") }),
  /** progress of a file for a registry */
  z.object({
    event: z.literal("registry"),
    id: z.string(),
    percent: z.number(),
    status: jobStatus,
  }),
]);
export type ServerEvent = z.infer<typeof serverEvent>;

/** Recipients of an event: all users, one user, or one session of a user. */
export interface Audience {
  uid?: number;
  sid?: string;
}

export const clientEvent = z.object({ event: z.literal("auth_token_update"), token: z.string() });
export type ClientEvent = z.infer<typeof clientEvent>;
