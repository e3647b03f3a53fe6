/** Failure of a call to a remote system. */
export interface ConnectionFailure {
  /** failure code of `server/gate/link/tasks.ts`, `status`, or an error code of this site */
  failure: string;
  /** error message of the remote system; empty without a message */
  text: string;
}

/** Maximum number of characters of a stored failure. */
const MOST_LETTERS = 400;

/** A failure as it is stored in one column: code and message, separated by the first slash. */
export const storedFailure = ({ failure, text }: ConnectionFailure): string =>
  `${failure}/${text}`.slice(0, MOST_LETTERS);

/** Reads a stored failure; a code alone has no message. */
export function readFailure(stored: string): ConnectionFailure {
  const [failure = "", ...text] = stored.split("/");
  return { failure, text: text.join("/") };
}
