import type { Socket } from "node:net";

/** Handle of a TCP or TLS socket, which reads until it is stopped. */
interface Handle {
  reading: boolean;
  readStart(): unknown;
  readStop(): unknown;
}

const handleOf = (socket: Socket) => (socket as unknown as { _handle?: Handle | null })._handle;

/**
 * Takes bytes of a TLS connection from the network only while the TLS socket reads, as Node does.
 * Deno's TLS sockets take bytes without a limit even if paused, and decrypt them into memory that
 * the size of no buffer includes (2.9): 50 senders of a message that is refused filled 600 MB.
 * @param under TCP socket below the TLS socket.
 */
export function stopWithReader(socket: Socket, under: Socket): void {
  const tls = handleOf(socket), tcp = handleOf(under);
  if (!tls || !tcp) return;
  const { readStart, readStop } = tls;
  tls.readStop = () => {
    tcp.readStop();
    return readStop.call(tls);
  };
  tls.readStart = () => {
    tcp.readStart();
    return readStart.call(tls);
  };
  if (!tls.reading) tcp.readStop();
}
