import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { statusText } from "@/model/text/site/status.ts";
import { useText } from "@/client/page/language.ts";
import { LoadState } from "@/components/message/LoadState.tsx";
import { useAction } from "@/components/use_action.ts";

interface List<T> {
  data: T | undefined;
  /** content shown while there are no data: a loading note, or the reason of a failure */
  missing: ReactNode;
  isBusy: boolean;
  /** Runs a change, shows an error if the change fails, and reloads the list. */
  change: (action: () => Promise<unknown>) => Promise<void>;
}

/** State of a list on the page Server; changes of rows run one at a time. */
export function useStatusList<T>(
  queryKey: readonly string[],
  queryFn: (signal: AbortSignal) => Promise<T>,
): List<T> {
  const text = useText(statusText);
  const { data, error, refetch } = useQuery({ queryKey, queryFn: ({ signal }) => queryFn(signal) });
  const { isBusy, act: change } = useAction(refetch);
  const missing = <LoadState title={text("failedToLoad")} error={error} onRetry={refetch} />;
  return { data, missing, isBusy, change };
}

export const CELL = "px-3 py-2 text-left align-middle";

/** Texts of the column heads; the last column contains buttons. */
export const Head = ({ names }: { names: readonly string[] }) => (
  <thead>
    <tr className="border-b border-line text-ink-soft">
      {names.map((name) => (
        <th key={name} scope="col" className={`${CELL} font-semibold`}>{name}</th>
      ))}
      <td className={CELL} />
    </tr>
  </thead>
);
