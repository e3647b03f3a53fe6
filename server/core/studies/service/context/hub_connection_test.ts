// The hub's connection with the rights of the server's process, and with certificates of a hospital.
// covers: S-221
/// <reference path="../../../../wire/ws.d.ts" />
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { CA, OWN } from "@/server/gate/tls_certificates_fixture.ts";
import { HubConnection } from "@/server/core/studies/service/context/hub_connection.ts";
import { serveHub, TOKEN } from "@/tests/sites/connections/fhircast_hub.ts";
import { until } from "@/tests/sites/until.ts";

const FIXTURE = new URL("hub_connection_fixture.ts", import.meta.url).pathname;
const ROOT = new URL("../../../../../", import.meta.url).pathname;

/** Output of a subscription in another process. */
async function subscribe(url: string, net: string, certificate: string | null): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-check",
      `--config=${ROOT}deno.json`,
      `--allow-read=${ROOT}`,
      "--allow-env=NODE_ENV",
      "--ignore-env",
      `--allow-net=${net}`,
      FIXTURE,
      url,
      TOKEN,
    ],
    env: certificate === null ? {} : { DENO_CERT: certificate },
  }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("a hub is reached with the right to its own address alone", async () => {
  await using hub = serveHub();
  const { url } = hub.settings;
  assert.match(await subscribe(url, `127.0.0.1:${hub.port}`, null), /following/);
  assert.match(await subscribe(url, "127.0.0.1:1", null), /unreachable/);
});

Deno.test("a hub with a certificate of the hospital is believed when the site names its authority", async () => {
  await using hub = serveHub({ tls: OWN });
  const { url } = hub.settings, net = `127.0.0.1:${hub.port}`;
  const file = await Deno.makeTempFile({ suffix: ".pem" });
  await Deno.writeTextFile(file, CA);
  assert.match(await subscribe(url, net, file), /following/);
  assert.match(await subscribe(url, net, null), /unreachable/);
  await Deno.remove(file);
});

Deno.test("a hub that sends a message in hundreds of pieces is cut off", async () => {
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    request.resume();
    response.writeHead(202).end(
      JSON.stringify({ "hub.channel.endpoint": `ws://127.0.0.1:${port}/x` }),
    );
  });
  const acceptor = new WebSocketServer({
    noServer: true,
    maxPayload: 1000,
    maxFragments: 10,
    maxBufferedChunks: 10,
    closeTimeout: 1000,
    perMessageDeflate: false,
  });
  let isCut = false;
  server.on(
    "upgrade",
    (request, connection, head) =>
      acceptor.handleUpgrade(request, connection, head, (socket) => {
        socket.once("close", () => isCut = true);
        const { send } = socket as unknown as { send(text: string, options: { fin: false }): void };
        for (let n = 0; n < 300; n++) send.call(socket, "x", { fin: false });
      }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo, topic = "session-of-the-test";
  const connection = new HubConnection({
    settings: { url: `http://127.0.0.1:${port}/`, topic, token: null, hosts: [] },
    topic,
    log: () => {},
    onMessage: () => {},
    onState: () => {},
  });
  await until(() => isCut);
  connection.cut();
  await new Promise((resolve) => server.close(resolve));
});
