import * as z from "zod/mini";
import { isoDate, seriesKind } from "@/model/schema/studies/study.ts";

/** Another study of the patient that can be shown beside this one. */
const comparable = z.object({
  pid: z.number(),
  study_date: z.nullable(isoDate),
  /** series that were analysed */
  series: z.array(seriesKind),
  /**
   * RAS mm of this study's images from those of the other, 16 numbers row-major; `null`: not known,
   * shown as they lie
   */
  viewer_from_other: z.nullable(z.array(z.number()).check(z.length(16))),
});
export type Comparable = z.infer<typeof comparable>;

const place = z.tuple([z.number(), z.number(), z.number()]);

/** The nearest study before this one comes first, then the others before, then those after. */
export const comparableList = z.object({
  studies: z.array(comparable),
  /**
   * anterior and posterior commissure of this study and a place above them on its midline, RAS mm;
   * `null`: not known
   */
  commissures: z.nullable(z.object({ anterior: place, posterior: place, above: place })),
});
export type ComparableList = z.infer<typeof comparableList>;
