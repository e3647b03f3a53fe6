// Pages of a long list on the connections page. The first one is loaded with the connections page.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { AppError } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { LoadFailure } from "@/components/message/LoadFailure.tsx";
import { Button } from "@/components/Button.tsx";

interface Page<Row> {
  rows: readonly Row[];
  /** position of the next page; `null` on the last page */
  next: string | null;
}

interface ListPagesSource<Row> {
  /** name of the list in the query cache */
  name: string;
  first: Page<Row>;
  read: (after: string, signal: AbortSignal) => Promise<Page<Row>>;
  /** reads the data of the whole page again */
  reload: () => Promise<void>;
  refreshMs: number;
}

export interface ListPages<Row> {
  rows: readonly Row[];
  /** number of the shown page, from 1 */
  number: number;
  hasNext: boolean;
  isLoading: boolean;
  error: Error | null;
  goNext(): void;
  goBack(): void;
  reload(): Promise<void>;
}

/**
 * The shown page of a list. A page begins after a given row, not at a row number:
 * no row is skipped when rows on earlier pages are added or removed.
 * A message that fails after the user has passed its position appears on the first page.
 */
export function useListPages<Row>(
  { name, first, read, reload, refreshMs }: ListPagesSource<Row>,
): ListPages<Row> {
  const [positions, setPositions] = useState<readonly string[]>([]);
  const after = positions.at(-1);
  const { data, error, refetch } = useQuery({
    queryKey: [...queryKeys.connections, name, after ?? ""],
    queryFn: ({ signal }) => read(after!, signal),
    enabled: after !== undefined,
    refetchInterval: refreshMs,
  });
  const page = after === undefined ? first : data, next = page?.next ?? null;
  return {
    rows: page?.rows ?? [],
    number: positions.length + 1,
    hasNext: next !== null,
    isLoading: page === undefined && error === null,
    error: page === undefined ? error : null,
    goNext: () => {
      if (next !== null) setPositions([...positions, next]);
    },
    goBack: () => setPositions(positions.slice(0, -1)),
    reload: async () => {
      await Promise.all([reload(), after !== undefined && refetch()]);
    },
  };
}

/** Buttons for the previous and the next page of a list; none for a list of one page. */
export function PageButtons<Row>({ list, pages }: { list: string; pages: ListPages<Row> }) {
  const language = useLanguage(), text = useText(connectionText), common = useText(commonText);
  const { number, hasNext, isLoading, error } = pages;
  if (number === 1 && !hasNext) return null;
  const canGoNext = hasNext && !isLoading, canGoBack = number > 1;
  // buttons at the end of the list stay in the tab order, so that the focus is not lost
  const style = (can: boolean) => can ? "" : "opacity-50 cursor-default";
  return (
    <>
      {isLoading && <p role="status">{common("loading")}…</p>}
      {error && (
        <LoadFailure
          title={text("failedToLoad")}
          reason={messageOf(error instanceof AppError ? error.code : "internal", {}, language)}
          retryLabel={common("retry")}
          onRetry={() => void pages.reload()}
        />
      )}
      <nav aria-label={list} className="mt-3 flex items-center gap-3">
        <Button
          size="small"
          aria-disabled={!canGoBack}
          className={style(canGoBack)}
          onClick={() => canGoBack && pages.goBack()}
        >
          {text("previousPage")}
        </Button>
        <Button
          size="small"
          aria-disabled={!canGoNext}
          className={style(canGoNext)}
          onClick={() => canGoNext && pages.goNext()}
        >
          {text("nextPage")}
        </Button>
        <span role="status" className="text-[13px] text-ink-soft">
          {text("pageOf", { list, n: number })}
        </span>
      </nav>
    </>
  );
}
