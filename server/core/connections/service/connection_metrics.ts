import { gauge, type Sample } from "@/server/wire/metrics.ts";
import { type GateState, INBOX } from "@/server/gate/link/tasks.ts";
import { countArrivals } from "@/server/core/connections/storage/arrivals.ts";
import { countCommitments } from "@/server/core/connections/storage/commitments.ts";
import { countOutbox } from "@/server/core/connections/storage/outbox.ts";
import { countPulls } from "@/server/core/connections/storage/pulls.ts";
import { standingQueues } from "@/server/core/connections/service/alarm.ts";
import { InboxFiles } from "@/server/core/connections/service/inbox/inbox_files.ts";
import { knownPeers } from "@/server/core/connections/service/known_peers.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const counter = (name: string, help: string, value: number): Sample => ({
  metric: { name, kind: "counter", help },
  value,
});

/** Figures of the network traffic. */
export async function connectionMetrics({ db, gate }: ServiceContext): Promise<Sample[]> {
  const [arrivals, sent, commitments, pulled, standing] = await Promise.all([
    countArrivals(db),
    countOutbox(db),
    countCommitments(db),
    countPulls(db),
    standingQueues({ db }),
  ]);
  const names = new Map((await knownPeers(db)).map(({ id, name }) => [id, name]));
  const peer = (id: number) => names.get(id) ?? "";
  const state = gate ? await new InboxFiles(gate.inbox).read<GateState>(INBOX.state) : null;
  return [
    ...arrivals.map(({ state, count }) =>
      gauge("sulcus_dicom_series", "series that came over the network, by state", count, { state })
    ),
    ...sent.map(({ peerId, state, count }) =>
      gauge("sulcus_outbox_results", "results for other systems, by system and state", count, {
        peer: peer(peerId),
        state,
      })
    ),
    ...pulled.map(({ peerId, state, count }) =>
      gauge("sulcus_pulls", "studies asked of archives, by archive and state", count, {
        peer: peer(peerId),
        state,
      })
    ),
    gauge(
      "sulcus_connection_queues_standing",
      "queues of what comes and goes over the network that have waited for longer than the setting says",
      standing.length,
    ),
    gauge("sulcus_commitments_open", "storage commitments that are not answered yet", commitments),
    ...state === null ? [] : [
      gauge("sulcus_gate_associations", "associations that are open", state.associations),
      gauge("sulcus_gate_resident_bytes", "memory of the gate", state.rssBytes),
      counter(
        "sulcus_gate_instances_total",
        "instances stored since the gate was started",
        state.stored,
      ),
      counter("sulcus_gate_bytes_total", "bytes stored since the gate was started", state.bytes),
      counter(
        "sulcus_gate_rejected_total",
        "associations and connections refused since then",
        state.rejected,
      ),
    ],
  ];
}
