// covers: S-221
import assert from "node:assert/strict";
import { readContext } from "@/server/commands/start/context_environment.ts";
import { endpointOf, topicOf } from "@/server/core/studies/service/context/hub_settings.ts";

function read(variables: Record<string, string>, content = "secret\n") {
  const problems: string[] = [];
  const result = readContext(
    (name) => variables[`${name}`],
    problems,
    (path) => {
      if (path === "/missing") throw new Error("no such file");
      return content;
    },
  );
  return { ...result, problems };
}
const URL_SET = { SULCUS_FHIRCAST_URL: "https://hub.hospital.test/fhircast" };

Deno.test("readContext() is off without an address, and reaches the hub and the listed hosts alone", () => {
  assert.deepEqual(read({}), { hub: null, reach: { net: [], read: [] }, problems: [] });
  const { hub, reach, problems } = read({
    ...URL_SET,
    SULCUS_FHIRCAST_TOKEN_FILE: "/token",
    SULCUS_FHIRCAST_HOSTS: "sockets.hospital.test:8443, [fd00::1]:443",
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(reach, {
    net: ["hub.hospital.test:443", "sockets.hospital.test:8443", "[fd00::1]:443"],
    read: ["/token"],
  });
  assert.equal(hub?.token, "secret");
  assert.equal(topicOf(hub!, "a$&b@hospital.test"), "a$&b@hospital.test");
});

Deno.test("readContext() names each setting that is wrong", () => {
  const wrong: [Record<string, string>, RegExp, string?][] = [
    [{ SULCUS_FHIRCAST_TOPIC: "{email}" }, /requires SULCUS_FHIRCAST_URL as well/],
    [{ SULCUS_FHIRCAST_URL: "http://hub.hospital.test" }, /URL must be an https address/],
    [{ SULCUS_FHIRCAST_URL: "https://a:b@hub.hospital.test" }, /without a user/],
    [{ ...URL_SET, SULCUS_FHIRCAST_TOPIC: "all" }, /must contain \{email\}/],
    [{ ...URL_SET, SULCUS_FHIRCAST_HOSTS: "sockets" }, /list of host:port/],
    [{ ...URL_SET, SULCUS_FHIRCAST_TOKEN_FILE: "/missing" }, /cannot be read: no such file/],
    [{ ...URL_SET, SULCUS_FHIRCAST_TOKEN_FILE: "/token" }, /must contain one token/, "a b"],
  ];
  for (const [variables, problem, content] of wrong) {
    const { problems } = read(variables, content);
    assert.equal(problems.length, 1, JSON.stringify(variables));
    assert.match(problems[0]!, problem);
  }
});

Deno.test("endpointOf() takes a WebSocket at the hub or a listed host, with TLS if the hub has it", () => {
  const settings = {
    url: "https://hub.test/fhircast",
    topic: "{email}",
    token: null,
    hosts: ["sockets.test:8443"],
  };
  for (
    const address of ["wss://hub.test/1", "wss://hub.test:443/1?a=b", "wss://sockets.test:8443/x"]
  ) {
    assert.ok(endpointOf(settings, address), address);
  }
  for (
    const address of [
      "ws://hub.test/1",
      "ws://hub.test:443/1",
      "https://hub.test/1",
      "wss://hub.test:444/1",
      "wss://sockets.test/x",
      "wss://hub.test.evil.test/",
      "wss://evil.test/?hub.test",
      "wss://user:word@hub.test/",
      "wss://hub.test/#a",
      "file:///etc/passwd",
      "",
      7,
      null,
      undefined,
    ]
  ) assert.equal(endpointOf(settings, address), null, String(address));
});
