import * as z from "zod/mini";

/**
 * Answer of `GET /api/v1/bin`: deleted studies that can still be restored, last deleted first.
 * Instants are UTC.
 */
export const binList = z.object({
  studies: z.array(z.object({
    pid: z.number(),
    patient_id: z.string(),
    patient_name: z.string(),
    study_date: z.nullable(z.string()),
    deleted_at: z.string(),
    /** name or e-mail address of the user who deleted the study */
    deleted_by: z.nullable(z.string()),
    reason: z.nullable(z.string()),
    /** time at which the study is deleted permanently */
    gone_at: z.string(),
  })),
  total: z.number(),
  /** number of days that studies stay in the bin */
  days: z.number(),
});
export type BinList = z.infer<typeof binList>;
