import { regionName, regionPhrases } from "@/viewer/session/region_facts.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { DEEP, PERIVENTRICULAR } from "@/viewer/colours.ts";
import { thicknessMm, thicknessValue } from "@/viewer/visibility.ts";

/** Text with region, side, volume and percentile of a label. */
function labelText(session: ViewerSession, label: number, language: Language): string[] {
  const { t1_result, norm_reason } = session.patient, { basis, thresholds } = session;
  return regionPhrases(label, t1_result ?? [], basis.peek(), thresholds, norm_reason, language);
}

const thicknessText = (mm: number, label: number, language: Language): string[] => [
  regionName(label, language) || textIn(viewerText.background, language),
  textIn(mm > 0 ? viewerText.mm : viewerText.noCortex, language, { value: mm.toFixed(2) }),
];

function lesionText(value: number, label: number, language: Language): string[] {
  const kind = value === DEEP
    ? "deepLesion"
    : value === PERIVENTRICULAR
    ? "periLesion"
    : "noLesion";
  const region = regionName(label, language);
  return region
    ? [textIn(viewerText[kind], language), region]
    : [textIn(viewerText[kind], language)];
}

/** Text about a voxel in the current tab, for status bar and screen reader, even if not visible. */
export function placeText(
  session: ViewerSession,
  ijk: ArrayLike<number>,
  language: Language,
): string[] {
  const label = session.valueAt("labels", ijk);
  switch (session.type.peek()) {
    case "parcellation":
      return labelText(session, label, language);
    case "corticalThickness":
      return thicknessText(thicknessMm(session.valueAt("thickness", ijk)), label, language);
    case "wmh":
      return lesionText(session.valueAt("lesions", ijk), label, language);
  }
}

/**
 * Tooltip for a point of the surface with a label and a thickness in mm.
 * `null` if there is no mask at the point.
 */
export function surfaceText(
  session: ViewerSession,
  label: number,
  mm: number,
  language: Language,
): string[] | null {
  const type = session.type.peek();
  if (!session.overlays[type].isVisible.peek()) return null;
  if (type === "parcellation") {
    return session.shownRegions.peek()[label] === 1 ? labelText(session, label, language) : null;
  }
  return session.shownThickness.peek()[thicknessValue(mm)] === 1
    ? thicknessText(mm, label, language)
    : null;
}

/**
 * Tooltip of a voxel under a visible mask (D2 §2); `null` without such a mask, and while the slice
 * has not arrived in a volume of the tab, because the text would name the background.
 */
export function tooltipText(
  session: ViewerSession,
  ijk: ArrayLike<number>,
  language: Language,
): string[] | null {
  if (!session.isThere(ijk)) return null;
  const type = session.type.peek();
  const slot = type === "parcellation" ? "labels" : type === "wmh" ? "lesions" : "thickness";
  const shownFlags = type === "parcellation"
    ? session.shownRegions
    : type === "wmh"
    ? session.shownLesions
    : session.shownThickness;
  const isDrawn = session.overlays[type].isVisible.peek() &&
    shownFlags.peek()[session.valueAt(slot, ijk)] === 1;
  return isDrawn ? placeText(session, ijk, language) : null;
}
