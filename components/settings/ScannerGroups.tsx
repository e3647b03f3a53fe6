// Parts of sections about values by scanner and protocol: button, choice of a group, and details.
import { type ReactNode, useEffect, useState } from "react";
import { presentError } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { INPUT, Section } from "@/components/fields.tsx";

interface ComputedSectionProps {
  title: string;
  hint: string;
  /** list of the groups; `null` before the list is loaded */
  data: { is_computing: boolean; computed_at: string | null } | null;
  isBusy: boolean;
  /** text of the button that starts the computation, and text of each state */
  compute: string;
  computing: string;
  never: string;
  /** @param date Day of the last computation, YYYY-MM-DD. */
  computedAt: (date: string) => string;
  onCompute: () => void;
  children: ReactNode;
}

/** Section with a button that starts the computation, and the date of the last one. */
export function ComputedSection(props: ComputedSectionProps) {
  const { data, isBusy } = props;
  return (
    <Section
      title={props.title}
      hint={props.hint}
      control={
        <Button
          size="small"
          disabled={isBusy || !data || data.is_computing}
          onClick={props.onCompute}
        >
          {props.compute}
        </Button>
      }
    >
      <p role="status" className="min-h-[20px] text-[13px]">
        {data?.is_computing
          ? props.computing
          : data?.computed_at
          ? props.computedAt(data.computed_at.slice(0, 10))
          : data && props.never}
      </p>
      {props.children}
    </Section>
  );
}

/**
 * Details of the selected group of studies by scanner and protocol.
 * @param version Changes when the group was computed again.
 * @returns `null` without a group, and before the first details are loaded.
 */
export function useGroupDetails<T>(
  id: number | undefined,
  version: string,
  read: (id: number) => Promise<T>,
): T | null {
  const [details, setDetails] = useState<T | null>(null);
  useEffect(() => {
    if (id === undefined) return setDetails(null);
    let isOver = false;
    read(id).then(
      (answer) => !isOver && setDetails(answer),
      (error) => !isOver && presentError(error),
    );
    return () => void (isOver = true);
  }, [id, version]);
  return details;
}

interface GroupSelectProps<G extends { id: number }> {
  label: string;
  groups: readonly G[];
  selected: G;
  textOf: (group: G) => string;
  onSelect: (id: number) => void;
}

export function GroupSelect<G extends { id: number }>(props: GroupSelectProps<G>) {
  return (
    <select
      aria-label={props.label}
      value={props.selected.id}
      onChange={(event) => props.onSelect(Number(event.currentTarget.value))}
      className={INPUT}
    >
      {props.groups.map((group) => (
        <option key={group.id} value={group.id}>{props.textOf(group)}</option>
      ))}
    </select>
  );
}
