/** When a study's results last changed, by the cause, for features that name or compare results. */
export { changeInstants } from "@/server/core/connections/storage/result_changes.ts";
