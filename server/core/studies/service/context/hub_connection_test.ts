// The hub's connection with the rights of the server's process, and with certificates of a hospital.
// covers: S-221
import assert from "node:assert/strict";
import { CA, OWN } from "@/server/gate/tls_certificates_fixture.ts";
import { serveHub, TOKEN } from "@/tests/sites/connections/fhircast_hub.ts";

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
