import { createServer } from "node:tls";
import type { OwnCertificates } from "@/server/gate/send/requestor.ts";
import { plainWire, tlsWire, type Wire } from "@/server/gate/dimse/wire.ts";

/** A port that takes connections. */
interface Listening {
  port: number;
  close(): void;
}

/**
 * Listens for DICOM associations, with TLS where there are certificates: then only clients whose certificate our
 * authority has signed come in.
 */
export async function listen(
  hostname: string,
  port: number,
  own: OwnCertificates | null,
  serve: (wire: Wire) => void,
): Promise<Listening> {
  if (own === null) {
    const listener = Deno.listen({ hostname, port });
    void (async () => {
      for (;;) {
        try {
          const connection = await listener.accept();
          connection.setNoDelay(true);
          serve(plainWire(connection));
        } catch (error) {
          if (error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted) return;
          // out of descriptors, or one that has gone already: those after it are taken
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    })();
    return { port: listener.addr.port, close: () => listener.close() };
  }
  const { cert, key, ca } = own;
  const options = {
    cert,
    key,
    ca,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.2" as const,
  };
  const server = createServer(options, (socket) => {
    socket.setNoDelay(true);
    if (!socket.authorized) return void socket.destroy();
    serve(tlsWire(socket));
  });
  // somebody without a certificate, or no TLS at all
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, resolve);
  });
  const address = server.address();
  return { port: typeof address === "object" && address ? address.port : port, close: () => server.close() };
}
