import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryKeys } from "@/model/query_keys.ts";
import {
  ANY_ROUTING_RULE,
  type Peer,
  type Routing,
  type RoutingRule,
  type RoutingTest,
  RULE_ACTIONS,
} from "@/model/schema/connections/connections.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { browserApi } from "@/client/browser_api.ts";
import { getRouting, saveRouting, testRouting } from "@/client/api/connections/connections.ts";
import { useText } from "@/client/page/language.ts";
import { useUnsavedEdits } from "@/components/administration/unsaved_edits.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";

const BOX = "h-8 w-full rounded border border-line-strong bg-white px-2 text-[13px] text-ink";
const TEXTS = ["sender", "modality", "station", "description", "body_part"] as const;
const HEADS = [
  "sender",
  "modality",
  "station",
  "description",
  "bodyPart",
  "ageFrom",
  "ageTo",
  "action",
  "rulePeers",
] as const;

/** Rules for received studies, which can be tested before they are saved. */
export function RoutingPanel({ peers }: { peers: readonly Peer[] }) {
  const text = useText(connectionText);
  const { data, refetch } = useQuery({
    queryKey: queryKeys.routing,
    queryFn: ({ signal }) => getRouting(browserApi, signal),
  });
  const [edited, setEdited] = useState<Routing | null>(null),
    [test, setTest] = useState<RoutingTest | null>(null);
  const [isBusy, setBusy] = useState(false);
  useUnsavedEdits(edited !== null);
  const routing = edited ?? data;
  if (!routing) return null;
  const set = (change: Partial<Routing>) => {
    setTest(null);
    setEdited({ ...routing, ...change });
  };
  const setRule = (at: number, change: Partial<RoutingRule>) =>
    set({ rules: routing.rules.map((rule, n) => n === at ? { ...rule, ...change } : rule) });
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      presentError(error);
    } finally {
      setBusy(false);
    }
  };
  const save = () =>
    act(async () => {
      await saveRouting(browserApi, routing);
      await refetch();
      setEdited(null);
    });
  const number = (value: string) => value === "" ? null : Number(value);
  const count = (action: (typeof RULE_ACTIONS)[number]) =>
    test?.studies.filter((study) => study.action === action).length ?? 0;
  const archives = peers.filter(({ config }) => config.search);
  const byRule = peers.filter(({ config }) => config.by_rule);
  const times = [
    ["quiet", "quiet_seconds", 1, 3600],
    ["keepDays", "keep_days", 0, 365],
    ["alarmMinutes", "alarm_minutes", 1, 10080],
  ] as const;
  return (
    <section className="rounded-xl border border-line bg-white p-5" aria-label={text("routing")}>
      <h2 className="mb-1 text-base font-semibold text-ink">{text("routing")}</h2>
      <p className="mb-3 text-sm text-ink-soft">{text("routingExplained")}</p>
      {routing.rules.length > 0 && (
        <table className="mb-3 w-full text-[13px]" aria-label={text("routing")}>
          <thead>
            <tr className="text-left text-ink-soft">
              {HEADS.map((name) => (
                <th key={name} scope="col" className="p-1 font-semibold">{text(name)}</th>
              ))}
              {archives.length > 0 && (
                <th scope="col" className="p-1 font-semibold">{text("priorsFrom")}</th>
              )}
              <td />
            </tr>
          </thead>
          <tbody>
            {routing.rules.map((rule, at) => (
              <tr key={at}>
                {TEXTS.map((field, n) => (
                  <td key={field} className="p-1">
                    <input
                      aria-label={text(HEADS[n]!)}
                      className={BOX}
                      value={rule[field]}
                      onChange={(event) => setRule(at, { [field]: event.currentTarget.value })}
                    />
                  </td>
                ))}
                {(["age_from", "age_to"] as const).map((field) => (
                  <td key={field} className="w-16 p-1">
                    <input
                      aria-label={text(field === "age_from" ? "ageFrom" : "ageTo")}
                      type="number"
                      min={0}
                      max={150}
                      className={BOX}
                      value={rule[field] ?? ""}
                      onChange={(event) =>
                        setRule(at, { [field]: number(event.currentTarget.value) })}
                    />
                  </td>
                ))}
                <td className="p-1">
                  <select
                    aria-label={text("action")}
                    className={`${BOX} min-w-[88px]`}
                    value={rule.action}
                    onChange={(event) =>
                      setRule(at, { action: event.currentTarget.value as RoutingRule["action"] })}
                  >
                    {RULE_ACTIONS.map((action) => (
                      <option key={action} value={action}>{text(`action_${action}`)}</option>
                    ))}
                  </select>
                </td>
                <td className="p-1">
                  {byRule.map(({ id, name }) => (
                    <label key={id} className="flex items-center gap-1 whitespace-nowrap">
                      <input
                        type="checkbox"
                        checked={rule.peers.includes(id)}
                        onChange={(event) =>
                          setRule(at, {
                            peers: event.currentTarget.checked
                              ? [...rule.peers, id]
                              : rule.peers.filter((other) =>
                                other !== id
                              ),
                          })}
                      />
                      {name}
                    </label>
                  ))}
                </td>
                {archives.length > 0 && (
                  <td className="p-1">
                    <select
                      aria-label={text("priorsFrom")}
                      className={`${BOX} min-w-[112px]`}
                      value={rule.priors_from ?? ""}
                      onChange={(event) =>
                        setRule(at, { priors_from: number(event.currentTarget.value) })}
                    >
                      <option value="">{text("nowhere")}</option>
                      {archives.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
                    </select>
                  </td>
                )}
                <td className="p-1 text-right whitespace-nowrap">
                  <Button
                    size="small"
                    aria-label={text("moveUp")}
                    title={text("moveUp")}
                    disabled={at === 0}
                    onClick={() =>
                      set({
                        rules: routing.rules.with(at - 1, rule).with(at, routing.rules[at - 1]!),
                      })}
                  >
                    ↑
                  </Button>{" "}
                  <Button
                    size="small"
                    onClick={() =>
                      set({
                        rules: routing.rules.filter((_, n) =>
                          n !== at
                        ),
                      })}
                  >
                    {text("remove")}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Button
        size="small"
        onClick={() =>
          set({ rules: [...routing.rules, ANY_ROUTING_RULE] })}
      >
        {text("addRule")}
      </Button>
      <div className="mt-4 grid grid-cols-2 gap-3">
        {times.map(([name, field, low, high]) => (
          <label key={field} className="text-[13px] text-ink-soft">
            <span className="mb-1 block">{text(name)}</span>
            <input
              type="number"
              min={low}
              max={high}
              className={BOX}
              value={routing[field]}
              onChange={(event) =>
                set({ [field]: Number(event.currentTarget.value) })}
            />
          </label>
        ))}
        <label className="text-[13px] text-ink-soft">
          <span className="mb-1 block">{text("webhook")}</span>
          <input
            className={BOX}
            value={routing.webhook}
            onChange={(event) =>
              set({ webhook: event.currentTarget.value })}
          />
        </label>
      </div>
      <div className="mt-4 flex items-center gap-2">
        <Button
          disabled={isBusy}
          onClick={() => void act(async () => setTest(await testRouting(browserApi, routing)))}
        >
          {text("testRules")}
        </Button>
        <Button kind="primary" disabled={isBusy || edited === null} onClick={() => void save()}>
          {text("save")}
        </Button>
        {test && (
          <p role="status" className="text-sm text-ink">
            {text("testResult", {
              analyze: count("analyze"),
              keep: count("keep"),
              refuse: count("refuse"),
            })}
          </p>
        )}
      </div>
    </section>
  );
}
