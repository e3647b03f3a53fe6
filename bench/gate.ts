// deno task bench gate --receive: a series to the gate and to DCMTK's storescp, see gate_parts/receive.ts.
// deno task bench gate --power: objects that were acknowledged outlive a power cut, see gate_parts/power.ts.
// deno task bench gate [--studies 1000] [--senders 4] [--rounds 10] [--seed 1]
// Senders that do not give up, one of them Orthanc, against a whole site: gate, server and Orthanc are killed, the disk is full
// and lines are cut, so often each; stored images go back to Orthanc without identity. A lost, doubled or changed object is a failed
// benchmark. 10,000 studies over night: --studies 10000 --rounds 100
import { optionOf } from "@/bench/record.ts";
import { runSiteLoad } from "@/tests/sites/connections/site_load.ts";

const DEFAULTS = { studies: 1000, senders: 4, rounds: 10, seed: 1 };
const load = Object.fromEntries(
  Object.entries(DEFAULTS).map(([name, value]) => [name, Number(optionOf(name) ?? value)]),
) as typeof DEFAULTS;
if (Deno.args.includes("--receive")) {
  const { measureReceiving } = await import("@/bench/gate_parts/receive.ts");
  await measureReceiving();
} else if (Deno.args.includes("--power")) {
  const { measurePower } = await import("@/bench/gate_parts/power.ts");
  await measurePower();
} else await measureLoad();

async function measureLoad(): Promise<void> {
  const { sent, lost, doubled, changed, delivered, undelivered, blows, cuts, without, seconds } =
    await runSiteLoad(load);
  const line =
    `${load.studies} studies, ${sent} objects by ${load.senders} senders in ${
      seconds.toFixed(1)
    } s; killed: ` +
    `gate ${blows.gate}, server ${blows.server}, PACS ${blows.pacs}; disk full ${blows.disk}; ${cuts} cut lines: ` +
    `${lost} lost, ${doubled} doubled, ${changed} changed; ${delivered} sent on, ${undelivered} of them wrong` +
    `${without.map((what) => `; without ${what}`).join("")}\n`;
  Deno.stdout.writeSync(new TextEncoder().encode(line));
  if (lost + doubled + changed + undelivered > 0) Deno.exitCode = 1;
}
