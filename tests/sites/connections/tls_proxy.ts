// A TLS proxy in front of a site: requests client certificates and forwards them in a header.
import { createServer, request as forward } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { OWN } from "@/server/gate/tls_certificates_fixture.ts";

const ended = (server: { close(done: () => void): void; closeAllConnections(): void }) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

const pem = (der: Uint8Array) =>
  `-----BEGIN CERTIFICATE-----\n${
    Buffer.from(der).toString("base64").replace(/(.{64})/g, "$1\n")
  }\n-----END CERTIFICATE-----\n`;

/** Headers in which a proxy forwards the client certificate. */
export const TOLD: Readonly<Record<string, (der: Uint8Array) => Record<string, string>>> = {
  nginx: (der) => ({ "x-client-cert": encodeURIComponent(pem(der)) }),
  "RFC 9440": (der) => ({ "client-cert": `:${Buffer.from(der).toString("base64")}:` }),
};

/** Serves a site by TLS. @param isStrict Accepts only certificates of the test authority. */
export async function serveTlsProxy(siteUrl: string, told: keyof typeof TOLD, isStrict = true) {
  const options = {
    cert: OWN.cert,
    key: OWN.key,
    ca: OWN.ca,
    requestCert: true,
    rejectUnauthorized: isStrict,
  };
  const server: ReturnType<typeof createServer> = createTlsServer(options, (request, response) => {
    const { raw } = (request.socket as TLSSocket).getPeerCertificate() as { raw?: Uint8Array };
    const headers = { ...request.headers, ...raw ? TOLD[told]!(raw) : {} };
    request.pipe(forward(siteUrl + request.url, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    }));
  }) as never;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { url: `https://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => ended(server) };
}
