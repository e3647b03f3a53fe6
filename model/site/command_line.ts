/** Constant that the build of a release defines (tools/release/bundle.ts). */
declare const SULCUS_IS_INSTALLED: boolean | undefined;

const isInstalled = typeof SULCUS_IS_INSTALLED !== "undefined";

/** Commands as an administrator types them: on an installed site, or in a source tree. */
export const ADMIN = isInstalled ? "sulcus" : "deno task admin";
export const TASK = isInstalled ? "sulcus" : "deno task";
