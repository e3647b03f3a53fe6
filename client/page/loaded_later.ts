import { signal } from "@preact/signals-react";

/**
 * Texts that come after the page, because most pages do not need them: `null` until they are there,
 * and for good when they cannot be loaded. The returned function reads a signal.
 */
export function loadedLater<T>(load: () => Promise<T>): () => T | null {
  const texts = signal<T | null>(null);
  return () => {
    const loadedTexts = texts.value;
    // on the server and in the first render of the browser alike there are none
    if (loadedTexts === null && typeof document !== "undefined") {
      void load().then((loaded) => texts.value = loaded, () => {
        // the fallback stays
      });
    }
    return loadedTexts;
  };
}
