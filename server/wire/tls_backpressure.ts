import type { Socket } from "node:net";

/** Numbers of unread bytes of a TLS connection at which reading stops and resumes. */
const MAX_UNREAD_BYTES = 8 << 20, FEW_UNREAD_BYTES = 2 << 20;
const LOOK_MS = 100;

/** Checks of all connections, run by one timer, so that unread connections are checked too. */
const looks = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function lookRegularly(look: () => void, socket: Socket): void {
  looks.add(look);
  timer ??= setInterval(() => looks.forEach((each) => each()), LOOK_MS);
  socket.once("close", () => {
    looks.delete(look);
    if (looks.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
}

/**
 * Stops taking bytes from the network while too many wait to be read. Deno's TLS sockets take bytes
 * without a limit, even if paused (2.9): a sender faster than the disk filled the memory.
 * @param under TCP socket below the TLS socket.
 * @returns function to call with the number of bytes that were read.
 */
export function boundUnread(socket: Socket, under: Socket): (count: number) => void {
  const { _handle } = under as unknown as { _handle?: { readStop(): void; readStart(): void } };
  let read = 0, isStopped = false;
  const look = () => {
    const unread = socket.bytesRead - read;
    if (!isStopped && unread > MAX_UNREAD_BYTES) _handle?.readStop();
    else if (isStopped && unread < FEW_UNREAD_BYTES) _handle?.readStart();
    else return;
    isStopped = !isStopped;
  };
  lookRegularly(look, socket);
  return (count) => {
    read += count;
    look();
  };
}
