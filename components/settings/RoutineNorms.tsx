// Norms from routine studies: estimates by scanner, plot, and proposal.
import { useState } from "react";
import { engineName } from "@/model/measured/engine_name.ts";
import { MIN_ROUTINE } from "@/model/norms/indirect/indirect_norm.ts";
import type { RoutineGroup, RoutineRegion } from "@/model/schema/report/routine_norms.ts";
import { measureText } from "@/model/text/settings/local_norms.ts";
import { routineText } from "@/model/text/settings/routine_norms.ts";
import {
  computeRoutineNorms,
  exportRoutineCounts,
  getRoutineDetails,
  getRoutineNorms,
  importRoutineCounts,
  proposeRoutineNorm,
  removeRoutineCounts,
} from "@/client/api/report/norms.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { saveFile } from "@/client/files/save_file.ts";
import { confirmInModal } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { FileInput } from "@/components/FileInput.tsx";
import { INPUT } from "@/components/fields.tsx";
import { RoutinePlot } from "@/components/settings/RoutinePlot.tsx";
import {
  ComputedSection,
  GroupSelect,
  useGroupDetails,
} from "@/components/settings/ScannerGroups.tsx";
import { useComputed } from "@/components/settings/use_computed.ts";

const signed = (value: number) => `${value < 0 ? "−" : ""}${Math.abs(value).toFixed(2)}`;

interface RoutineNormsProps {
  isBusy: boolean;
  /** runs an action and reloads the list of norms */
  onAct: (action: () => Promise<void>) => Promise<void>;
}

export function RoutineNorms({ isBusy, onAct }: RoutineNormsProps) {
  const text = useText(routineText);
  const [data, readAgain] = useComputed(() => getRoutineNorms(browserApi));
  const [chosenId, setChosenId] = useState<number | null>(null);
  const group = data?.groups.find(({ id }) => id === chosenId) ?? data?.groups[0] ?? null;
  const details = useGroupDetails(
    group?.id,
    String(group?.computed_at),
    (id) => getRoutineDetails(browserApi, id),
  );

  const act = (action: () => Promise<unknown>) =>
    onAct(async () => {
      await action();
      readAgain();
    });
  return (
    <ComputedSection
      title={text("title")}
      hint={text("hint", { min: MIN_ROUTINE })}
      data={data}
      isBusy={isBusy}
      compute={text("compute")}
      computing={text("computing")}
      never={text("never")}
      computedAt={(date) => text("computedAt", { date })}
      onCompute={() => void act(() => computeRoutineNorms(browserApi))}
    >
      {data && group && (
        <div className="flex flex-col gap-2">
          <GroupSelect
            label={text("group")}
            groups={data.groups}
            selected={group}
            textOf={({ scanner, protocol }) => `${scanner} · ${protocol || text("noProtocol")}`}
            onSelect={setChosenId}
          />
          <GroupFigures group={group} />
          {details?.group.id === group.id && details.regions.length > 0 && (
            <RoutineRegions regions={details.regions} />
          )}
          <GroupActions group={group} isBusy={isBusy || data.is_computing} onAct={act} />
        </div>
      )}
    </ComputedSection>
  );
}

function GroupFigures({ group }: { group: RoutineGroup }) {
  const language = useLanguage(), text = useText(routineText);
  return (
    <div className="text-[13px]">
      <p>
        {text("counted", { n: group.studies, engine: engineName(group.engine_version, language) })}
        {group.sites > 1 && ` ${
          text("pooled", {
            n: group.other_studies,
            sites: group.sites - 1,
          })
        }`}
      </p>
      <p>{text("estimated", { n: group.estimated, refused: group.refused })}</p>
      {group.is_alarm && <p className="text-red-700">{text("moved", { n: group.moved })}</p>}
    </div>
  );
}

interface GroupActionsProps {
  group: RoutineGroup;
  isBusy: boolean;
  onAct: (action: () => Promise<unknown>) => Promise<void>;
}

function GroupActions({ group, isBusy, onAct }: GroupActionsProps) {
  const text = useText(routineText);
  const n = group.studies + group.other_studies;
  const propose = async () => {
    if (!await confirmInModal("norm.propose_routine", { scanner: group.scanner, n })) return;
    await onAct(() => proposeRoutineNorm(browserApi, group.id));
  };
  const save = () =>
    onAct(async () => {
      const counts = JSON.stringify(await exportRoutineCounts(browserApi, group.id));
      saveFile(new Blob([counts], { type: "application/json" }), "routine_counts.json");
    });
  const read = (file: File) =>
    onAct(async () => {
      let content: unknown = null;
      try {
        content = JSON.parse(await file.text());
      } catch {
        // sent unparsed: the server refuses it as an invalid file
      }
      await importRoutineCounts(browserApi, group.id, content);
    });
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        size="small"
        disabled={isBusy || n < MIN_ROUTINE || group.estimated === 0}
        onClick={() => void propose()}
      >
        {text("propose")}
      </Button>
      <Button size="small" disabled={isBusy} onClick={() => void save()}>{text("export")}</Button>
      <FileInput
        label={text("import")}
        accept="application/json,.json"
        disabled={isBusy}
        onFile={(file) => void read(file)}
      />
      {group.sites > 1 && (
        <Button
          size="small"
          disabled={isBusy}
          onClick={() => void onAct(() => removeRoutineCounts(browserApi, group.id))}
        >
          {text("removePools")}
        </Button>
      )}
    </div>
  );
}

const CELL = "px-2 py-1.5 text-left align-middle";

/** Table of estimates by region, and the plot of the selected region. */
function RoutineRegions({ regions }: { regions: readonly RoutineRegion[] }) {
  const language = useLanguage(), text = useText(routineText);
  const nameOf = ({ measure, key }: RoutineRegion) => `${measure}:${key}`;
  const rows = [...regions].sort((a, b) =>
    Number(b.refusal === null) - Number(a.refusal === null) ||
    Math.abs(b.part?.offset ?? 0) - Math.abs(a.part?.offset ?? 0)
  );
  const [chosen, setChosen] = useState("");
  const shown = rows.find((row) => nameOf(row) === chosen) ?? rows[0]!;
  const wordsOf = (value: number, low: number, high: number) =>
    `${signed(value)} (${signed(low)} … ${signed(high)})`;
  const head = ["region", "n", "offset", "scale", "healthy", "verdict"] as const;
  return (
    <>
      <select
        aria-label={text("plotOf")}
        value={nameOf(shown)}
        onChange={(event) => setChosen(event.currentTarget.value)}
        className={INPUT}
      >
        {rows.map((row) => (
          <option key={nameOf(row)} value={nameOf(row)}>
            {measureText(row.measure, row.key, language)}
          </option>
        ))}
      </select>
      <RoutinePlot region={shown} />
      <div
        tabIndex={0}
        role="region"
        aria-label={text("title")}
        className="max-h-[240px] overflow-auto rounded-md border border-line bg-white"
      >
        <table className="w-full text-[13px] tabular">
          <thead className="sticky top-0 bg-canvas text-ink-soft">
            <tr>
              {head.map((key) => (
                <th key={key} scope="col" className={`${CELL} font-medium`}>{text(key)}</th>
              ))}
            </tr>
          </thead>
          <tbody className="text-ink">
            {rows.map((row) => (
              <tr key={nameOf(row)} className="border-t border-line">
                <th scope="row" className={`${CELL} font-normal`}>
                  {measureText(row.measure, row.key, language)}
                </th>
                <td className={CELL}>{row.n}</td>
                <td className={`${CELL} whitespace-nowrap`}>
                  {row.part
                    ? wordsOf(row.part.offset, row.part.offset_low, row.part.offset_high)
                    : "–"}
                </td>
                <td className={`${CELL} whitespace-nowrap`}>
                  {row.part
                    ? wordsOf(row.part.scale, row.part.scale_low, row.part.scale_high)
                    : "–"}
                </td>
                <td className={CELL}>
                  {row.part ? `${Math.round(100 * row.part.healthy_share)}\u00a0%` : "–"}
                </td>
                <td className={CELL}>{text(row.refusal ?? "usable", { min: MIN_ROUTINE })}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
