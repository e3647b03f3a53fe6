import { type Sample, sample } from "@/server/wire/metrics.ts";
import { type GateState, INBOX } from "@/server/gate/link/tasks.ts";
import { countArrivals } from "@/server/core/connections/storage/arrivals.ts";
import { countCommitments } from "@/server/core/connections/storage/commitments.ts";
import { countMessages } from "@/server/core/connections/storage/hl7_messages.ts";
import { countOutbox } from "@/server/core/connections/storage/outbox.ts";
import { countPulls } from "@/server/core/connections/storage/pulls.ts";
import { standingQueues } from "@/server/core/connections/service/alarm.ts";
import { InboxFiles } from "@/server/core/connections/service/inbox/inbox_files.ts";
import { knownPeers } from "@/server/core/connections/service/known_peers.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Samples of the Prometheus metrics of received, sent and retrieved objects and HL7 messages. */
export async function connectionMetrics({ db, gate }: ServiceContext): Promise<Sample[]> {
  const [arrivals, sent, commitments, pulled, standing, messages] = await Promise.all([
    countArrivals(db),
    countOutbox(db),
    countCommitments(db),
    countPulls(db),
    standingQueues({ db }),
    countMessages(db),
  ]);
  const names = new Map((await knownPeers(db)).map(({ id, name }) => [id, name]));
  const peer = (id: number) => names.get(id) ?? "";
  const state = gate ? await new InboxFiles(gate.inbox).read<GateState>(INBOX.state) : null;
  return [
    ...arrivals.map(({ state, count }) => sample("sulcus_dicom_series", count, { state })),
    ...sent.map(({ peerId, state, count }) =>
      sample("sulcus_outbox_results", count, {
        peer: peer(peerId),
        state,
      })
    ),
    ...pulled.map(({ peerId, state, count }) =>
      sample("sulcus_pulls", count, {
        peer: peer(peerId),
        state,
      })
    ),
    ...messages.map(({ state, count }) => sample("sulcus_hl7_messages", count, { state })),
    sample("sulcus_connection_queues_standing", standing.length),
    sample("sulcus_commitments_open", commitments),
    ...state === null ? [] : [
      sample("sulcus_gate_associations", state.associations),
      sample("sulcus_gate_resident_bytes", state.rssBytes),
      sample("sulcus_gate_instances_total", state.stored),
      sample("sulcus_gate_bytes_total", state.bytes),
      sample("sulcus_gate_rejected_total", state.rejected),
      ...state.hl7
        ? [
          sample("sulcus_gate_messages_total", state.hl7.taken),
          sample("sulcus_gate_messages_refused_total", state.hl7.refused),
          sample("sulcus_gate_messages_queued", state.hl7.queued),
        ]
        : [],
    ],
  ];
}
