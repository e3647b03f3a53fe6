import assert from "node:assert/strict";
import { isLocalAddress, networkOf } from "@/model/site/networks.ts";

Deno.test("networkOf() counts an IPv6 machine's /64 as a single address, however it is written", () => {
  for (
    const same of [
      "2001:db8::1",
      "2001:DB8:0:0:1:2:3:4",
      "2001:0db8:0000::ffff",
      "2001:db8::1%eth0",
    ]
  ) {
    assert.equal(networkOf(same), "2001:db8:0:0::/64", same);
  }
  assert.equal(networkOf("2001:db8:0:1::1"), "2001:db8:0:1::/64");
  assert.equal(networkOf("::1"), "0:0:0:0::/64");
  for (const mapped of ["::ffff:10.1.2.3", "::FFFF:a01:203", "0:0:0:0:0:ffff:a01:203"]) {
    assert.equal(networkOf(mapped), "10.1.2.3", mapped);
  }
  for (const text of ["10.1.2.3", "", "not an address"]) assert.equal(networkOf(text), text);
});

Deno.test("isLocalAddress() knows this machine, link-local and metadata addresses in every form", () => {
  const local = [
    "127.0.0.1",
    "127.255.0.9",
    "0.0.0.0",
    "169.254.169.254",
    "169.254.0.1",
    "100.100.100.200",
    "192.0.0.192",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "0:0:0:0:0:0:0:1",
    "fe80::1",
    "febf::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "64:ff9b::127.0.0.1",
    "2002:7f00:1::",
  ];
  assert.deepEqual(local.filter((address) => !isLocalAddress(address)), []);
  const others = [
    "10.0.0.1",
    "192.168.1.5",
    "172.16.0.1",
    "fd12::1",
    "fec0::1",
    "2001:db8::1",
    "pacs",
  ];
  const remote = [
    ...others,
    "::ffff:10.0.0.1",
    "168.254.0.1",
    "126.0.0.1",
    "8.8.8.8",
    "2002:a00:1::",
  ];
  assert.deepEqual(remote.filter(isLocalAddress), []);
});
