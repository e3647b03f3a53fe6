import * as z from "zod/mini";
import { isoDate, seriesKind } from "@/model/schema/studies/study.ts";

/** Another study of the patient whose images can stand beside this one's. */
const comparable = z.object({
  pid: z.number(),
  study_date: z.nullable(isoDate),
  /** series that were analysed */
  series: z.array(seriesKind),
  /** RAS mm of this study's images from those of the other, 16 numbers row-major; `null`: not known, shown as they lie */
  viewer_from_other: z.nullable(z.array(z.number()).check(z.length(16))),
});
export type Comparable = z.infer<typeof comparable>;

/** The nearest study before this one comes first, then the others before, then those after. */
export const comparableList = z.object({ studies: z.array(comparable) });
export type ComparableList = z.infer<typeof comparableList>;
