// List of scanners with results, a form that starts an acceptance test, and all such tests.
import { type FormEvent, useEffect, useState } from "react";
import { engineName } from "@/model/measured/engine_name.ts";
import {
  type AcceptanceList as Acceptances,
  type AcceptanceScanner,
  MAX_TESTED,
} from "@/model/schema/report/acceptance.ts";
import { stateText, USE_TEXT } from "@/model/acceptance/sheet_text.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import { beginAcceptance, getAcceptances } from "@/client/api/report/acceptance.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useMay } from "@/client/page/user.ts";
import { StopList } from "@/components/acceptance/StopList.tsx";
import { Button } from "@/components/Button.tsx";
import { INPUT } from "@/components/fields.tsx";
import { LoadState } from "@/components/message/LoadState.tsx";
import { useAction } from "@/components/use_action.ts";

const CELL = "px-2 py-1.5 text-left align-top";

export function AcceptanceList() {
  const text = useText(acceptanceText), language = useLanguage(), mayBegin = useMay("administer");
  const [data, setData] = useState<Acceptances | null>(null),
    [error, setError] = useState<unknown>(null);
  const load = () => {
    setError(null);
    getAcceptances(browserApi).then(setData, setError);
  };
  useEffect(load, []);
  return (
    <>
      <h1 className="text-xl font-semibold text-ink">{text("title")}</h1>
      <p className="mt-1 mb-4 text-[13px] text-ink-soft">{text("intro")}</p>
      {!data ? <LoadState title={text("failedToLoad")} error={error} onRetry={load} /> : (
        <>
          {data.scanners.length === 0
            ? <p>{text("noScanners")}</p>
            : <ScannerTable scanners={data.scanners} />}
          {mayBegin && data.scanners.length > 0 && (
            <BeginForm scanners={data.scanners} needed={data.needed} />
          )}
          {mayBegin && <StopList />}
          <h2 className="mt-6 mb-2 font-semibold text-ink">{text("tests")}</h2>
          {data.tests.length === 0 && <p className="text-[13px]">{text("noTests")}</p>}
          <ul className="flex flex-col gap-2">
            {data.tests.map(({ id, scanner, protocol, started_at, decision, ...test }) => (
              <li
                key={id}
                className="flex items-start gap-3 rounded-md border border-line bg-white px-3 py-2"
              >
                <div className="flex-1 min-w-0 text-[13px]">
                  <p className="font-medium text-ink">{scanner}</p>
                  <p>{protocol || text("noProtocol")}</p>
                  <p>
                    {`${started_at.slice(0, 10)} · ${stateText(test, language)}`}
                    {decision && ` · ${text("inUse", { use: text(USE_TEXT[decision]) })}`}
                  </p>
                </div>
                <a href={`#test-${id}`} className="shrink-0 text-brand-700 underline text-[13px]">
                  {text("open", { id })}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function ScannerTable({ scanners }: { scanners: readonly AcceptanceScanner[] }) {
  const language = useLanguage(), text = useText(acceptanceText);
  return (
    <table className="w-full rounded-md border border-line bg-white text-[13px]">
      <thead>
        <tr className="text-ink-soft">
          <th className={CELL}>{text("scanner")}</th>
          <th className={CELL}>{text("protocol")}</th>
          <th className={CELL}>{text("results")}</th>
          <th className={CELL}>{text("use")}</th>
        </tr>
      </thead>
      <tbody>
        {scanners.map((
          { scanner, protocol, engine_version, studies, accepted_for, has_other_norms, is_stopped },
        ) => (
          <tr key={`${scanner}\n${protocol}`} className="border-t border-line">
            <td className={CELL}>{scanner}</td>
            <td className={CELL}>{protocol || text("noProtocol")}</td>
            <td className={CELL}>{`${studies} (${engineName(engine_version, language)})`}</td>
            <td className={CELL}>
              {accepted_for === null ? text("notAccepted") : text(USE_TEXT[accepted_for])}
              {is_stopped && <p className="text-red-700">{text("withheldNow")}</p>}
              {has_other_norms && <p className="text-red-700">{text("otherNorms")}</p>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function BeginForm(
  { scanners, needed }: { scanners: readonly AcceptanceScanner[]; needed: number },
) {
  const text = useText(acceptanceText);
  const [place, setPlace] = useState(0), [typed, setTyped] = useState("");
  const { isBusy, act } = useAction();
  const pids = typed.match(/\d{1,15}/g)?.map(Number).filter((pid) => pid > 0) ?? [];
  const begin = (event: FormEvent) => {
    event.preventDefault();
    const { scanner, protocol } = scanners[place]!;
    return act(async () => {
      const chosen = pids.length > 0 ? { pid_list: pids.slice(0, MAX_TESTED) } : {};
      const id = await beginAcceptance(browserApi, { scanner, protocol, ...chosen });
      location.hash = `#test-${id}`;
    });
  };
  return (
    <form onSubmit={(event) => void begin(event)} className="mt-3 flex flex-wrap items-end gap-2">
      <label className="flex flex-1 basis-[300px] min-w-0 flex-col text-[13px]">
        {text("scanner")}
        <select
          value={place}
          onChange={(event) =>
            setPlace(Number(event.currentTarget.value))}
          className={INPUT}
        >
          {scanners.map(({ scanner, protocol }, n) => (
            <option key={`${scanner}\n${protocol}`} value={n}>
              {`${scanner} · ${protocol || text("noProtocol")}`}
            </option>
          ))}
        </select>
      </label>
      <label className="flex flex-1 basis-[240px] min-w-0 flex-col text-[13px]">
        {text("chosen")}
        <input
          value={typed}
          inputMode="numeric"
          placeholder="12, 15, 18"
          aria-describedby="acceptance-chosen"
          onChange={(event) =>
            setTyped(event.currentTarget.value)}
          className={INPUT}
        />
      </label>
      <Button type="submit" kind="primary" disabled={isBusy} className="h-9">
        {text("begin")}
      </Button>
      <p id="acceptance-chosen" className="basis-full text-[13px] text-ink-soft">
        {`${text("chosenHint", { n: needed })} ${text("marks")}`}
      </p>
    </form>
  );
}
