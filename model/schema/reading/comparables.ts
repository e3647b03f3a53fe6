import * as z from "zod/mini";
import { isoDate, seriesKind } from "@/model/schema/studies/study.ts";

/** Another study of the patient that the viewer can show for comparison. */
const comparable = z.object({
  pid: z.number(),
  study_date: z.nullable(isoDate),
  /** kinds of the analysed series */
  series: z.array(seriesKind),
  /**
   * affine from RAS mm of the other study to RAS mm of this study, 16 numbers row-major
   * `null`: unknown, so that the images are shown without registration
   */
  viewer_from_other: z.nullable(z.array(z.number()).check(z.length(16))),
});
export type Comparable = z.infer<typeof comparable>;

const place = z.tuple([z.number(), z.number(), z.number()]);

/** A study with the same patient ID that is not compared, because it may be of another person. */
export const otherPersonVisit = z.object({
  study_date: z.nullable(isoDate),
  /** attributes that differ; empty: the study may be of this person or of another one */
  differs: z.array(z.enum(["birthdate", "sex", "name"])),
  /** why no studies with the ID are compared; absent: the records alone decide */
  shared_id: z.optional(z.enum(["placeholder", "several_people"])),
});
export type OtherPersonVisit = z.infer<typeof otherPersonVisit>;

/** Key of the text that names the attributes that differ; `null` if none does. */
export const differenceOf = (differs: OtherPersonVisit["differs"]) =>
  differs.includes("birthdate") && differs.includes("sex") ? "birthdateAndSex" : differs[0] ?? null;

/** Studies in the order: nearest earlier study, then other earlier studies, then later studies. */
export const comparableList = z.object({
  studies: z.array(comparable),
  /** studies that are not compared, newest first; absent if there are none */
  not_compared: z.optional(z.array(otherPersonVisit)),
  /**
   * RAS mm of the anterior and posterior commissure of this study, and of a superior midline point
   * `null`: unknown
   */
  commissures: z.nullable(z.object({ anterior: place, posterior: place, above: place })),
});
export type ComparableList = z.infer<typeof comparableList>;
