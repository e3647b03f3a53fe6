// What a built file loads, read from the metafile of esbuild.
import type * as esbuild from "esbuild";

/** Chunks that an output loads at once, itself included. */
export const chunksOf = (outputs: esbuild.Metafile["outputs"], name: string): string[] =>
  reachedFrom(outputs, name, ["import-statement"], []);

/**
 * Chunks that are reached from an output over imports of these kinds; those of `without` are not
 * entered.
 */
export function reachedFrom(
  outputs: esbuild.Metafile["outputs"],
  name: string,
  kinds: readonly esbuild.ImportKind[],
  without: readonly string[],
): string[] {
  const found = new Set<string>();
  const visit = (file: string) => {
    if (found.has(file) || without.includes(file)) return;
    found.add(file);
    for (const next of outputs[file]?.imports ?? []) {
      if (kinds.includes(next.kind as esbuild.ImportKind) && !next.external) visit(next.path);
    }
  };
  visit(name);
  return [...found];
}

/** A chunk that needs regl: nobody loads it without a GPU. */
export const needsGpu = (outputs: esbuild.Metafile["outputs"], name: string): boolean =>
  chunksOf(outputs, name).some((file) =>
    Object.keys(outputs[file]?.inputs ?? {}).some((input) => /[\\/]regl[\\/]dist[\\/]/.test(input))
  );
