import * as z from "zod/mini";

export const statusResponse = z.object({
  /** percent of the disk in use, 0..100 */
  disk_usage: z.number(),
  /** orange above this percentage */
  disk_warn: z.number(),
  /** red above this percentage; uploads are refused */
  disk_error: z.number(),
  version: z.optional(z.string()),
});
export type StatusResponse = z.infer<typeof statusResponse>;
