import type { Connections as Page } from "@/model/schema/connections/connections.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { useText } from "@/client/page/language.ts";
import { Section } from "@/components/administration/connection_parts.tsx";

type Key = keyof typeof connectionText;

/** State of the server part that receives images and messages, with the number of waiting items. */
export function Gate(
  { page: { gate, counts, last_hour: { images, bytes, results } } }: { page: Page },
) {
  const text = useText(connectionText);
  const facts: (readonly [Key, number | string])[] = [
    ...(gate
      ? [
        ["associations", gate.associations],
        ["received", gate.stored],
        ["rejected", gate.rejected],
        ...gate.hl7
          ? [["hl7Taken", gate.hl7.taken], ["hl7Refused", gate.hl7.refused]] as const
          : [],
        ["memory", `${Math.round(gate.rss_bytes / 1e6)}\u00a0MB`],
      ] as const
      : []),
    ["hourReceived", text("imagesOfSize", { n: images, mb: Math.round(bytes / 1e6) })],
    ["hourSent", results],
    ["arriving", counts.arriving],
    ["waiting", counts.waiting],
    ["changedStudies", counts.changed],
    ["toSend", counts.to_send],
    ["failedResults", counts.failed],
    ["commitments", counts.commitments],
  ];
  return (
    <Section title={text("gate")}>
      <p className="mb-2 text-sm text-ink">
        {gate === null
          ? text("gateOff")
          : !gate.is_running
          ? text("gateDown")
          : `${text("gateUp", { aet: gate.ae_title, port: gate.port })}${
            gate.tls ? `, ${text("gateTls")}` : ""
          }`}
      </p>
      {gate?.is_running && (
        <p className="mb-2 text-sm text-ink">
          {gate.hl7 === null
            ? text("hl7Off")
            : `${text("hl7Up", { port: gate.hl7.port })}${
              gate.hl7.tls ? `, ${text("gateTls")}` : ""
            }`}
        </p>
      )}
      <dl className="grid grid-cols-3 gap-x-6 text-sm">
        {facts.map(([name, value]) => (
          <div key={name} className="flex justify-between gap-3 py-1 border-b border-line">
            <dt className="text-ink-soft">{text(name)}</dt>
            <dd className="text-ink tabular text-right whitespace-nowrap">{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
