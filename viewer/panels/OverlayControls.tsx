import type { ReadonlySignal, Signal } from "@preact/signals-react";
import { useSignals } from "@preact/signals-react/runtime";
import { Choice, Divider, FIELD, Slider, Toggle } from "@/viewer/panels/controls.tsx";
import { useLiveText } from "@/viewer/session/live_value.ts";
import { type PercentileBasis, percentileText } from "@/viewer/session/region_facts.ts";
import type { NormReason } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";

type OverlayKind = "parcellation" | "corticalThickness" | "wmh";

/** Signals that the overlay's controls read and write. */
interface OverlayTools {
  type: Signal<OverlayKind>;
  overlays: Record<OverlayKind, { isVisible: Signal<boolean>; opacityPercent: Signal<number> }>;
  threshold: Signal<number>;
  isThresholdOn: Signal<boolean>;
  hasNorms: ReadonlySignal<boolean>;
  /** number of visible regions */
  shownCount: ReadonlySignal<number>;
  basis: Signal<PercentileBasis>;
  /** whether percentiles adjusted for the intracranial volume are available */
  readonly hasIcvRanks: boolean;
  thicknessRange: Signal<{ low: number; high: number }>;
  thinnestMm: ReadonlySignal<number>;
  thickestMm: ReadonlySignal<number>;
  isDeepVisible: Signal<boolean>;
  isPeriVisible: Signal<boolean>;
  isWmhOnly: Signal<boolean>;
  toggleWmhOnly(): void;
  setOpacity(percent: number): void;
  setThreshold(percentile: number): void;
  setThickness(low: number, high: number): void;
}

/** CSS colours of overlays: 256 values for a thickness of 0..5 mm, and the lesion kinds. */
interface OverlayColours {
  thickness: readonly string[];
  deep: string;
  peri: string;
}

interface OverlayControlsProps {
  tools: OverlayTools;
  colours: OverlayColours;
  normReason: NormReason | null;
  regionCount: number;
  language: Language;
  isReady: boolean;
}

type PartProps = OverlayControlsProps & { t: (key: keyof typeof viewerText) => string };

/** Controls of the current tab's overlay (D2 §2). */
export function OverlayControls(props: OverlayControlsProps) {
  useSignals();
  const type = props.tools.type.value;
  const t = (key: keyof typeof viewerText) => textIn(viewerText[key], props.language);
  const part = { ...props, t };
  return (
    <div
      role="toolbar"
      aria-label={t("overlayControls")}
      data-testid="overlay-controls"
      className="flex items-center gap-2.5 h-12 px-3 bg-gray-900 border-b border-gray-700 shrink-0 text-gray-200"
    >
      {type === "wmh" ? <LesionControls {...part} /> : (
        <>
          <Toggle
            state={props.tools.overlays[type].isVisible}
            text={t("mask")}
            hint={`${t("maskShow")} (O)`}
            isReady={props.isReady}
          />
          <Opacity key={type} {...part} />
          <Divider />
          {type === "parcellation" ? <RegionControls {...part} /> : <ThicknessControls {...part} />}
        </>
      )}
    </div>
  );
}

function Opacity({ tools, t, isReady }: PartProps) {
  return (
    <Slider
      text={t("opacity")}
      source={tools.overlays[tools.type.peek()].opacityPercent}
      onValue={(percent) => tools.setOpacity(percent)}
      wordsOf={(percent) => `${percent}\u00a0%`}
      min={0}
      max={100}
      step={1}
      isReady={isReady}
    />
  );
}

/**
 * Control that shows all regions, or only those up to a percentile (D2: mask threshold 0..20).
 * Also selects the basis of the percentiles (D2: mask type).
 */
function RegionControls({ tools, normReason, regionCount, language, isReady, t }: PartProps) {
  useSignals();
  const hasNorms = tools.hasNorms.value, isOn = tools.isThresholdOn.value && hasNorms;
  const refusal = hasNorms ? undefined : percentileText(1, null, normReason, language);
  return (
    <>
      <Choice
        name={t("choice")}
        value={isOn ? "threshold" : "all"}
        options={[{ value: "all", text: t("allRegions") }, {
          value: "threshold",
          text: t("atOrBelow"),
          hint: refusal,
          isDisabled: !hasNorms,
        }]}
        onChoose={(value) => tools.isThresholdOn.value = value === "threshold"}
        isReady={isReady}
      />
      {refusal
        ? <p className="text-xs text-amber-200 min-w-0 truncate" title={refusal}>{refusal}</p>
        : (
          <>
            <Slider
              name={t("threshold")}
              source={tools.threshold}
              onValue={(percentile) => tools.setThreshold(percentile)}
              wordsOf={String}
              min={0}
              max={20}
              step={1}
              isReady={isReady && isOn}
              width="w-20"
              numberWidth="w-5"
            />
            <ShownCount count={tools.shownCount} total={regionCount} language={language} />
          </>
        )}
      <Divider />
      <label
        className="flex items-center gap-1.5 text-sm whitespace-nowrap"
        title={t("maskTypeHint")}
      >
        {t("maskType")}
        <select
          value={tools.basis.value}
          disabled={!isReady}
          onChange={(event) =>
            tools.basis.value = event.currentTarget.value === "icv" ? "icv" : "region"}
          className={FIELD}
        >
          <option value="icv" disabled={!tools.hasIcvRanks}>{t("maskIcv")}</option>
          <option value="region">{t("maskRegion")}</option>
        </select>
      </label>
    </>
  );
}

/**
 * Shows the number of visible regions: a threshold that hides all regions would look like a fault.
 */
function ShownCount(
  { count, total, language }: { count: ReadonlySignal<number>; total: number; language: Language },
) {
  const words = (n: number) => textIn(viewerText.shownCount, language, { n, total });
  const output = useLiveText<HTMLOutputElement, number>(count, words);
  return (
    <output
      ref={output}
      className="text-xs text-gray-300 whitespace-nowrap tabular-nums"
      title={textIn(viewerText.shownCountHint, language)}
      data-testid="shown-count"
    >
      {words(count.peek())}
    </output>
  );
}

/** Range of visible thickness, 0..5 mm in steps of 0.1, with a colour bar. */
function ThicknessControls({ tools, colours, language, isReady, t }: PartProps) {
  const words = (mm: number) => textIn(viewerText.mm, language, { value: mm.toFixed(2) });
  const range = {
    min: 0,
    max: 5,
    step: 0.1,
    wordsOf: words,
    isReady,
    width: "w-28",
    numberWidth: "w-16",
  };
  return (
    <>
      <span className="text-sm whitespace-nowrap">{t("thickness")}</span>
      <Slider
        name={t("thicknessLow")}
        source={tools.thinnestMm}
        onValue={(mm) => tools.setThickness(mm, Math.max(mm, tools.thickestMm.peek()))}
        {...range}
      />
      <span aria-hidden="true">–</span>
      <Slider
        name={t("thicknessHigh")}
        source={tools.thickestMm}
        onValue={(mm) => tools.setThickness(Math.min(mm, tools.thinnestMm.peek()), mm)}
        {...range}
      />
      <Divider />
      <ColourBar colours={colours.thickness} name={t("colourBar")} />
    </>
  );
}

const BAR = { width: 180, height: 10, top: 3 } as const;

/** Colour bar with the fixed scale 0..5 mm, independent of the visible range. */
function ColourBar({ colours, name }: { colours: readonly string[]; name: string }) {
  const step = BAR.width / colours.length;
  return (
    <svg
      viewBox={`-8 0 ${BAR.width + 30} 30`}
      role="img"
      aria-label={name}
      className="h-[30px] w-[210px] shrink-0"
      data-testid="colour-bar"
    >
      {colours.map((colour, n) => (
        <rect
          key={n}
          x={n * step}
          y={BAR.top}
          width={step + 0.3}
          height={BAR.height}
          fill={colour}
        />
      ))}
      {[0, 1, 2, 3, 4, 5].map((mm) => (
        <g key={mm}>
          <path d={`M${mm * BAR.width / 5} ${BAR.top + BAR.height}v3`} stroke="#e5e7eb" />
          <text x={mm * BAR.width / 5} y={27} fontSize="10" textAnchor="middle" fill="#e5e7eb">
            {mm === 5 ? "5 mm" : mm}
          </text>
        </g>
      ))}
    </svg>
  );
}

const Swatch = ({ colour }: { colour: string }) => (
  <svg viewBox="0 0 12 12" className="w-3 h-3 shrink-0" aria-hidden="true">
    <rect width="12" height="12" rx="2" fill={colour} />
  </svg>
);

function LesionControls(props: PartProps) {
  const { tools, colours, isReady, t } = props;
  return (
    <>
      <Toggle
        state={tools.isDeepVisible}
        text={t("deep")}
        hint={`${t("deepShow")} (O)`}
        mark={<Swatch colour={colours.deep} />}
        isReady={isReady}
      />
      <Toggle
        state={tools.isPeriVisible}
        text={t("peri")}
        hint={`${t("periShow")} (O)`}
        mark={<Swatch colour={colours.peri} />}
        isReady={isReady}
      />
      <Opacity {...props} />
      <Divider />
      <Toggle
        state={tools.isWmhOnly}
        onToggle={() => tools.toggleWmhOnly()}
        text={t("wmhOnly")}
        hint={t("wmhOnlyHint")}
        isReady={isReady}
      />
    </>
  );
}
