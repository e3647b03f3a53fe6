import { useEffect, useState } from "react";
import { presentError } from "@/client/notices/present_error.ts";

/** Polling interval of a computation, ms. */
const LOOK_MS = 2000;

/**
 * A list that the server computes in the background: loaded, polled during the computation,
 * and reloaded after each change.
 * @returns the list (`null` before it is loaded), and a function that reloads the list.
 */
export function useComputed<T extends { is_computing: boolean }>(
  read: () => Promise<T>,
): [data: T | null, readAgain: () => void] {
  const [data, setData] = useState<T | null>(null), [looks, setLooks] = useState(0);
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        const answer = await read();
        if (isOver) return;
        setData(answer);
        if (answer.is_computing) timer = setTimeout(() => void look(), LOOK_MS);
      } catch (error) {
        if (!isOver) presentError(error);
      }
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [looks]);
  return [data, () => setLooks((count) => count + 1)];
}
