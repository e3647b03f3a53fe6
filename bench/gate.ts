// deno task bench gate --receive: a series to the gate and DCMTK's storescp, see gate/receive.ts.
// deno task bench gate --messages: HL7 messages and damaged frames, see gate/messages.ts.
// deno task bench gate --merge: two patients with many studies are merged, see gate/merge.ts.
// deno task bench gate --power: acknowledged objects survive a power cut, see gate/power.ts.
// deno task bench gate [--studies 1000] [--senders 4] [--rounds 10] [--seed 1] [--minutes N]
// Senders, one of them Orthanc, send to a whole site and retry until all objects are acknowledged.
// Gate, server and Orthanc are killed and the disk is filled `--rounds` times each, and connections
// are cut; stored images are sent back to Orthanc de-identified. A lost, doubled or changed object
// is a failed benchmark. No study is started after `--minutes`.
// 10,000 studies over night: --studies 10000 --rounds 100; five minutes: --studies 150 --rounds 5.
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
