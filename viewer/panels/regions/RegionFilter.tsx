import { useSignals } from "@preact/signals-react/runtime";
import { type Language, textIn } from "@/model/text.ts";
import { viewerRegionsText as texts } from "@/model/text/viewer/viewer_regions.ts";
import type { RegionOrder } from "@/viewer/panels/region_tree.ts";
import type { RegionControls } from "@/viewer/panels/regions/region_controls.ts";
import { PANEL_BUTTON } from "@/viewer/panels/regions/SelectedRegion.tsx";

const FIELD =
  "h-7 min-w-0 bg-gray-800 border border-gray-500 rounded px-1 text-xs text-gray-100 outline-none focus-visible:ring-2 ring-cyan-400";

interface RegionFilterProps {
  filter: {
    search: string;
    setSearch: (search: string) => void;
    order: RegionOrder;
    setOrder: (order: RegionOrder) => void;
    isLowOnly: boolean;
    setLowOnly: (isLowOnly: boolean) => void;
  };
  isVolume: boolean;
  hasPercentiles: boolean;
  controls: RegionControls;
  language: Language;
}

/** Search, order and filter of the list, and the visibility of all regions. */
export function RegionFilter(props: RegionFilterProps) {
  useSignals();
  const { filter, isVolume, hasPercentiles, controls, language } = props;
  const t = (key: keyof typeof texts, values?: Record<string, string | number>) =>
    textIn(texts[key], language, values);
  const threshold = controls.threshold.value;
  return (
    <>
      <input
        type="search"
        value={filter.search}
        onChange={(event) => filter.setSearch(event.currentTarget.value)}
        placeholder={t("search")}
        aria-label={t("search")}
        className={`${FIELD} w-full px-2 placeholder-gray-400`}
      />
      <OrderAndBasis {...props} />
      <div className="flex items-center gap-1.5">
        <label
          className="flex flex-1 items-center gap-1.5 text-xs text-gray-200"
          title={t("lowOnlyHint", { high: 100 - threshold })}
        >
          <input
            type="checkbox"
            checked={filter.isLowOnly}
            disabled={!hasPercentiles}
            onChange={(event) => filter.setLowOnly(event.currentTarget.checked)}
            className="accent-cyan-500"
          />
          {t("lowOnly", { n: threshold })}
        </label>
        {isVolume && (
          <>
            <button
              type="button"
              className={PANEL_BUTTON}
              onClick={() => controls.setAllHidden(false)}
            >
              {t("showAll")}
            </button>
            <button
              type="button"
              className={PANEL_BUTTON}
              onClick={() => controls.setAllHidden(true)}
            >
              {t("hideAll")}
            </button>
          </>
        )}
      </div>
    </>
  );
}

/** Order of the rows, and whether percentiles refer to the region or to the intracranial volume. */
function OrderAndBasis({ filter, isVolume, controls, language }: RegionFilterProps) {
  useSignals();
  const t = (key: keyof typeof texts) => textIn(texts[key], language);
  return (
    <div className="flex gap-1.5">
      <select
        value={filter.order}
        onChange={(event) => filter.setOrder(event.currentTarget.value as RegionOrder)}
        aria-label={t("sort")}
        title={t("sort")}
        className={`${FIELD} flex-1`}
      >
        <option value="lobe">{t("byLobe")}</option>
        <option value="value">{t(isVolume ? "byValue" : "byThinnest")}</option>
        <option value="percentile">{t("byPercentile")}</option>
        <option value="asymmetry">{t("byAsymmetry")}</option>
      </select>
      {isVolume && (
        <select
          value={controls.basis.value}
          onChange={(event) =>
            controls.basis.value = event.currentTarget.value === "icv" ? "icv" : "region"}
          aria-label={t("basis")}
          title={t("basis")}
          className={`${FIELD} w-[112px]`}
        >
          <option value="region">{t("basisRegion")}</option>
          <option value="icv" disabled={!controls.hasIcvRanks}>{t("basisIcv")}</option>
        </select>
      )}
    </div>
  );
}
