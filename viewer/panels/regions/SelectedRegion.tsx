import { useSignals } from "@preact/signals-react/runtime";
import type { NormReason } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerRegionsText as texts } from "@/model/text/viewer/viewer_regions.ts";
import { asymmetryText } from "@/viewer/panels/region_lines.tsx";
import { contralateral, type LobeRow, markOf } from "@/viewer/panels/region_tree.ts";
import type { RegionControls } from "@/viewer/panels/regions/region_controls.ts";
import { bandText, percentileText, regionName } from "@/viewer/session/region_facts.ts";

export const PANEL_BUTTON =
  "h-7 px-2 rounded border border-gray-700 text-xs text-gray-200 whitespace-nowrap outline-none hover:bg-gray-800 focus-visible:ring-2 ring-cyan-400 disabled:opacity-40";

interface SelectedRegionProps {
  lobes: readonly LobeRow[];
  unit: "Ml" | "Mm";
  controls: RegionControls;
  normReason: NormReason | null;
  language: Language;
}

/** Values of the selected region, and a button that selects the opposite hemisphere. */
export function SelectedRegion(
  { lobes, unit, controls, normReason, language }: SelectedRegionProps,
) {
  useSignals();
  const label = controls.selected.value, { thresholds } = controls;
  const part = lobes.flatMap(({ parts }) => parts).find(({ sides }) =>
    sides.some((side) => side.label === label)
  );
  const side = part?.sides.find((each) => each.label === label), other = contralateral(label);
  // for a paired region, shows the value of the selected side, like the volume next to it
  const icvPercent = part?.sidesIcvPercent
    ? part.sidesIcvPercent[part.sides.indexOf(side!)] ?? null
    : part?.icvPercent ?? null;
  const t = (key: keyof typeof texts, values?: Record<string, string>) =>
    textIn(texts[key], language, values);
  return (
    <div
      data-testid="selected-region"
      className="flex items-center gap-2 min-h-[76px] px-2 py-1.5 border-t border-gray-700 bg-gray-800 shrink-0"
    >
      {part && side
        ? (
          <>
            <div className="flex-1 min-w-0">
              <p className="text-[13px] font-semibold text-white truncate">
                {regionName(label, language)}
              </p>
              <p className="text-xs text-gray-200">
                {[
                  t(`value${unit}`, { value: side.value?.toFixed(2) ?? "–" }),
                  `${markOf(label, side.rank, thresholds)} ${
                    percentileText(
                      label,
                      side.rank,
                      normReason,
                      language,
                      unit === "Ml" ? controls.basis.value : undefined,
                    )
                  }`.trim(),
                ].join(" · ")}
              </p>
              <p className="text-[11px] text-gray-300" title={t("asymmetryHint")}>
                {[
                  icvPercent === null ? "" : t("icvShare", { value: icvPercent.toFixed(2) }),
                  part.asymmetry === null
                    ? ""
                    : t("asymmetryShort", { value: asymmetryText(part.asymmetry) }),
                  bandText(label, side.rank, thresholds, language),
                ].filter(Boolean).join(" · ")}
              </p>
            </div>
            {other > 0 && (
              <button
                type="button"
                className={PANEL_BUTTON}
                title={t("otherSideHint")}
                onClick={() => controls.goTo(other)}
              >
                {t("otherSide")}
              </button>
            )}
          </>
        )
        : <p className="text-xs text-gray-300">{t("noneSelected")}</p>}
    </div>
  );
}
