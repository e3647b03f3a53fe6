// Connections with other systems; loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { AppError } from "@/model/errors.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { Connections as Page } from "@/model/schema/connections/connections.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { browserApi } from "@/client/browser_api.ts";
import { getConnections, repeatResults } from "@/client/api/connections/connections.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { connectionDetailsIn, connectionEventIn } from "@/model/text/site/connection_events.ts";
import { storedFailureWords } from "@/client/tray/failure_words.ts";
import { withQueries } from "@/components/page/with_queries.tsx";
import { Button } from "@/components/Button.tsx";
import { LoadFailure } from "@/components/message/LoadFailure.tsx";
import { CELL, Section, Table } from "@/components/administration/connection_parts.tsx";
import { Gate } from "@/components/administration/gate_panel.tsx";
import { Merges, Messages } from "@/components/administration/hl7_messages.tsx";
import { RemoteSystems } from "@/components/administration/RemoteSystems.tsx";
import { RoutingPanel } from "@/components/administration/RoutingPanel.tsx";

const REFRESH_MS = 10_000;
type Text = ReturnType<typeof useText<typeof connectionText>>;
type Key = keyof typeof connectionText;

const hasKey = (key: string): key is Key => Object.hasOwn(connectionText, key);

function Connections() {
  const language = useLanguage(), text = useText(connectionText), common = useText(commonText);
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.connections,
    queryFn: ({ signal }) => getConnections(browserApi, signal),
    refetchInterval: REFRESH_MS,
  });
  if (!data) {
    return error
      ? (
        <LoadFailure
          title={text("failedToLoad")}
          reason={messageOf(error instanceof AppError ? error.code : "internal", {}, language)}
          retryLabel={common("retry")}
          onRetry={() => void refetch()}
        />
      )
      : <p role="status">{common("loading")}…</p>;
  }
  const reload = async () => void await refetch();
  return (
    <div className="flex flex-col gap-4">
      <Gate page={data} />
      <RemoteSystems peers={data.peers} reload={reload} />
      <RoutingPanel peers={data.peers} />
      <Arrivals page={data} />
      <Messages page={data} reload={reload} refreshMs={REFRESH_MS} />
      <Merges page={data} reload={reload} refreshMs={REFRESH_MS} />
      <Outbox page={data} reload={reload} />
      <Log page={data} />
      <div>
        <Button onClick={() => void reload()}>{text("refresh")}</Button>
      </div>
    </div>
  );
}

function Arrivals({ page }: { page: Page }) {
  const text = useText(connectionText), timeZone = useTimeZone(), language = useLanguage();
  const reasonOf = (reason: string) => {
    const [code = ""] = reason.split("/");
    return code === "rule"
      ? text("routing")
      : code === "own_result"
      ? text("ownResult")
      : code === "unusable"
      ? text("unusableSeries")
      : messageOf(code as never, {}, language) ?? reason;
  };
  const heads = [
    text("time"),
    text("sender"),
    text("series"),
    text("images"),
    text("state"),
    text("study"),
  ];
  return (
    <Section title={text("arrivals")}>
      {page.arrivals.length === 0
        ? <p className="text-sm text-ink-soft">{text("noArrivals")}</p>
        : (
          <Table label={text("arrivals")} heads={heads}>
            {page.arrivals.map((one, at) => (
              // key: series UID and time are not unique, because copies of a study have the same
              // series UIDs
              <tr
                key={`${one.series_uid} ${one.first_at} ${one.pid} ${at}`}
                className="border-b border-line last:border-b-0 text-ink"
              >
                <td className={`${CELL} tabular`}>{minuteIn(timeZone, Date.parse(one.last_at))}</td>
                <td className={CELL}>{one.sender}</td>
                <td className={CELL}>{one.description}</td>
                <td className={`${CELL} tabular`}>{one.instances}</td>
                <td className={CELL}>
                  {text(`state_${one.state}`)}
                  {one.reason && (
                    <span className="block text-ink-soft">
                      {reasonOf(one.reason)} <code className="text-xs">{one.reason}</code>
                    </span>
                  )}
                </td>
                <td className={`${CELL} tabular`}>{one.pid ?? "-"}</td>
              </tr>
            ))}
          </Table>
        )}
    </Section>
  );
}

function Outbox({ page, reload }: { page: Page; reload: () => Promise<void> }) {
  const language = useLanguage();
  const text = useText(connectionText), timeZone = useTimeZone();
  const again = async (id: number) => {
    try {
      await repeatResults(browserApi, [id]);
      await reload();
    } catch (error) {
      presentError(error);
    }
  };
  const resultOf = (kind: string) => {
    const key = `result_${kind}`;
    return hasKey(key) ? text(key) : kind;
  };
  const heads = [
    text("time"),
    text("to"),
    text("study"),
    text("result"),
    text("state"),
    text("attempts"),
    "",
  ];
  return (
    <Section title={text("outbox")}>
      {page.outbox.length === 0
        ? <p className="text-sm text-ink-soft">{text("noOutbox")}</p>
        : (
          <Table label={text("outbox")} heads={heads}>
            {page.outbox.map((one) => (
              <tr key={one.id} className="border-b border-line last:border-b-0 text-ink">
                <td className={`${CELL} tabular`}>
                  {minuteIn(timeZone, Date.parse(one.sent_at ?? one.created_at))}
                </td>
                <td className={CELL}>{one.peer}</td>
                <td className={`${CELL} tabular`}>{one.pid}</td>
                <td className={CELL}>{resultOf(one.kind)}</td>
                <td className={`${CELL} max-w-[280px] break-words`}>
                  {text(`state_${one.state}`)}
                  {one.committed_at && `, ${text("committed")}`}
                  {one.last_error && (
                    <span className="block text-ink-soft">
                      {storedFailureWords(one.last_error, language)}
                    </span>
                  )}
                </td>
                <td className={`${CELL} tabular`}>{one.attempts}</td>
                <td className={`${CELL} text-right`}>
                  {one.state !== "waiting" && one.state !== "sending" && (
                    <Button
                      size="small"
                      onClick={() => void again(one.id)}
                    >
                      {text("sendAgain")}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
    </Section>
  );
}

function Log({ page }: { page: Page }) {
  const text = useText(connectionText), language = useLanguage(), timeZone = useTimeZone();
  return (
    <Section title={text("log")}>
      <Table
        label={text("log")}
        heads={[text("time"), text("sender"), text("host"), text("event"), text("details")]}
      >
        {page.log.map((one) => (
          <tr
            key={one.id}
            className={`border-b border-line last:border-b-0 ${
              one.is_error ? "text-red-700" : "text-ink"
            }`}
          >
            <td className={`${CELL} tabular`}>{minuteIn(timeZone, Date.parse(one.at))}</td>
            <td className={CELL}>{one.peer || "-"}</td>
            <td className={`${CELL} break-all`}>{one.address || "-"}</td>
            <td className={CELL} title={one.event}>{connectionEventIn(one.event, language)}</td>
            <td className={`${CELL} break-words`}>
              {connectionDetailsIn(one.details, language)}
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

export default withQueries(Connections);
