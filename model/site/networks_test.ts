import assert from "node:assert/strict";
import { networkOf } from "@/model/site/networks.ts";

Deno.test("networkOf() counts an IPv6 machine's /64 as a single address, however it is written", () => {
  for (const same of ["2001:db8::1", "2001:DB8:0:0:1:2:3:4", "2001:0db8:0000::ffff", "2001:db8::1%eth0"]) {
    assert.equal(networkOf(same), "2001:db8:0:0::/64", same);
  }
  assert.equal(networkOf("2001:db8:0:1::1"), "2001:db8:0:1::/64");
  assert.equal(networkOf("::1"), "0:0:0:0::/64");
  assert.equal(networkOf("::ffff:10.1.2.3"), "10.1.2.3");
  for (const text of ["10.1.2.3", "", "not an address"]) assert.equal(networkOf(text), text);
});
