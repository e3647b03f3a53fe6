// Page about metrics and alarms, generated from their tables in the code.
import { alarmText } from "@/model/text/site/alarms.ts";
import { ALARMS } from "@/server/commands/operate/alarms.ts";
import { METRICS } from "@/server/wire/metrics.ts";

/** Page about metrics and alarms as Markdown. */
export function monitoringPage(): string {
  const metrics = Object.entries(METRICS).map(([name, [kind, help]]) =>
    `| \`${name}\` | ${kind} | ${help} |`
  );
  const alarms = ALARMS.map((name) => {
    // this alarm has no end message: the server restarts within seconds
    const over = name === "server" ? "–" : alarmText[`${name}_over`].en.replace(/^Resolved: /, "");
    return `| \`${name}\` | ${alarmText[name].en.replaceAll("|", "\\|")} | ${over} |`;
  });
  return `# Metrics and alarms

Made from \`server/wire/metrics.ts\` and \`model/text/site/alarms.ts\`. How to watch a site: [monitoring](../site/monitoring.md).

## Metrics

\`/metrics\` in the text format of Prometheus. Counters grow until the process ends; those of which nothing has happened are not shown, and
those of the gate only where there is one.

| Metric | Kind | Meaning |
| --- | --- | --- |
${metrics.join("\n")}

## Alarms

By web address and mail, once when it begins and once when it is over. \`{n}\` and \`{percent}\` are filled in.

| Alarm | Begins | Is over |
| --- | --- | --- |
${alarms.join("\n")}
`;
}
