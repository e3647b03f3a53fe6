import * as z from "zod/mini";

/**
 * Answer of `GET /api/v1/bin`: deleted studies that can still be restored, the latest first.
 * Instants are UTC.
 */
export const binList = z.object({
  studies: z.array(z.object({
    pid: z.number(),
    patient_id: z.string(),
    patient_name: z.string(),
    study_date: z.nullable(z.string()),
    deleted_at: z.string(),
    /** name or e-mail address */
    deleted_by: z.nullable(z.string()),
    reason: z.nullable(z.string()),
    /** when it is deleted for good */
    gone_at: z.string(),
  })),
  total: z.number(),
  /** how long studies stay */
  days: z.number(),
});
export type BinList = z.infer<typeof binList>;
