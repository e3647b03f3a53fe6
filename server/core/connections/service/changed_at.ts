/** Times at which a study's results last changed, by cause; exported for other features. */
export { changeInstants } from "@/server/core/connections/storage/result_changes.ts";
