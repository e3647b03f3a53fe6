/** Times of the last change of a study's results, by cause; exported for other features. */
export { changeInstants } from "@/server/core/connections/storage/result_changes.ts";
