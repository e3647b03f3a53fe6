import { signal } from "@preact/signals-react";

/**
 * Texts loaded after the page because most pages do not need them: `null` until loaded,
 * and permanently `null` after a failed load. The returned function reads a signal.
 */
export function loadedLater<T>(load: () => Promise<T>): () => T | null {
  const texts = signal<T | null>(null);
  return () => {
    const loadedTexts = texts.value;
    // `null` on the server and in the first browser render, so that hydration matches
    if (loadedTexts === null && typeof document !== "undefined") {
      void load().then((loaded) => texts.value = loaded, () => {
        // a failed load is not retried: the fallback text stays
      });
    }
    return loadedTexts;
  };
}
