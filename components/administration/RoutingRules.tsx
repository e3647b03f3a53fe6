import {
  type Peer,
  type RoutingRule,
  RULE_ACTIONS,
} from "@/model/schema/connections/connections.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { useText } from "@/client/page/language.ts";
import { Button } from "@/components/Button.tsx";

export const BOX =
  "h-8 w-full rounded border border-line-strong bg-white px-2 text-[13px] text-ink";

/** Text conditions of a rule, with the column names of the table. */
const TEXTS = [
  ["sender", "sender"],
  ["modality", "modality"],
  ["station", "station"],
  ["description", "description"],
  ["body_part", "bodyPart"],
] as const;
/** Lower and upper limit of the patient's age in a rule, years. */
const AGES = [["age_from", "ageFrom"], ["age_to", "ageTo"]] as const;
const HEADS = [
  ...TEXTS.map(([, head]) => head),
  "ageFrom",
  "ageTo",
  "action",
  "rulePeers",
] as const;

/** Number in a text box or choice; an empty box means that the rule has no such condition. */
const numberOrNull = (value: string) => value === "" ? null : Number(value);

interface RoutingRulesProps {
  rules: readonly RoutingRule[];
  peers: readonly Peer[];
  onChange: (rules: RoutingRule[]) => void;
}

/** Table of the routing rules, in the order in which the rules are tried. */
export function RoutingRules({ rules, peers, onChange }: RoutingRulesProps) {
  const text = useText(connectionText);
  const archives = peers.filter(({ config }) => config.search);
  if (rules.length === 0) return null;
  return (
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
        {rules.map((rule, at) => {
          const edit: RuleEdit = {
            rule,
            change: (part) => onChange(rules.with(at, { ...rule, ...part })),
          };
          return (
            <tr key={at}>
              <RuleConditions {...edit} />
              <ActionCell {...edit} />
              <ReceiversCell {...edit} receivers={peers.filter(({ config }) => config.by_rule)} />
              {archives.length > 0 && <PriorsCell {...edit} archives={archives} />}
              <OrderCell
                onMoveUp={at === 0
                  ? null
                  : () => onChange(rules.with(at - 1, rule).with(at, rules[at - 1]!))}
                onRemove={() => onChange(rules.filter((_, n) => n !== at))}
              />
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Props of all table cells: the rule that the cell belongs to. */
interface RuleEdit {
  rule: RoutingRule;
  change: (part: Partial<RoutingRule>) => void;
}

function RuleConditions({ rule, change }: RuleEdit) {
  const text = useText(connectionText);
  return (
    <>
      {TEXTS.map(([field, head]) => (
        <td key={field} className="p-1">
          <input
            aria-label={text(head)}
            className={BOX}
            value={rule[field]}
            onChange={(event) => change({ [field]: event.currentTarget.value })}
          />
        </td>
      ))}
      {AGES.map(([field, head]) => (
        <td key={field} className="w-16 p-1">
          <input
            aria-label={text(head)}
            type="number"
            min={0}
            max={150}
            className={BOX}
            value={rule[field] ?? ""}
            onChange={(event) => change({ [field]: numberOrNull(event.currentTarget.value) })}
          />
        </td>
      ))}
    </>
  );
}

function ActionCell({ rule, change }: RuleEdit) {
  const text = useText(connectionText);
  return (
    <td className="p-1">
      <select
        aria-label={text("action")}
        className={`${BOX} min-w-[88px]`}
        value={rule.action}
        onChange={(event) => change({ action: event.currentTarget.value as RoutingRule["action"] })}
      >
        {RULE_ACTIONS.map((action) => (
          <option key={action} value={action}>{text(`action_${action}`)}</option>
        ))}
      </select>
    </td>
  );
}

/** Choice of the systems that receive the results of studies to which the rule applies. */
function ReceiversCell(
  { rule, change, receivers }: RuleEdit & { receivers: readonly Peer[] },
) {
  const set = (id: number, isReceiver: boolean) => {
    const others = rule.peers.filter((other) => other !== id);
    change({ peers: isReceiver ? [...rule.peers, id] : others });
  };
  return (
    <td className="p-1">
      {receivers.map(({ id, name }) => (
        <label key={id} className="flex items-center gap-1 whitespace-nowrap">
          <input
            type="checkbox"
            checked={rule.peers.includes(id)}
            onChange={(event) =>
              set(id, event.currentTarget.checked)}
          />
          {name}
        </label>
      ))}
    </td>
  );
}

/** Choice of the archive in which earlier studies of the patient are searched. */
function PriorsCell({ rule, change, archives }: RuleEdit & { archives: readonly Peer[] }) {
  const text = useText(connectionText);
  return (
    <td className="p-1">
      <select
        aria-label={text("priorsFrom")}
        className={`${BOX} min-w-[112px]`}
        value={rule.priors_from ?? ""}
        onChange={(event) => change({ priors_from: numberOrNull(event.currentTarget.value) })}
      >
        <option value="">{text("nowhere")}</option>
        {archives.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
      </select>
    </td>
  );
}

/** @param onMoveUp Moves the rule up; `null` for the first rule. */
function OrderCell(
  { onMoveUp, onRemove }: { onMoveUp: (() => void) | null; onRemove: () => void },
) {
  const text = useText(connectionText);
  return (
    <td className="p-1 text-right whitespace-nowrap">
      <Button
        size="small"
        aria-label={text("moveUp")}
        title={text("moveUp")}
        disabled={onMoveUp === null}
        onClick={() => onMoveUp?.()}
      >
        ↑
      </Button>{" "}
      <Button size="small" onClick={onRemove}>
        {text("remove")}
      </Button>
    </td>
  );
}
