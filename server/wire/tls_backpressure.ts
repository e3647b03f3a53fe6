import type { Socket } from "node:net";

/** Internal handle of a TCP or TLS socket, which reads until `readStop()` is called. */
interface Handle {
  reading: boolean;
  readStart(): unknown;
  readStop(): unknown;
}

const handleOf = (socket: Socket) => (socket as unknown as { _handle?: Handle | null })._handle;

/**
 * Reads bytes of a TLS connection from the network only while the TLS socket reads, as Node does.
 * Deno 2.9 reads on when a TLS socket is paused, and decrypts into memory outside of all buffers:
 * 50 senders of a message that was refused filled 600 MB.
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
