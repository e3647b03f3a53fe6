import * as z from "zod/mini";
import { MAX_LINKED_ID_CHARS, readPatientId } from "@/model/launch/linked_patient_id.ts";
import { isCalendarDate, isoDate } from "@/model/schema/studies/study.ts";

/** Maximum number of values in a link's list, and of studies in an answer. */
export const MAX_LAUNCH_VALUES = 20, MAX_LAUNCH_STUDIES = 50;

/** Header from edge to core: host of the page that contains the link. Ignored from browsers. */
export const LAUNCHED_FROM_HEADER = "x-sulcus-launched-from";

const uid = z.string().check(z.maxLength(64), z.regex(/^[0-9]+(\.[0-9]+)*$/));
const identifier = z.string().check(z.trim(), z.minLength(1), z.maxLength(64));
const patientId = z.string().check(
  z.trim(),
  z.maxLength(MAX_LINKED_ID_CHARS),
  z.refine((text) => readPatientId(text) !== null),
);
const day = isoDate.check(z.refine(isCalendarDate));

/** `POST /api/v1/launch`: studies requested by a link of another system (IHE RAD-106). */
// strict: an ignored `patientId` would silently disable the check of the patient
export const launchRequest = z.strictObject({
  study_uids: z._default(z.array(uid).check(z.maxLength(MAX_LAUNCH_VALUES)), []),
  accession_numbers: z._default(z.array(identifier).check(z.maxLength(MAX_LAUNCH_VALUES)), []),
  /**
   * ID, or `ID^^^AUTHORITY`. Without study UIDs: all studies of this patient; with study UIDs:
   * must match the patient
   */
  patient_id: z._default(z.nullable(patientId), null),
  /** number of the study that the link may open; all other values must match this study */
  pid: z._default(z.nullable(z.number().check(z.int(), z.gte(1))), null),
  /** must match the patient's birth date */
  birth_date: z._default(z.nullable(day), null),
  date_from: z._default(z.nullable(day), null),
  date_to: z._default(z.nullable(day), null),
  /** limit to this number of studies, the newest of the patient */
  most_recent: z._default(z.nullable(z.number().check(z.int(), z.gte(1), z.lte(9999))), null),
  /** DICOM modalities; empty: all modalities */
  modalities: z._default(
    z.array(z.string().check(z.regex(/^[A-Z0-9_]{1,16}$/))).check(z.maxLength(MAX_LAUNCH_VALUES)),
    [],
  ),
}).check(
  z.refine(({ study_uids, accession_numbers, patient_id, pid }) =>
    study_uids.length > 0 || accession_numbers.length > 0 || patient_id !== null || pid !== null
  ),
  z.refine(({ date_from, date_to }) =>
    date_from === null || date_to === null || date_from <= date_to
  ),
);
export type LaunchRequest = z.output<typeof launchRequest>;

export const launchedStudy = z.object({
  pid: z.number(),
  study_uid: z.string(),
  patient_id: z.string(),
  patient_name: z.string(),
  birth_date: z.nullable(isoDate),
  study_date: z.nullable(isoDate),
  accession_numbers: z.array(z.string()),
  /** patient ID of the images when the record was edited later; `null` otherwise */
  received_patient_id: z.nullable(z.string()),
  /** `deleted`: in the bin */
  state: z.enum(["analyzed", "analyzing", "not_analyzed", "deleted"]),
});
export type LaunchedStudy = z.infer<typeof launchedStudy>;

export const launchAnswer = z.object({
  /**
   * `open`: exactly one study. `choose`: several studies, or fewer than requested.
   * `refused`: studies of another patient than the link's. `deleted`: only studies in the bin.
   */
  outcome: z.enum(["open", "choose", "none", "deleted", "refused"]),
  /** studies that the link names, newest first */
  studies: z.array(launchedStudy),
  /** number of requested study UIDs, or accession numbers, that no study on this site has */
  missing: z.number(),
  /** number of missing study UIDs or accession numbers that a study in the bin has */
  in_bin: z._default(z.number(), 0),
  is_cut: z.boolean(),
  /** the patient ID belongs to several names or birth dates, or can mean several IDs */
  are_several_people: z.boolean(),
  /** patient ID that the studies were compared with: that of the link without the authority */
  compared_patient_id: z.nullable(z.string()),
  /**
   * assigning authority of the link's patient ID, if it is neither that of a stored ID nor in the
   * settings of an HL7 system; `known`: the authorities that it was compared with
   */
  unknown_authority: z._default(
    z.nullable(z.object({ sent: z.string(), known: z.array(z.string()) })),
    null,
  ),
  /** `refused`: another study or an order has an accession number of the link */
  is_accession_of_other: z.boolean(),
  /**
   * `none`: reason. `no_study`: not stored. `no_date`, `no_modality`: the patient has studies, but
   * none in the range of dates or of the modality. `ordered`: an order without images.
   */
  absence: z.nullable(z.enum(["no_study", "no_date", "no_modality", "ordered"])),
});
export type LaunchAnswer = z.infer<typeof launchAnswer>;
