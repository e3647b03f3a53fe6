// Norms from routine studies: estimates by scanner, plot, and proposal.
import { useEffect, useState } from "react";
import { MIN_ROUTINE } from "@/model/norms/indirect/indirect_norm.ts";
import type {
  RoutineDetails,
  RoutineGroup,
  RoutineRegion,
} from "@/model/schema/report/routine_norms.ts";
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
import { confirmInModal, presentError } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { INPUT, Section } from "@/components/fields.tsx";
import { RoutinePlot } from "@/components/settings/RoutinePlot.tsx";
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
  const [details, setDetails] = useState<RoutineDetails | null>(null);
  const group = data?.groups.find(({ id }) => id === chosenId) ?? data?.groups[0] ?? null;

  useEffect(() => {
    if (!group) return setDetails(null);
    let isOver = false;
    getRoutineDetails(browserApi, group.id).then(
      (answer) => !isOver && setDetails(answer),
      (error) => !isOver && presentError(error),
    );
    return () => void (isOver = true);
  }, [group?.id, group?.computed_at]);

  const act = (action: () => Promise<unknown>) =>
    onAct(async () => {
      await action();
      readAgain();
    });
  return (
    <Section
      title={text("title")}
      hint={text("hint", { min: MIN_ROUTINE })}
      control={
        <Button
          size="small"
          disabled={isBusy || !data || data.is_computing}
          onClick={() => void act(() => computeRoutineNorms(browserApi))}
        >
          {text("compute")}
        </Button>
      }
    >
      <p role="status" className="min-h-[20px] text-[13px]">
        {data?.is_computing
          ? text("computing")
          : data?.computed_at
          ? text("computedAt", { date: data.computed_at.slice(0, 10) })
          : data && text("never")}
      </p>
      {data && group && (
        <div className="flex flex-col gap-2">
          <select
            aria-label={text("group")}
            value={group.id}
            onChange={(event) => setChosenId(Number(event.currentTarget.value))}
            className={INPUT}
          >
            {data.groups.map(({ id, scanner, protocol }) => (
              <option key={id} value={id}>
                {`${scanner} · ${protocol || text("noProtocol")}`}
              </option>
            ))}
          </select>
          <GroupFigures group={group} />
          {details?.group.id === group.id && details.regions.length > 0 && (
            <RoutineRegions regions={details.regions} />
          )}
          <GroupActions group={group} isBusy={isBusy || data.is_computing} onAct={act} />
        </div>
      )}
    </Section>
  );
}

function GroupFigures({ group }: { group: RoutineGroup }) {
  const text = useText(routineText);
  return (
    <div className="text-[13px]">
      <p>
        {text("counted", { n: group.studies, engine: group.engine_version })}
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
      const file = await exportRoutineCounts(browserApi, group.id);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(
        new Blob([JSON.stringify(file)], { type: "application/json" }),
      );
      link.download = "routine_counts.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 0);
    });
  const read = (file: File) =>
    onAct(async () => {
      let content: unknown = null;
      try {
        content = JSON.parse(await file.text());
      } catch {
        // sent anyway: the server refuses it as an invalid file
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
      <label className="text-[13px]">
        {text("import")}{" "}
        <input
          type="file"
          accept="application/json,.json"
          disabled={isBusy}
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            event.currentTarget.value = "";
            if (file) void read(file);
          }}
        />
      </label>
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

/** Estimates by region, and the plot of the selected one. */
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
