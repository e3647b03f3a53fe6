// Local norms and their actions; a section of the settings.
import { useEffect, useState } from "react";
import { engineName } from "@/model/measured/engine_name.ts";
import type { LocalNormItem, NormChange } from "@/model/schema/report/norms.ts";
import { normsText } from "@/model/text/settings/local_norms.ts";
import { acceptNorm, applyNorm, listNormChanges, revokeNorm } from "@/client/api/report/norms.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { confirmInModal, presentError } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { ChangeList } from "@/components/settings/NormTables.tsx";

const MADE_FROM = {
  controls: "madeFrom",
  routine: "madeFromRoutine",
  table: "madeFromTable",
} as const;

interface NormListProps {
  norms: readonly LocalNormItem[];
  /** engine version of the newest result */
  engineVersion: string | null;
  isBusy: boolean;
  onAct: (action: () => Promise<void>) => Promise<void>;
  onTell: (words: string) => void;
}

export function NormList({ norms, engineVersion, isBusy, onAct, onTell }: NormListProps) {
  const language = useLanguage(), text = useText(normsText);
  const [opened, setOpened] = useState<number | null>(null);
  if (norms.length === 0) return <p className="text-[13px]">{text("noNorms")}</p>;
  const stateOf = (norm: LocalNormItem) => {
    const { state } = norm;
    const [at, by] = state === "revoked"
      ? [norm.revoked_at, norm.revoked_by]
      : state === "accepted"
      ? [norm.accepted_at, norm.accepted_by]
      : [norm.proposed_at, norm.proposed_by];
    return text(state, { date: at?.slice(0, 10) ?? "–", user: by ?? "–" });
  };
  const ask = async (
    norm: LocalNormItem,
    code: "norm.accept" | "norm.revoke",
    call: typeof acceptNorm,
  ) => {
    const isConfirmed = await confirmInModal(code, { scanner: norm.scanner ?? text("site") });
    if (isConfirmed) await onAct(() => call(browserApi, norm.id));
  };
  const apply = async ({ id, scanner }: LocalNormItem, n: number) => {
    if (!await confirmInModal("norm.apply", { scanner: scanner ?? text("site"), n })) return;
    await onAct(async () => {
      const studies = await applyNorm(browserApi, id);
      setOpened(null);
      onTell(text("recomputed", { n: studies }));
    });
  };
  return (
    <ul className="flex flex-col gap-2">
      {norms.map((norm) => {
        const { id, scanner, state, is_own } = norm,
          isOpen = state === "proposed",
          isOver = state === "revoked";
        return (
          <li
            key={id}
            className={`rounded-md border border-line bg-white px-3 py-2 ${
              isOver ? "opacity-70" : ""
            }`}
          >
            <div className="flex items-start gap-2">
              <div className="flex-1 min-w-0 text-[13px]">
                <p className="font-medium text-ink">{scanner ?? text("siteTitle")}</p>
                <p>{stateOf(norm)}</p>
                <p>
                  {text(MADE_FROM[norm.source], {
                    n: norm.controls,
                    engine: engineName(norm.engine_version, language),
                    sites: norm.sites,
                    title: norm.title ?? "",
                  })}
                </p>
                {norm.protocol !== null && <p>{norm.protocol}</p>}
                {isOpen && is_own && <p>{text("ownProposal")}</p>}
                {!isOver && engineVersion !== null && norm.engine_version !== "" &&
                  engineVersion !== norm.engine_version && (
                  <p className="text-red-700">
                    {text("oldEngine", { engine: engineName(engineVersion, language) })}
                  </p>
                )}
              </div>
              {!isOver && (
                <div className="flex gap-1 shrink-0">
                  {isOpen && !is_own && (
                    <Button
                      size="small"
                      kind="primary"
                      disabled={isBusy}
                      onClick={() => void ask(norm, "norm.accept", acceptNorm)}
                    >
                      {text("accept")}
                    </Button>
                  )}
                  <Button
                    size="small"
                    aria-expanded={opened === id}
                    onClick={() => setOpened(opened === id ? null : id)}
                  >
                    {text("changes")}
                  </Button>
                  <Button
                    size="small"
                    disabled={isBusy}
                    onClick={() => void ask(norm, "norm.revoke", revokeNorm)}
                  >
                    {text("undo")}
                  </Button>
                </div>
              )}
            </div>
            {opened === id && !isOver && (
              <Changes
                norm={norm}
                isBusy={isBusy}
                onApply={(n) => void apply(norm, n)}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface ChangesProps {
  norm: LocalNormItem;
  isBusy: boolean;
  /** @param n Number of studies with values that would change. */
  onApply: (n: number) => void;
}

/** Changes of stored results, page by page; they can be applied after all pages were loaded. */
function Changes({ norm, isBusy, onApply }: ChangesProps) {
  const language = useLanguage(), text = useText(normsText);
  const [changes, setChanges] = useState<readonly NormChange[]>([]),
    [others, setOthers] = useState(0);
  const [next, setNext] = useState<number | null>(0), [isLoading, setLoading] = useState(false);
  const look = async () => {
    setLoading(true);
    try {
      const page = await listNormChanges(browserApi, norm.id, next ?? 0);
      setChanges((all) => [...all, ...page.changes]);
      setOthers((n) => n + page.other_engine);
      setNext(page.next);
    } catch (error) {
      presentError(error);
    } finally {
      setLoading(false);
    }
  };
  useEffect(() => void look(), []);
  const isWhole = next === null;
  return (
    <div className="mt-2 flex flex-col gap-2 text-[13px]" aria-busy={isLoading}>
      <p className="font-medium text-ink">{text("changesTitle")}</p>
      {changes.length > 0 && <ChangeList changes={changes} language={language} />}
      {isWhole && changes.length === 0 && <p>{text("noChanges")}</p>}
      {others > 0 && <p>{text("otherResults", { n: others })}</p>}
      <div className="flex gap-2">
        {!isWhole && (
          <Button size="small" disabled={isLoading} onClick={() => void look()}>
            {text(isLoading ? "loading" : "more")}
          </Button>
        )}
        {isWhole && norm.state === "accepted" && changes.length > 0 && (
          <Button
            size="small"
            kind="primary"
            disabled={isBusy}
            onClick={() => onApply(changes.length)}
          >
            {text("recompute")}
          </Button>
        )}
      </div>
    </div>
  );
}
