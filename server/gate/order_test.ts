// covers: S-120
// The order in which an object is forced to disk and acknowledged, as the system sees it.
import assert from "node:assert/strict";
import { type GateSettings, INBOX } from "@/server/gate/link/tasks.ts";
import { STATUS } from "@/server/gate/dimse/uids.ts";
import { Peer } from "@/server/gate/misbehaving_peer_fixture.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { until } from "@/tests/sites/until.ts";

const SCRIPT = new URL("../commands/start/gate.ts", import.meta.url).pathname;
const canTrace = await new Deno.Command("strace", {
  args: ["-o", "/dev/null", "true"],
  stderr: "null",
})
  .output()
  .then(({ success }) => success, () => false);

/** Calls of the system in the order in which they ended, with what they were given. */
function endedCalls(trace: string): { call: string; given: string }[] {
  const begun = new Map<string, { call: string; given: string }>(),
    ended: { call: string; given: string }[] = [];
  for (const line of trace.split("\n")) {
    const [, thread = "", call, given = ""] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? [];
    if (call !== undefined) begun.set(thread, { call, given });
    const [, resumed] = /^(\d+) +<\.\.\. \w+ resumed>/.exec(line) ?? [];
    const one = begun.get(resumed ?? thread);
    if (one && / = \d+$/.test(line)) ended.push(one);
  }
  return ended;
}

Deno.test({
  name: `an object's bytes, its name and its folder are on disk before it is acknowledged ${
    canTrace ? "" : "(skipped: no strace)"
  }`,
  ignore: !canTrace,
  fn: async () => {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "sulcus-order-" })),
      port = lastingPort();
    const senders = [{ aeTitle: "PEER", addresses: [] }];
    const settings: GateSettings = {
      aeTitle: "SULCUS",
      senders,
      isAccepting: true,
      maxAssociations: 8,
    };
    await Deno.writeTextFile(`${folder}/${INBOX.settings}`, JSON.stringify(settings));
    const told = {
      host: "127.0.0.1",
      port,
      inbox: folder,
      socket: `${folder}/gate.sock`,
      tls: null,
      reach: [],
    };
    const calls = "trace=fdatasync,fsync,rename,renameat,renameat2,sendto",
      trace = `${folder}/trace`;
    const process = new Deno.Command("strace", {
      args: [
        "-f",
        "-y",
        "-e",
        calls,
        "-o",
        trace,
        Deno.execPath(),
        "run",
        "-A",
        "--no-check",
        SCRIPT,
        JSON.stringify(told),
      ],
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      const peer = await until(() => Peer.connect(port).catch(() => null));
      await peer.associate();
      assert.equal(await peer.store("1.2.3", new Uint8Array(500_000)), STATUS.success);
      peer.close();
    } finally {
      await process.stdin.close();
      await process.status;
    }
    const all = endedCalls(await Deno.readTextFile(trace));
    const accepted = all.findIndex(({ call }) => call === "sendto");
    const after = all.slice(accepted + 1).flatMap(({ call, given }) =>
      call === "fdatasync" && given.includes(`/${INBOX.partial}/`)
        ? ["bytes"]
        : call.startsWith("rename") && given.includes(`/${INBOX.received}/1.2.3.dcm`)
        ? ["name"]
        : call === "fsync" && given.includes(`/${INBOX.received}>`)
        ? ["folder"]
        : call === "sendto"
        ? ["answer"]
        : []
    );
    await Deno.remove(folder, { recursive: true });
    assert.deepEqual(after.slice(0, 4), ["bytes", "name", "folder", "answer"]);
  },
});
