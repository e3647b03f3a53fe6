// deno task bench gate [--studies 1000] [--instances 20] [--senders 4] [--kills 20] [--seed 1] [--folder PATH]
// Senders that do not give up against a gate that is killed and lines that are cut. A lost, doubled or changed object is a
// failed benchmark. 10,000 studies over night: --studies 10000 --kills 200
import { runGateLoad } from "@/tests/sites/connections/gate_load.ts";

const DEFAULTS = { studies: 1000, instances: 20, senders: 4, kills: 20, seed: 1 };
const argument = (name: string) => {
  const at = Deno.args.indexOf(`--${name}`);
  return at < 0 ? undefined : Deno.args[at + 1];
};
const load = Object.fromEntries(
  Object.entries(DEFAULTS).map(([name, value]) => [name, Number(argument(name) ?? value)]),
) as typeof DEFAULTS;
const folder = await Deno.makeTempDir({ prefix: "sulcus-gate-", dir: argument("folder") });
try {
  const result = await runGateLoad(folder, load);
  const { sent, lost, doubled, changed, kills, cuts, seconds } = result;
  const line =
    `${load.studies} studies, ${sent} objects by ${load.senders} senders in ${seconds.toFixed(1)} s, ` +
    `${kills} kills, ${cuts} cut lines: ${lost} lost, ${doubled} doubled, ${changed} changed\n`;
  Deno.stdout.writeSync(new TextEncoder().encode(line));
  if (lost + doubled + changed > 0) Deno.exitCode = 1;
} finally {
  await Deno.remove(folder, { recursive: true });
}
