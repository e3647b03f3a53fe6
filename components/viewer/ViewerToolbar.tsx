import type { Signal } from "@preact/signals-react";
import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useRef } from "react";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer.ts";

/** Window/level pairs in units of the volume, 0..255. */
const PRESETS = [
  { key: "presetFull", width: 256, level: 128 },
  { key: "presetBrain", width: 180, level: 110 },
  { key: "presetContrast", width: 110, level: 120 },
  { key: "presetFluid", width: 90, level: 45 },
] as const;

/** The signals that the tools read and write. */
export interface ViewerTools {
  isOverlayVisible: Signal<boolean>;
  opacityPercent: Signal<number>;
  windowWidth: Signal<number>;
  windowLevel: Signal<number>;
  convention: Signal<"radiological" | "neurological">;
  isCrosshairVisible: Signal<boolean>;
  isHelpOpen: Signal<boolean>;
  setOpacity(percent: number): void;
  setWindow(width: number, level: number): void;
  reset(): void;
}

interface ViewerToolbarProps {
  tools: ViewerTools;
  language: Language;
  isReady: boolean;
}

const BUTTON = "px-2.5 py-1.5 rounded border text-sm whitespace-nowrap disabled:opacity-40";
const OFF = "border-gray-700 text-gray-200 hover:bg-gray-800";
const ON = "border-cyan-500 bg-cyan-900 text-white";
const FIELD = "bg-gray-800 border border-gray-700 rounded text-sm text-gray-100 px-2 py-1";

/** Shows a number of a signal in an input or output, without a React render. */
function useLiveValue<E extends HTMLInputElement | HTMLOutputElement>(source: Signal<number>, suffix = "") {
  const element = useRef<E>(null);
  useEffect(() =>
    source.subscribe((value) => {
      if (element.current && element.current !== document.activeElement) {
        element.current.value = `${Math.round(value)}${suffix}`;
      }
    }), [source, suffix]);
  return element;
}

/** Overlay, window/level, convention and the rest of the tools. */
export function ViewerToolbar({ tools, language, isReady }: ViewerToolbarProps) {
  const t = (key: keyof typeof viewerText) => textIn(viewerText[key], language);
  return (
    <div
      role="toolbar"
      aria-label={t("toolbar")}
      className="flex items-center gap-2.5 h-12 px-3 bg-gray-900 border-b border-gray-700 shrink-0 text-gray-200"
    >
      <Toggle
        state={tools.isOverlayVisible}
        text={t("overlay")}
        hint={`${t("overlayShow")} (O)`}
        isReady={isReady}
      />
      <OpacitySlider tools={tools} text={t("opacity")} isReady={isReady} />
      <Divider />
      <WindowFields tools={tools} language={language} isReady={isReady} />
      <Divider />
      <Conventions tools={tools} language={language} />
      <Divider />
      <Toggle
        state={tools.isCrosshairVisible}
        text={t("crosshair")}
        hint={`${t("crosshair")} (X)`}
        isReady={isReady}
      />
      <button type="button" className={`${BUTTON} ${OFF}`} disabled={!isReady} onClick={() => tools.reset()}>
        {t("reset")}
      </button>
      <div className="flex-1" />
      <button
        type="button"
        className={`${BUTTON} ${OFF} w-8`}
        aria-label={t("help")}
        title={`${t("help")} (?)`}
        onClick={() => tools.isHelpOpen.value = true}
      >
        ?
      </button>
    </div>
  );
}

const Divider = () => <div className="w-px h-6 bg-gray-700 shrink-0" />;

function Toggle(
  { state, text, hint, isReady }: { state: Signal<boolean>; text: string; hint: string; isReady: boolean },
) {
  useSignals();
  return (
    <button
      type="button"
      aria-pressed={state.value}
      title={hint}
      disabled={!isReady}
      onClick={() => state.value = !state.value}
      className={`${BUTTON} ${state.value ? ON : OFF}`}
    >
      {text}
    </button>
  );
}

function OpacitySlider({ tools, text, isReady }: { tools: ViewerTools; text: string; isReady: boolean }) {
  const input = useLiveSlider(tools.opacityPercent);
  const output = useLiveValue<HTMLOutputElement>(tools.opacityPercent, " %");
  return (
    <label className="flex items-center gap-2 text-sm whitespace-nowrap">
      {text}
      <input
        ref={input}
        type="range"
        min={0}
        max={100}
        step={1}
        defaultValue={100}
        disabled={!isReady}
        className="w-24 accent-cyan-500"
        onInput={(event) => tools.setOpacity(event.currentTarget.valueAsNumber)}
      />
      <output ref={output} className="w-11 text-right tabular-nums text-gray-100">100 %</output>
    </label>
  );
}

/** A slider follows its signal even while it has the focus. */
function useLiveSlider(source: Signal<number>) {
  const element = useRef<HTMLInputElement>(null);
  useEffect(() =>
    source.subscribe((value) => {
      if (element.current && element.current.valueAsNumber !== value) element.current.value = String(value);
    }), [source]);
  return element;
}

function WindowFields({ tools, language, isReady }: ViewerToolbarProps) {
  const t = (key: keyof typeof viewerText) => textIn(viewerText[key], language);
  const width = useLiveValue<HTMLInputElement>(tools.windowWidth);
  const level = useLiveValue<HTMLInputElement>(tools.windowLevel);
  return (
    <div className="flex items-center gap-2 text-sm" role="group" aria-label={t("window")}>
      <PresetSelect tools={tools} language={language} isReady={isReady} />
      <label className="flex items-center gap-1">
        {t("width")}
        <input
          ref={width}
          type="number"
          min={1}
          max={1024}
          defaultValue={256}
          disabled={!isReady}
          aria-label={t("windowWidth")}
          className={`${FIELD} w-16`}
          onChange={(event) => {
            const value = event.currentTarget.valueAsNumber;
            if (value >= 1) tools.setWindow(value, tools.windowLevel.value);
          }}
        />
      </label>
      <label className="flex items-center gap-1">
        {t("level")}
        <input
          ref={level}
          type="number"
          min={-256}
          max={512}
          defaultValue={128}
          disabled={!isReady}
          aria-label={t("windowLevel")}
          className={`${FIELD} w-16`}
          onChange={(event) => {
            const value = event.currentTarget.valueAsNumber;
            if (Number.isFinite(value)) tools.setWindow(tools.windowWidth.value, value);
          }}
        />
      </label>
    </div>
  );
}

function PresetSelect({ tools, language, isReady }: ViewerToolbarProps) {
  const select = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    const show = () => {
      const width = tools.windowWidth.peek(), level = tools.windowLevel.peek();
      const preset = PRESETS.find((each) => each.width === width && each.level === level);
      if (select.current) select.current.value = preset?.key ?? "presetCustom";
    };
    const stops = [tools.windowWidth.subscribe(show), tools.windowLevel.subscribe(show)];
    return () => stops.forEach((stop) => stop());
  }, [tools]);
  return (
    <select
      ref={select}
      defaultValue="presetFull"
      disabled={!isReady}
      aria-label={textIn(viewerText.preset, language)}
      className={FIELD}
      onChange={(event) => {
        const preset = PRESETS.find((each) => each.key === event.currentTarget.value);
        if (preset) tools.setWindow(preset.width, preset.level);
      }}
    >
      {PRESETS.map(({ key }) => <option key={key} value={key}>{textIn(viewerText[key], language)}</option>)}
      <option value="presetCustom" hidden>{textIn(viewerText.presetCustom, language)}</option>
    </select>
  );
}

function Conventions({ tools, language }: { tools: ViewerTools; language: Language }) {
  useSignals();
  return (
    <div
      role="group"
      aria-label={textIn(viewerText.convention, language)}
      className="flex shrink-0 rounded border border-gray-700 overflow-hidden"
    >
      {(["radiological", "neurological"] as const).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={tools.convention.value === each}
          onClick={() => tools.convention.value = each}
          className={`px-2.5 py-1.5 text-sm whitespace-nowrap ${
            tools.convention.value === each ? "bg-gray-700 text-white" : "text-gray-300 hover:bg-gray-800"
          }`}
        >
          {textIn(viewerText[each], language)}
        </button>
      ))}
    </div>
  );
}
