import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryKeys } from "@/model/query_keys.ts";
import {
  ANY_ROUTING_RULE,
  type Peer,
  type Routing,
  type RoutingTest,
  type RULE_ACTIONS,
} from "@/model/schema/connections/connections.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { browserApi } from "@/client/browser_api.ts";
import { getRouting, saveRouting, testRouting } from "@/client/api/connections/connections.ts";
import { useText } from "@/client/page/language.ts";
import { useUnsavedEdits } from "@/components/administration/unsaved_edits.ts";
import { Button } from "@/components/Button.tsx";
import { useAction } from "@/components/use_action.ts";
import { BOX, RoutingRules } from "@/components/administration/RoutingRules.tsx";

/** Waiting and retention times for received studies, each with its lowest and highest value. */
const TIMES = [
  ["quiet", "quiet_seconds", 1, 3600],
  ["keepDays", "keep_days", 0, 365],
  ["alarmMinutes", "alarm_minutes", 1, 10080],
] as const;

/** Stored routing rules with the changes of the form, and the result of the last test. */
function useRoutingEdit() {
  const { data, refetch } = useQuery({
    queryKey: queryKeys.routing,
    queryFn: ({ signal }) => getRouting(browserApi, signal),
  });
  const [edited, setEdited] = useState<Routing | null>(null),
    [test, setTest] = useState<RoutingTest | null>(null);
  const { isBusy, act } = useAction();
  useUnsavedEdits(edited !== null);
  const routing = edited ?? data;
  const run = async (work: (routing: Routing) => Promise<void>) => {
    if (routing) await act(() => work(routing));
  };
  return {
    routing,
    test,
    isBusy,
    isEdited: edited !== null,
    change(part: Partial<Routing>) {
      if (!routing) return;
      setTest(null);
      setEdited({ ...routing, ...part });
    },
    save: () =>
      run(async (routing) => {
        await saveRouting(browserApi, routing);
        await refetch();
        setEdited(null);
      }),
    runTest: () => run(async (routing) => setTest(await testRouting(browserApi, routing))),
  };
}

/** Routing rules for received studies, which can be tested before saving. */
export function RoutingPanel({ peers }: { peers: readonly Peer[] }) {
  const text = useText(connectionText);
  const { routing, test, isBusy, isEdited, change, save, runTest } = useRoutingEdit();
  if (!routing) return null;
  return (
    <section className="rounded-xl border border-line bg-white p-5" aria-label={text("routing")}>
      <h2 className="mb-1 text-base font-semibold text-ink">{text("routing")}</h2>
      <p className="mb-3 text-sm text-ink-soft">{text("routingExplained")}</p>
      <RoutingRules
        rules={routing.rules}
        peers={peers}
        onChange={(rules) =>
          change({ rules })}
      />
      <Button
        size="small"
        onClick={() =>
          change({ rules: [...routing.rules, ANY_ROUTING_RULE] })}
      >
        {text("addRule")}
      </Button>
      <RoutingTimes routing={routing} onChange={change} />
      <div className="mt-4 flex items-center gap-2">
        <Button disabled={isBusy} onClick={() => void runTest()}>
          {text("testRules")}
        </Button>
        <Button kind="primary" disabled={isBusy || !isEdited} onClick={() => void save()}>
          {text("save")}
        </Button>
        {test && <TestResult test={test} />}
      </div>
    </section>
  );
}

/** Waiting and retention times of received studies, and the address for alarms. */
function RoutingTimes(
  { routing, onChange }: { routing: Routing; onChange: (part: Partial<Routing>) => void },
) {
  const text = useText(connectionText);
  return (
    <div className="mt-4 grid grid-cols-2 gap-3">
      {TIMES.map(([name, field, low, high]) => (
        <label key={field} className="text-[13px] text-ink-soft">
          <span className="mb-1 block">{text(name)}</span>
          <input
            type="number"
            min={low}
            max={high}
            className={BOX}
            value={routing[field]}
            onChange={(event) =>
              onChange({ [field]: Number(event.currentTarget.value) })}
          />
        </label>
      ))}
      <label className="text-[13px] text-ink-soft">
        <span className="mb-1 block">{text("webhook")}</span>
        <input
          className={BOX}
          value={routing.webhook}
          onChange={(event) => onChange({ webhook: event.currentTarget.value })}
        />
      </label>
    </div>
  );
}

/** Result of a rules test: the number of stored studies for each action. */
function TestResult({ test }: { test: RoutingTest }) {
  const text = useText(connectionText);
  const count = (action: (typeof RULE_ACTIONS)[number]) =>
    test.studies.filter((study) => study.action === action).length;
  return (
    <p role="status" className="text-sm text-ink">
      {text("testResult", {
        analyze: count("analyze"),
        keep: count("keep"),
        refuse: count("refuse"),
      })}
    </p>
  );
}
