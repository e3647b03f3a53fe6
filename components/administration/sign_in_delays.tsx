// List of delayed sign-ins, which can be lifted; loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { AppError } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { secondIn } from "@/model/time/site_time.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { statusText } from "@/model/text/site/status.ts";
import { browserApi } from "@/client/browser_api.ts";
import { getSignInDelays, liftSignInDelay } from "@/client/api/accounts/sign_ins.ts";
import { useText } from "@/client/page/language.ts";
import { LoadState } from "@/components/message/LoadState.tsx";
import { presentError } from "@/client/notices/present_error.ts";
import { withQueries } from "@/components/page/with_queries.tsx";
import { Button } from "@/components/Button.tsx";

const CELL = "px-3 py-2 text-left align-middle";
const REASONS = { place: "delayPlace", account: "delayAccount", address: "delayAddress" } as const;

function SignInDelays() {
  const timeZone = useTimeZone();
  const text = useText(statusText);
  const [lifting, setLifting] = useState<string | null>(null);
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: queryKeys.signInDelays,
    queryFn: ({ signal }) => getSignInDelays(browserApi, signal),
  });
  const lift = async (id: string) => {
    setLifting(id);
    try {
      await liftSignInDelay(browserApi, id);
    } catch (problem) {
      // ignored: the delay has ended in the meantime, as the reloaded list shows
      if (!(problem instanceof AppError && problem.code === "entity.not_found")) {
        presentError(problem);
      }
    } finally {
      setLifting(null);
      await refetch();
    }
  };
  if (!data) return <LoadState title={text("failedToLoad")} error={error} onRetry={refetch} />;
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-ink-soft">{text("delaysExplained")}</p>
      <section className="rounded-xl border border-line bg-white overflow-hidden">
        {data.delays.length === 0
          ? <p className="px-5 py-10 text-center text-sm text-ink-soft">{text("noDelays")}</p>
          : (
            <table className="w-full text-[13px]" aria-label={text("signIns")}>
              <thead>
                <tr className="border-b border-line text-ink-soft">
                  {(["user", "address", "reason", "failures", "delayedUntil"] as const).map((
                    name,
                  ) => (
                    <th key={name} scope="col" className={`${CELL} font-semibold`}>{text(name)}</th>
                  ))}
                  <th className={CELL}>
                    <span className="visually-hidden">{text("liftDelay")}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.delays.map(({ id, kind, email, address, failures, until }) => (
                  <tr key={id} className="border-b border-line last:border-b-0 text-ink">
                    <td className={`${CELL} break-all`}>{email ?? text("nobody")}</td>
                    <td className={`${CELL} tabular break-all`}>{address ?? "-"}</td>
                    <td className={CELL}>{text(REASONS[kind])}</td>
                    <td className={`${CELL} tabular`}>{failures}</td>
                    <td className={`${CELL} tabular whitespace-nowrap`}>
                      {secondIn(timeZone, Date.parse(until))}
                    </td>
                    <td className={`${CELL} text-right`}>
                      <Button
                        size="small"
                        disabled={lifting !== null}
                        onClick={() =>
                          void lift(id)}
                      >
                        {text("liftDelay")}
                      </Button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
      </section>
      <div>
        <Button disabled={isFetching} onClick={() => void refetch()}>{text("refresh")}</Button>
      </div>
    </div>
  );
}

export default withQueries(SignInDelays);
