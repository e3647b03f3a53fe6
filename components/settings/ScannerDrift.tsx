// Control charts of the scanners: list of changed scanners, plots, and restart of a chart.
import { useState } from "react";
import { OVERALL, UNRELIABLE } from "@/model/drift/charts.ts";
import { engineName } from "@/model/measured/engine_name.ts";
import type { DriftDetails, DriftGroup } from "@/model/schema/report/drift.ts";
import type { Measure } from "@/model/norms/norms.ts";
import type { Language } from "@/model/text.ts";
import { textIn } from "@/model/text.ts";
import { driftText } from "@/model/text/settings/drift.ts";
import { measureText } from "@/model/text/settings/local_norms.ts";
import { routineText } from "@/model/text/settings/routine_norms.ts";
import {
  computeDrift,
  getDrift,
  getDriftDetails,
  restartDrift,
} from "@/client/api/report/norms.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { confirmInModal } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { INPUT } from "@/components/fields.tsx";
import { DriftPlot } from "@/components/settings/DriftPlot.tsx";
import {
  ComputedSection,
  GroupSelect,
  useGroupDetails,
} from "@/components/settings/ScannerGroups.tsx";
import { useComputed } from "@/components/settings/use_computed.ts";

function chartText(name: string, language: Language): string {
  if (name === OVERALL || name === UNRELIABLE) return textIn(driftText[name], language);
  const [measure, key] = name.split(":") as [Measure, string];
  return measureText(measure, key, language);
}

interface ScannerDriftProps {
  isBusy: boolean;
  /** runs an action and reloads the panel's other lists */
  onAct: (action: () => Promise<void>) => Promise<void>;
}

export function ScannerDrift({ isBusy, onAct }: ScannerDriftProps) {
  const language = useLanguage(), text = useText(driftText), routine = useText(routineText);
  const [data, readAgain] = useComputed(() => getDrift(browserApi));
  const [chosenId, setChosenId] = useState<number | null>(null);
  const group = data?.groups.find(({ id }) => id === chosenId) ??
    data?.groups.find(({ state }) => state === "moved") ?? data?.groups[0] ?? null;
  const details = useGroupDetails(
    group?.id,
    `${group?.computed_at} ${group?.restarted_at}`,
    (id) => getDriftDetails(browserApi, id),
  );

  const act = (action: () => Promise<void>) =>
    onAct(async () => {
      await action();
      readAgain();
    });
  const restart = async (scanner: string, id: number) => {
    if (await confirmInModal("drift.restart", { scanner })) {
      await act(() => restartDrift(browserApi, id));
    }
  };
  return (
    <ComputedSection
      title={text("title")}
      hint={text("hint", { n: data?.learning ?? 100 })}
      data={data}
      isBusy={isBusy}
      compute={text("compute")}
      computing={text("computing")}
      never={text("never")}
      computedAt={(date) => text("computedAt", { date })}
      onCompute={() => void act(() => computeDrift(browserApi))}
    >
      {data && group && (
        <div className="flex flex-col gap-2">
          <GroupSelect
            label={text("group")}
            groups={data.groups}
            selected={group}
            textOf={({ scanner, protocol, coil, engine_version }) =>
              [
                scanner,
                protocol || routine("noProtocol"),
                coil,
                engineName(engine_version, language),
              ]
                .filter((part) => part !== "").join(" · ")}
            onSelect={setChosenId}
          />
          <DriftState group={group} needed={data.learning} />
          {details?.group.id === group.id && details.charts.length > 0 && (
            <Charts details={details} />
          )}
          <div>
            <Button
              size="small"
              disabled={isBusy || data.is_computing}
              onClick={() => void restart(group.scanner, group.id)}
            >
              {text("restart")}
            </Button>
          </div>
        </div>
      )}
    </ComputedSection>
  );
}

function DriftState({ group, needed }: { group: DriftGroup; needed: number }) {
  const language = useLanguage(), text = useText(driftText);
  const list = group.moved.map(({ name, direction, date }) => {
    const values = { name: chartText(name, language), direction: text(direction) };
    return date === null ? text("movedUndated", values) : text("movedSince", { ...values, date });
  }).join(", ");
  return (
    <div className="text-[13px]">
      <p>
        {text("counted", { n: group.studies, engine: engineName(group.engine_version, language) })}
      </p>
      {group.state === "moved"
        ? <p className="text-red-700">{text("moved", { list })}</p>
        : <p>{text(group.state, { n: group.studies, needed })}</p>}
      {group.restarted_at !== null && (
        <p>
          {text("restartedAt", {
            date: group.restarted_at.slice(0, 10),
            user: group.restarted_by ?? "–",
          })}
        </p>
      )}
    </div>
  );
}

/** Plot of one control chart, and a field that selects the chart. */
function Charts({ details: { group, charts } }: { details: DriftDetails }) {
  const language = useLanguage(), text = useText(driftText);
  const [chosen, setChosen] = useState("");
  const first = group.moved[0]?.name ?? OVERALL;
  const shown = charts.find(({ name }) => name === chosen) ??
    charts.find(({ name }) => name === first) ?? charts[0]!;
  return (
    <>
      <select
        aria-label={text("chart")}
        value={shown.name}
        onChange={(event) => setChosen(event.currentTarget.value)}
        className={INPUT}
      >
        {charts.map(({ name }) => (
          <option key={name} value={name}>{chartText(name, language)}</option>
        ))}
      </select>
      <DriftPlot chart={shown} name={chartText(shown.name, language)} />
    </>
  );
}
