import { RegionPanel } from "@/components/viewer/RegionPanel.tsx";
import type { ViewerSession } from "@/islands/viewer_session.ts";
import type { Language } from "@/model/text.ts";

/** What stands beside the panes; a chunk of its own, so that the images do not wait for it. */
export default function SidePanel({ session, language }: { session: ViewerSession; language: Language }) {
  return (
    <RegionPanel
      results={session.patient.t1_result ?? []}
      normReason={session.patient.norm_reason}
      controls={session}
      language={language}
    />
  );
}
