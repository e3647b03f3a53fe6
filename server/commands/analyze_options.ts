/** Refuses options of `analyze` and `longitudinal` that would have no effect. */

/** Sentence about an option that occurs twice, of which only the last would count; `null`: none. */
export function repeatedProblem(args: readonly string[]): string | null {
  const options = args.filter((arg) => arg.startsWith("--"));
  const repeated = options.find((option, at) => options.indexOf(option) < at);
  return repeated === undefined ? null : `${repeated} is given more than once.`;
}

/**
 * Sentence about a series that an option names but no folder contains; `null` without this fault.
 * `null` also for a missing path, which has another message.
 * @param input Path of the images, and the argument that gives it.
 */
export async function choiceProblem(
  option: string,
  seriesUid: string | undefined,
  input: { path: string | null; argument: string },
): Promise<string | null> {
  if (seriesUid === undefined) return null;
  const { path, argument } = input;
  if (path === null) return `${option} needs ${argument}, the folder of the series.`;
  try {
    if ((await Deno.stat(path)).isDirectory) return null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  return `${option} names a series of a folder, but ${path} is a file.`;
}
