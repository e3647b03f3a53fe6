import * as z from "zod/mini";
import { isCalendarDate, isoDate } from "@/model/schema/studies/study.ts";

/** Most values of a list in a link, and most studies of an answer. */
export const MAX_LAUNCH_VALUES = 20, MAX_LAUNCH_STUDIES = 50;

/** Header from the edge to the core: host of the page with the link. None is taken from browsers. */
export const LAUNCHED_FROM_HEADER = "x-sulcus-launched-from";

const uid = z.string().check(z.maxLength(64), z.regex(/^[0-9]+(\.[0-9]+)*$/));
const identifier = z.string().check(z.trim(), z.minLength(1), z.maxLength(64));
const day = isoDate.check(z.refine(isCalendarDate));

/** `POST /api/v1/launch`: the studies that another system asks for (IHE RAD-106). */
export const launchRequest = z.object({
  study_uids: z._default(z.array(uid).check(z.maxLength(MAX_LAUNCH_VALUES)), []),
  accession_numbers: z._default(z.array(identifier).check(z.maxLength(MAX_LAUNCH_VALUES)), []),
  /** without a study it asks for all of this patient's; beside one it must agree with it */
  patient_id: z._default(z.nullable(identifier), null),
  /** must agree too */
  birth_date: z._default(z.nullable(day), null),
  date_from: z._default(z.nullable(day), null),
  date_to: z._default(z.nullable(day), null),
  /** only so many of a patient's studies, the newest */
  most_recent: z._default(z.nullable(z.number().check(z.int(), z.gte(1), z.lte(9999))), null),
  /** DICOM modalities; empty: any */
  modalities: z._default(
    z.array(z.string().check(z.regex(/^[A-Z0-9_]{1,16}$/))).check(z.maxLength(MAX_LAUNCH_VALUES)),
    [],
  ),
}).check(
  z.refine(({ study_uids, accession_numbers, patient_id }) =>
    study_uids.length > 0 || accession_numbers.length > 0 || patient_id !== null
  ),
);
export type LaunchRequest = z.output<typeof launchRequest>;

const launchedStudy = z.object({
  pid: z.number(),
  study_uid: z.string(),
  patient_id: z.string(),
  patient_name: z.string(),
  birth_date: z.nullable(isoDate),
  study_date: z.nullable(isoDate),
  accession_numbers: z.array(z.string()),
  /** of the images, where the record was edited since */
  received_patient_id: z.nullable(z.string()),
  state: z.enum(["analyzed", "analyzing", "not_analyzed"]),
});
export type LaunchedStudy = z.infer<typeof launchedStudy>;

export const launchAnswer = z.object({
  /**
   * `open`: the one study. `choose`: several, or fewer than were asked for. `refused`: the studies
   * are of another patient than the link says. `deleted`: it is in the bin.
   */
  outcome: z.enum(["open", "choose", "none", "deleted", "refused"]),
  /** newest first */
  studies: z.array(launchedStudy),
  /** how many of the study UIDs are not here */
  missing: z.number(),
  is_cut: z.boolean(),
  /** one patient ID, but several names or birth dates */
  are_several_people: z.boolean(),
});
export type LaunchAnswer = z.infer<typeof launchAnswer>;
