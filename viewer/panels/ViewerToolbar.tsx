import type { ReadonlySignal, Signal } from "@preact/signals-react";
import { useSignals } from "@preact/signals-react/runtime";
import { type ReactNode, useEffect, useRef } from "react";
import { BUTTON, Choice, Divider, FIELD, Icon, OFF, Toggle } from "@/viewer/panels/controls.tsx";
import { fromUnits, inUnits, pageWindow } from "@/viewer/session/scales.ts";
import type { Windowed } from "@/viewer/session/session.ts";
import { useLiveText } from "@/viewer/session/live_value.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";

/** Window/level presets in volume units, 0..255. */
const PRESETS = [
  { key: "presetFull", width: 256, level: 128 },
  { key: "presetBrain", width: 180, level: 110 },
  { key: "presetContrast", width: 110, level: 120 },
  { key: "presetFluid", width: 90, level: 45 },
] as const;

const LAYOUTS = [
  { value: "quarters", path: "M1.5 1.5h13v13h-13zM8 1.5v13M1.5 8h13" },
  { value: "stacked", path: "M1.5 1.5h13v13h-13zM10 1.5v13M10 8h4.5" },
  { value: "sideBySide", path: "M1.5 1.5h13v13h-13zM1.5 10h13M8 10v4.5" },
] as const;
const CROSSHAIR = "M8 1v5M8 10v5M1 8h5M10 8h5";
const RESET = "M3 8a5 5 0 1 0 1.7-3.7M3 2v3.3h3.3";
const PANEL = "M1.5 2.5h13v11h-13zM10 2.5v11";

/** Signals that the tools read and write. */
interface ViewerTools {
  windowed: ReadonlySignal<Windowed>;
  convention: Signal<"radiological" | "neurological">;
  isCrosshairVisible: Signal<boolean>;
  isHelpOpen: Signal<boolean>;
  isPanelOpen: Signal<boolean>;
  division: Signal<3 | 4>;
  smallPanes: Signal<"stacked" | "sideBySide">;
  reset(): void;
}

interface ViewerToolbarProps {
  tools: ViewerTools;
  language: Language;
  isReady: boolean;
  /** whether a surface pane exists, without which there is no four-pane layout */
  hasFourPanes: boolean;
  /** Whether a side panel exists, which the toolbar can open and close. */
  hasPanel?: boolean;
  /** further tools, shown after the built-in ones */
  children?: ReactNode;
}

/** Window/level, convention, layout and other tools available on every tab. */
export function ViewerToolbar(
  { tools, language, isReady, hasFourPanes, hasPanel = true, children }: ViewerToolbarProps,
) {
  const t = (key: keyof typeof viewerText) => textIn(viewerText[key], language);
  return (
    <div
      role="toolbar"
      aria-label={t("toolbar")}
      className="flex flex-wrap xl:flex-nowrap items-center gap-x-1 gap-y-1 xl:gap-2.5 min-h-[40px] py-1 xl:py-0 px-2 xl:px-3 bg-gray-900 border-b border-gray-700 shrink-0 text-gray-200"
    >
      <WindowFields tools={tools} language={language} isReady={isReady} />
      <Divider />
      <Conventions tools={tools} language={language} />
      <Divider />
      <Layouts tools={tools} language={language} hasFourPanes={hasFourPanes} />
      <Toggle
        state={tools.isCrosshairVisible}
        text={t("crosshair")}
        hint={`${t("crosshair")} (X)`}
        isReady={isReady}
        mark={<Icon path={CROSSHAIR} />}
        isTextShown={false}
      />
      <button
        type="button"
        className={`${BUTTON} ${OFF} w-8`}
        disabled={!isReady}
        aria-label={t("reset")}
        title={`${t("reset")} (R)`}
        onClick={() => tools.reset()}
      >
        <Icon path={RESET} />
      </button>
      {children}
      {/* these controls stay together when the toolbar wraps */}
      <div className="ml-auto flex items-center gap-1 xl:gap-2.5">
        <button
          type="button"
          className={`${BUTTON} ${OFF} w-8`}
          aria-label={t("help")}
          title={`${t("help")} (?)`}
          onClick={() => tools.isHelpOpen.value = true}
        >
          ?
        </button>
        {hasPanel && (
          <Toggle
            state={tools.isPanelOpen}
            text={t("sidePanel")}
            hint={`${t("sidePanel")} ( [ ] )`}
            isReady
            mark={<Icon path={PANEL} />}
            isTextShown={false}
          />
        )}
      </div>
    </div>
  );
}

function WindowFields({ tools, language, isReady }: Omit<ViewerToolbarProps, "hasFourPanes">) {
  useSignals();
  const t = (key: keyof typeof viewerText) => textIn(viewerText[key], language);
  // the value scale is the key of the controls: another tab or other images use other units
  const windowed = tools.windowed.value, scale = windowed.scale.value;
  const props = { windowed, language, isReady };
  return (
    <div
      className="flex items-center gap-2 text-sm"
      role="group"
      aria-label={t("window")}
      title={t(scale ? "windowUnits" : "windowBytes")}
      key={scale ? `${scale.slope} ${scale.intercept}` : ""}
    >
      <PresetSelect {...props} />
      <WindowField {...props} field="width" />
      <WindowField {...props} field="level" />
    </div>
  );
}

interface WindowProps {
  windowed: Windowed;
  language: Language;
  isReady: boolean;
}

function WindowField(
  { windowed, language, isReady, field }: WindowProps & { field: "width" | "level" },
) {
  const scale = windowed.scale.peek(), isWidth = field === "width";
  const { windowWidth, windowLevel } = windowed, source = isWidth ? windowWidth : windowLevel;
  const words = (value: number) => String(Math.round(inUnits(scale, field, value)));
  const input = useLiveText<HTMLInputElement, number>(source, words);
  return (
    <label className="flex items-center gap-1">
      {textIn(viewerText[field], language)}
      <input
        ref={input}
        type="number"
        defaultValue={words(source.peek())}
        disabled={!isReady}
        aria-label={textIn(viewerText[isWidth ? "windowWidth" : "windowLevel"], language)}
        className={`${FIELD} w-[84px]`}
        onChange={(event) => {
          const value = event.currentTarget.valueAsNumber;
          if (!Number.isFinite(value) || isWidth && value <= 0) return;
          const bytes = fromUnits(scale, field, value);
          windowed.setWindow(
            isWidth ? bytes : windowWidth.value,
            isWidth ? windowLevel.value : bytes,
          );
        }}
      />
    </label>
  );
}

function PresetSelect({ windowed, language, isReady }: WindowProps) {
  const select = useRef<HTMLSelectElement>(null), scale = windowed.scale.value;
  const presets = scale?.window
    ? [{ key: "presetHeader", ...pageWindow(scale) } as const, ...PRESETS]
    : PRESETS;
  useEffect(() => {
    const show = () => {
      const width = windowed.windowWidth.peek(), level = windowed.windowLevel.peek();
      const preset = presets.find((each) => each.width === width && each.level === level);
      if (select.current) select.current.value = preset?.key ?? "presetCustom";
    };
    const stops = [windowed.windowWidth.subscribe(show), windowed.windowLevel.subscribe(show)];
    return () => stops.forEach((stop) => stop());
  }, [windowed, scale]);
  return (
    <select
      ref={select}
      defaultValue={presets[0]!.key}
      disabled={!isReady}
      aria-label={textIn(viewerText.preset, language)}
      className={FIELD}
      onChange={(event) => {
        const preset = presets.find((each) => each.key === event.currentTarget.value);
        if (preset) windowed.setWindow(preset.width, preset.level);
      }}
    >
      {presets.map(({ key }) => (
        <option key={key} value={key}>{textIn(viewerText[key], language)}</option>
      ))}
      <option value="presetCustom" hidden>{textIn(viewerText.presetCustom, language)}</option>
    </select>
  );
}

function Conventions({ tools, language }: { tools: ViewerTools; language: Language }) {
  useSignals();
  return (
    <Choice
      name={textIn(viewerText.convention, language)}
      value={tools.convention.value}
      options={(["radiological", "neurological"] as const).map((value) => ({
        value,
        text: textIn(viewerText[value], language),
        hint: textIn(viewerText[value], language),
        words: (
          <>
            <span className="2xl:hidden">{textIn(viewerText[`${value}Short`], language)}</span>
            <span className="hidden 2xl:inline">{textIn(viewerText[value], language)}</span>
          </>
        ),
      }))}
      onChoose={(value) => tools.convention.value = value}
    />
  );
}

/** Buttons of the four-pane layout, and of the three-pane layout with either position (D2 §2). */
function Layouts({ tools, language, hasFourPanes }: Omit<ViewerToolbarProps, "isReady">) {
  useSignals();
  const options = LAYOUTS.filter(({ value }) => hasFourPanes || value !== "quarters");
  const isFour = hasFourPanes && tools.division.value === 4;
  return (
    <Choice
      name={textIn(viewerText.division, language)}
      value={isFour ? "quarters" : tools.smallPanes.value}
      options={options.map(({ value, path }) => ({
        value,
        text: textIn(viewerText[value], language),
        mark: <Icon path={path} />,
      }))}
      onChoose={(value) => {
        if (hasFourPanes) tools.division.value = value === "quarters" ? 4 : 3;
        if (value !== "quarters") tools.smallPanes.value = value;
      }}
    />
  );
}
