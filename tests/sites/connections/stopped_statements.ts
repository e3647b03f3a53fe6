import type { KyselyPlugin } from "kysely";

/** Calls a function before one of the statements of a database, counted from 1. */
export function stoppedBefore(statement: number, stop: () => void): KyselyPlugin {
  let count = 0;
  return {
    transformQuery: ({ node }) => {
      if (++count === statement) stop();
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
}
