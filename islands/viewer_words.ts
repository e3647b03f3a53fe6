import { regionPhrases } from "@/components/viewer/region_facts.ts";
import type { ViewerSession } from "@/islands/viewer_session.ts";
import type { Language } from "@/model/text.ts";
import type { Picked } from "@/viewer/pick.ts";

/** What the viewer says of a label: region, side, volume, percentile. */
export const labelWords = (session: ViewerSession, label: number, language: Language): string[] => {
  const { t1_result, norm_reason } = session.patient;
  return regionPhrases(label, t1_result ?? [], session.basis.peek(), norm_reason, language);
};

/** Words over a place of the mask; `null` where no mask is drawn (D2 §2: tooltips appear over the mask). */
export function tooltipWords(session: ViewerSession, picked: Picked, language: Language): string[] | null {
  const isDrawn = session.overlays.parcellation.isVisible.peek() &&
    session.shownRegions.peek()[picked.label] === 1;
  return picked.isInside && isDrawn ? labelWords(session, picked.label, language) : null;
}
