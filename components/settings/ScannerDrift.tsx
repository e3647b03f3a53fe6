// Control charts of the scanners: list of changed scanners, plots, and restart of a chart.
import { useState } from "react";
import { chartText, movedText } from "@/model/drift/chart_text.ts";
import { OVERALL } from "@/model/drift/charts.ts";
import { engineName } from "@/model/measured/engine_name.ts";
import {
  type DriftDetails,
  type DriftGroup,
  MAX_RESTART_REASON,
} from "@/model/schema/report/drift.ts";
import { driftText } from "@/model/text/settings/drift.ts";
import { routineText } from "@/model/text/settings/routine_norms.ts";
import {
  agreeToRestart,
  computeDrift,
  getDrift,
  getDriftDetails,
  restartDrift,
  withdrawRestart,
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
  const restart = async ({ scanner, id, needs_second }: DriftGroup, reason: string) => {
    if (needs_second || await confirmInModal("drift.restart", { scanner })) {
      await act(() => restartDrift(browserApi, id, reason));
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
          {group.proposal === null
            ? (
              <RestartForm
                key={group.id}
                group={group}
                isBusy={isBusy || data.is_computing}
                onRestart={(reason) => void restart(group, reason)}
              />
            )
            : (
              <Proposal
                proposal={group.proposal}
                isBusy={isBusy}
                onAgree={(proposed_at) =>
                  void act(() => agreeToRestart(browserApi, group.id, { proposed_at }))}
                onWithdraw={() => void act(() => withdrawRestart(browserApi, group.id))}
              />
            )}
        </div>
      )}
    </ComputedSection>
  );
}

function DriftState({ group, needed }: { group: DriftGroup; needed: number }) {
  const language = useLanguage(), text = useText(driftText);
  const list = movedText(group.moved, language);
  return (
    <div className="text-[13px]">
      <p>
        {text("counted", { n: group.studies, engine: engineName(group.engine_version, language) })}
      </p>
      {group.state === "moved"
        ? <p className="text-red-700">{text("moved", { list })}</p>
        : <p>{text(group.state, { n: group.learnt, needed })}</p>}
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

interface RestartFormProps {
  group: DriftGroup;
  isBusy: boolean;
  onRestart: (reason: string) => void;
}

/** Form for a restart with its reason; a second person must agree where the server demands it. */
function RestartForm({ group, isBusy, onRestart }: RestartFormProps) {
  const text = useText(driftText), [reason, setReason] = useState("");
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        value={reason}
        maxLength={MAX_RESTART_REASON}
        aria-label={text("restartReason")}
        placeholder={text("restartReason")}
        onChange={(event) => setReason(event.currentTarget.value)}
        className={`${INPUT} flex-1 basis-[260px] min-w-0`}
      />
      <Button
        size="small"
        disabled={isBusy || reason.trim() === ""}
        onClick={() => onRestart(reason.trim())}
      >
        {text(group.needs_second ? "proposeRestart" : "restart")}
      </Button>
      {group.needs_second && <p className="basis-full text-[13px]">{text("needsSecond")}</p>}
    </div>
  );
}

interface ProposalProps {
  proposal: NonNullable<DriftGroup["proposal"]>;
  isBusy: boolean;
  onAgree: (proposedAt: string) => void;
  onWithdraw: () => void;
}

/** A proposed restart of a scanner's control charts, which a second administrator must confirm. */
function Proposal({ proposal, isBusy, onAgree, onWithdraw }: ProposalProps) {
  const text = useText(driftText), { proposed_at, proposed_by, reason, is_own } = proposal;
  return (
    <div className="flex flex-col gap-1 text-[13px]">
      <p className="font-medium text-ink">
        {text("restartProposed", {
          user: proposed_by ?? "–",
          date: proposed_at.slice(0, 10),
          reason,
        })}
      </p>
      {is_own && <p>{text("restartOwn")}</p>}
      <div className="flex gap-2">
        {!is_own && (
          <Button
            size="small"
            kind="primary"
            disabled={isBusy}
            onClick={() => onAgree(proposed_at)}
          >
            {text("agreeRestart")}
          </Button>
        )}
        <Button size="small" disabled={isBusy} onClick={onWithdraw}>
          {text("withdrawRestart")}
        </Button>
      </div>
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
