import assert from "node:assert/strict";
import { hostAndPort } from "@/model/site/networks.ts";
import { readEnvironment } from "@/server/commands/start/environment.ts";

Deno.test("SULCUS_HOST is an IP address of either kind; a name or brackets are one line", () => {
  for (const host of ["127.0.0.1", "0.0.0.0", "::", "::1", "2001:db8::5", "10.1.2.3"]) {
    const read = readEnvironment({ SULCUS_HOST: host }, 2);
    assert.ok("environment" in read && read.environment.host === host, host);
  }
  for (const host of ["localhost", "[::1]", "sulcus.hospital.example", "10.1.2", "10.1.2.3:443"]) {
    const read = readEnvironment({ SULCUS_HOST: host }, 2);
    assert.ok("problems" in read, host);
    assert.equal(read.problems.length, 1);
    assert.match(read.problems[0]!, /^SULCUS_HOST must be an IP address/);
  }
  const unset = readEnvironment({}, 2);
  assert.ok("environment" in unset && unset.environment.host === "127.0.0.1");
});

Deno.test("hostAndPort() puts brackets around an IPv6 address", () => {
  assert.equal(hostAndPort("10.1.2.3", 443), "10.1.2.3:443");
  assert.equal(hostAndPort("::1", 8000), "[::1]:8000");
});
