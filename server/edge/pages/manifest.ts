/** Files of the build, by the names that the pages use; addresses are content-hashed. */
export interface Manifest {
  /** development build, which includes pages for developers */
  isDev?: boolean;
  stylesheet: string;
  /** the icon as a data URL */
  icon: string;
  /** first script: loads the others, and records clicks until they have loaded */
  early: string;
  scripts: Scripts;
}

interface Scripts {
  /** module that hydrates the islands */
  client: string;
  /** chunks each island needs, to be fetched before the client asks for them */
  islands: Record<string, string[]>;
}

/** Reads `static/build/manifest.json`. @throws Error that says to build, when there is none. */
export async function readManifest(root: URL): Promise<Manifest> {
  try {
    return JSON.parse(await Deno.readTextFile(new URL("static/build/manifest.json", root)));
  } catch (cause) {
    throw new Error('Cannot read static/build/manifest.json: run "deno task build" first', {
      cause,
    });
  }
}
