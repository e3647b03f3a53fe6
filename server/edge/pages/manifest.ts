/** Addresses of the build's outputs by name; each address contains a content hash. */
export interface Manifest {
  /** true for a development build, which includes developer pages */
  isDev?: boolean;
  stylesheet: string;
  /** favicon of all pages, as a data URL */
  icon: string;
  /** address of the first script, which loads the other scripts */
  early: string;
  scripts: Scripts;
}

interface Scripts {
  /** module that hydrates the islands */
  client: string;
  /** chunks of each island, for preloading */
  islands: Record<string, string[]>;
}

/**
 * Reads `static/build/manifest.json`. @throws Error with a hint to build if the file is missing.
 */
export async function readManifest(root: URL): Promise<Manifest> {
  try {
    return JSON.parse(await Deno.readTextFile(new URL("static/build/manifest.json", root)));
  } catch (cause) {
    throw new Error('Cannot read static/build/manifest.json: run "deno task build" first', {
      cause,
    });
  }
}
