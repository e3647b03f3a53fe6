// Sheet of one acceptance test, for printing and signatures.
import { type ReactNode, useEffect, useState } from "react";
import { selectionText } from "@/model/acceptance/history_text.ts";
import { stateText, testedNormsText, withheldLines } from "@/model/acceptance/sheet_text.ts";
import { engineName } from "@/model/measured/engine_name.ts";
import type { AcceptanceDetails } from "@/model/schema/report/acceptance.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import { getAcceptance } from "@/client/api/report/acceptance.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { ChartState, EarlierTests } from "@/components/acceptance/SheetHistory.tsx";
import { CriteriaTable, StructureTable } from "@/components/acceptance/AcceptanceTables.tsx";
import { PictureCheck } from "@/components/acceptance/PictureCheck.tsx";
import { Signatures } from "@/components/acceptance/Signatures.tsx";
import { Button } from "@/components/Button.tsx";
import { LoadState } from "@/components/message/LoadState.tsx";
import { useAction } from "@/components/use_action.ts";

export function AcceptanceSheet({ id }: { id: number }) {
  const text = useText(acceptanceText);
  const [data, setData] = useState<AcceptanceDetails | null>(null),
    [error, setError] = useState<unknown>(null);
  const load = async () => {
    setError(null);
    try {
      setData(await getAcceptance(browserApi, id));
    } catch (failure) {
      setError(failure);
    }
  };
  useEffect(() => {
    void load();
    // reloads the test, because answers are also given in the viewer, in another tab
    const reload = () => void load();
    addEventListener("focus", reload);
    return () => removeEventListener("focus", reload);
  }, []);
  const { isBusy, act } = useAction(load);
  return (
    <>
      <div className="print:hidden mb-3 flex items-center gap-3">
        <a href="#" className="flex-1 text-brand-700 underline text-[13px]">{text("back")}</a>
        <Button size="small" disabled={!data} onClick={() => print()}>{text("print")}</Button>
      </div>
      {!data
        ? <LoadState title={text("failedToLoad")} error={error} onRetry={() => void load()} />
        : (
          <article className="acceptance-sheet flex flex-col gap-4 rounded-md border border-line bg-white px-6 py-5 text-[13px]">
            <Head details={data} />
            <Part title={text("criteria")}>
              <CriteriaTable criteria={[...data.result.criteria, data.checked]} />
            </Part>
            <Part title={text("structures")}>
              <StructureTable measures={data.result.measures} />
            </Part>
            <Part title={text("check", { seed: data.seed })}>
              <PictureCheck details={data} isBusy={isBusy} onAct={act} />
            </Part>
            <Part title={text("decision")}>
              <Signatures details={data} isBusy={isBusy} onAct={act} />
            </Part>
            <Part title={text("earlierTests")}>
              <EarlierTests details={data} />
            </Part>
            <Part title={text("chartState")}>
              <ChartState details={data} />
            </Part>
            <Part title={text("limits")}>
              <p>{text("limitsText")}</p>
            </Part>
          </article>
        )}
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-1 font-semibold text-ink">{title}</h2>
      {children}
    </section>
  );
}

function Head({ details }: { details: AcceptanceDetails }) {
  const { test, result, hospital_name } = details;
  const language = useLanguage(), text = useText(acceptanceText), { grades } = result;
  const chosen = selectionText(details, language);
  const norms = testedNormsText(details.norms, language);
  const rows: [string, string][] = [
    ...hospital_name === "" ? [] : [[text("hospital"), hospital_name] as [string, string]],
    [text("scanner"), test.scanner],
    [text("protocol"), test.protocol || text("noProtocol")],
    [text("engine"), engineName(test.engine_version, language)],
    [
      text("started"),
      // no name of the person: the test was started by a command, or the account was deleted
      test.started_by === null
        ? test.started_at.slice(0, 10)
        : text("byOn", { user: test.started_by, date: test.started_at.slice(0, 10) }),
    ],
    [
      text("tested"),
      text("testedOn", {
        n: result.studies,
        compared: result.compared,
        from: result.first_date ?? "–",
        to: result.last_date ?? "–",
        a: grades.A,
        b: grades.B,
        c: grades.C + grades.none,
        failed: result.failed,
      }),
    ],
    ...norms === null ? [] : [[text("norms"), norms] as [string, string]],
    ...chosen === null ? [] : [[text("selection"), chosen] as [string, string]],
  ];
  return (
    <header>
      <h1 className="mb-2 text-lg font-semibold text-ink">
        {`${text("sheet", { id: test.id })} – ${stateText(test, language)}`}
      </h1>
      <dl className="grid grid-cols-[110px_1fr] gap-x-3 gap-y-0.5">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-soft">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {result.doubted > 0 && <p>{text("doubted", { n: result.doubted })}</p>}
      {withheldLines(details, language).map((line) => (
        <p key={line} className="text-red-700">{line}</p>
      ))}
      {details.has_other_norms && <p className="text-red-700">{text("otherNorms")}</p>}
      {test.state === "revoked" && (
        <p className="text-red-700">
          {text("undoneBy", {
            user: test.revoked_by ?? "–",
            date: test.revoked_at?.slice(0, 10) ?? "–",
          })}
        </p>
      )}
    </header>
  );
}
