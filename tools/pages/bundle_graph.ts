// Chunks that a built file loads, read from the metafile of esbuild.
import type * as esbuild from "esbuild";

/** Chunks that an output file loads immediately, including the file itself. */
export const chunksOf = (outputs: esbuild.Metafile["outputs"], name: string): string[] =>
  reachedFrom(outputs, name, ["import-statement"], []);

/**
 * Chunks reachable from an output file through imports
 * of the given kinds, skipping the chunks in `without`.
 */
export function reachedFrom(
  outputs: esbuild.Metafile["outputs"],
  name: string,
  kinds: readonly esbuild.ImportKind[],
  without: readonly string[],
): string[] {
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file) || without.includes(file)) return;
    reached.add(file);
    for (const imported of outputs[file]?.imports ?? []) {
      if (kinds.includes(imported.kind as esbuild.ImportKind) && !imported.external) {
        visit(imported.path);
      }
    }
  };
  visit(name);
  return [...reached];
}

/** Whether a chunk needs regl, so that it is never loaded without a GPU. */
export const needsGpu = (outputs: esbuild.Metafile["outputs"], name: string): boolean =>
  chunksOf(outputs, name).some((file) =>
    Object.keys(outputs[file]?.inputs ?? {}).some((input) => /[\\/]regl[\\/]dist[\\/]/.test(input))
  );
