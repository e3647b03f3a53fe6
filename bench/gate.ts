// deno task bench gate --receive: a series to the gate and to DCMTK's storescp, see gate_parts/receive.ts.
// deno task bench gate --messages: HL7 messages and damaged frames, see gate/messages.ts.
// deno task bench gate --merge: two patients with many studies are merged, see gate/merge.ts.
// deno task bench gate --power: objects that were acknowledged outlive a power cut, see gate_parts/power.ts.
// deno task bench gate [--studies 1000] [--senders 4] [--rounds 10] [--seed 1] [--minutes N]
// Senders that do not give up, one of them Orthanc, against a whole site: gate, server and Orthanc are killed, the disk is full
// and lines are cut, so often each; stored images go back to Orthanc without identity. A lost, doubled or changed object is a failed
// benchmark. 10,000 studies over night: --studies 10000 --rounds 100; five minutes: --studies 150 --rounds 5. After so many
// minutes no further study is begun.
import { finish, optionOf, rowMaker } from "@/bench/record.ts";
import { runSiteLoad } from "@/tests/sites/connections/site_load.ts";

const DEFAULTS = { studies: 1000, senders: 4, rounds: 10, seed: 1 };
const load = Object.fromEntries(
  Object.entries(DEFAULTS).map(([name, value]) => [name, Number(optionOf(name) ?? value)]),
) as typeof DEFAULTS;
if (Deno.args.includes("--receive")) {
  const { measureReceiving } = await import("@/bench/gate/receive.ts");
  await measureReceiving();
} else if (Deno.args.includes("--messages")) {
  const { measureMessages } = await import("@/bench/gate/messages.ts");
  await measureMessages();
} else if (Deno.args.includes("--merge")) {
  const { measureMerges } = await import("@/bench/gate/merge.ts");
  await measureMerges();
} else if (Deno.args.includes("--power")) {
  const { measurePower } = await import("@/bench/gate/power.ts");
  await measurePower();
} else await measureLoad();

async function measureLoad(): Promise<void> {
  const minutes = Number(optionOf("minutes") ?? Infinity);
  const {
    studies,
    sent,
    lost,
    doubled,
    changed,
    delivered,
    undelivered,
    blows,
    cuts,
    without,
    seconds,
  } = await runSiteLoad({ ...load, minutes, patienceSeconds: 600 });
  const make = rowMaker("gate", 1);
  const none = (name: string, count: number) =>
    make(name, count, "objects", { bar: 0, ok: count === 0 });
  finish(
    "deno task bench gate",
    `${studies} studies by ${load.senders} senders${
      without.map((what) => `; without ${what}`).join("")
    }`,
    [
      make("objects sent", sent, "objects"),
      none("lost", lost),
      none("doubled", doubled),
      none("with other bytes", changed),
      make("sent on to the PACS", delivered, "objects"),
      none("not sent on, wrong or twice", undelivered),
      make("kills of the gate", blows.gate, "kills"),
      make("kills of the server", blows.server, "kills"),
      make("kills of the PACS", blows.pacs, "kills"),
      make("times of a full disk", blows.disk, "times"),
      make("lines cut", cuts, "cuts"),
      make("time", seconds, "s"),
    ],
  );
}
