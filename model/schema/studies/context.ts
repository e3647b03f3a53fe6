import * as z from "zod/mini";
import { launchedStudy } from "@/model/schema/studies/launch.ts";
import { isoDate } from "@/model/schema/studies/study.ts";

const MAX_EVENT_ID = 256;
const eventId = z.string().check(z.minLength(1), z.maxLength(MAX_EVENT_ID));
const shownPid = z.nullable(z.number().check(z.int(), z.gte(1)));

/** `GET /api/v1/context`: connection of the caller to the hub of context sharing. */
export const contextState = z.object({
  /**
   * state of the connection; `off`: no hub is configured. `unshared`: the hub has refused the study
   * that this site shows, so that other applications may show another study
   */
  state: z.enum(["off", "connecting", "following", "unshared", "unreachable"]),
  /** host of the hub; "" without one */
  hub: z.string(),
  /** newest event of another application that no page has answered; `null`: none */
  event_id: z.nullable(z.string()),
});
export type ContextState = z.infer<typeof contextState>;

/** `POST /api/v1/context/follow`: the page that follows an event. */
export const followRequest = z.object({
  event_id: eventId,
  /** study that the page shows; `null`: none */
  shown_pid: shownPid,
  /** identifier of the page: the server repeats its response to the same page if it was lost */
  page: z.optional(z.string().check(z.regex(/^\d{4,40}$/))),
});
export type FollowRequest = z.output<typeof followRequest>;

export const contextStep = z.object({
  /**
   * `none`: nothing to do. `open`: go to the one study. `close`: leave the shown study.
   * Others open no study. `choose`: several studies, or an event with only a patient ID.
   * `absent`, `deleted`: not in the worklist. `refused`: the study belongs to another patient.
   * `unnamed`: the event lacks a patient or, if it is about a study, the study.
   */
  action: z.enum(["none", "open", "close", "choose", "absent", "deleted", "refused", "unnamed"]),
  /** values of the event; `null`: not in the event */
  asked: z.object({
    patient_id: z.nullable(z.string()),
    birth_date: z.nullable(isoDate),
    study_uid: z.nullable(z.string()),
    accession_number: z.nullable(z.string()),
  }),
  studies: z.array(launchedStudy),
});
export type ContextStep = z.infer<typeof contextStep>;

/** Body of `POST /api/v1/context/refusal`: the user refuses an event and keeps the shown study. */
export const refusalRequest = z.object({ event_id: eventId });

/** `POST /api/v1/context/shown`: the study that the page shows; `null`: none. */
export const shownRequest = z.object({ pid: shownPid });
