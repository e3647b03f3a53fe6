// Settings by which the site's processes return freed memory to the system.

/**
 * V8 options that collect transferred bytes early: an upload of 0.6 GB then adds 38 MB, instead of
 * 59 MB with V8's default size.
 */
export const V8_FLAGS = "--v8-flags=--max-semi-space-size=4";

/** Heap of each DICOM reader thread, MB: the largest allowed header takes a fifth of it. */
export const READER_V8_FLAGS = "--v8-flags=--max-old-space-size=1024";

/**
 * Settings of glibc's allocator (`man mallopt`); other C libraries ignore them. By default glibc
 * gives threads up to eight arenas per core and keeps freed blocks in them: both thresholds rise
 * with the size of freed blocks, to 32 and 64 MB. A server starts threads for each series, analysis
 * and report, so its memory would grow with the blocks in all arenas: after 146 turns of the soak
 * test 311 MB, but 207 MB with these settings, at equal CPU time.
 */
const ALLOCATOR: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "2",
  // glibc's defaults: setting them explicitly disables their automatic growth
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/** Environment of a child process: {@link ALLOCATOR}, unless the administrator has set a value. */
export function allocatorVariables(
  variable: (name: string) => string | undefined = (name) => Deno.env.get(name),
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ALLOCATOR).map(([name, value]) => [name, variable(name) ?? value]),
  );
}
