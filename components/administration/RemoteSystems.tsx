import { useState } from "react";
import type { Peer, PeerTest } from "@/model/schema/connections/connections.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { browserApi } from "@/client/browser_api.ts";
import {
  removePeer,
  renewSystemKey,
  sendTestImage,
  testPeer,
} from "@/client/api/connections/connections.ts";
import { confirmInModal } from "@/client/notices/present_error.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { failureWords, storedFailureWords } from "@/client/tray/failure_words.ts";
import { CELL, Section, Table } from "@/components/administration/connection_parts.tsx";
import { PeerForm } from "@/components/administration/PeerForm.tsx";
import { Button } from "@/components/Button.tsx";
import { useAction } from "@/components/use_action.ts";

/** Answer of a remote system to a connection test. */
interface TestResult {
  /** name of the tested remote system */
  name: string;
  /** key of the text that is shown after a successful test */
  success: "testOk" | "testImageOk";
  answer: PeerTest;
}

/** Actions on a remote system; actions that delete data ask for a confirmation. */
function usePeerActions(reload: () => Promise<void>) {
  const [test, setTest] = useState<TestResult | null>(null);
  const [newKey, setNewKey] = useState<{ name: string; key: string } | null>(null);
  const { isBusy, act: run } = useAction(reload);
  return {
    test,
    newKey,
    isBusy,
    testConnection: ({ id, name }: Peer) =>
      run(async () => setTest({ name, success: "testOk", answer: await testPeer(browserApi, id) })),
    async sendImage({ id, name }: Peer) {
      if (!await confirmInModal("system.test_image", { name })) return;
      await run(async () =>
        setTest({ name, success: "testImageOk", answer: await sendTestImage(browserApi, id) })
      );
    },
    async renewKey({ id, name, has_key }: Peer) {
      if (has_key && !await confirmInModal("system.renew_key", { name })) return;
      await run(async () => setNewKey({ name, key: await renewSystemKey(browserApi, id) }));
    },
    async remove({ id, name, waiting }: Peer) {
      if (!await confirmInModal("system.remove", { name, n: waiting })) return;
      await run(() => removePeer(browserApi, id));
    },
  };
}

type PeerActions = ReturnType<typeof usePeerActions>;

/** Table of the remote systems, with the form that adds or changes a system. */
export function RemoteSystems(
  { peers, reload }: { peers: readonly Peer[]; reload: () => Promise<void> },
) {
  const text = useText(connectionText);
  const [edited, setEdited] = useState<Peer | "new" | null>(null);
  const actions = usePeerActions(reload), { newKey, test } = actions;
  const heads = [
    text("name"),
    text("kind"),
    text("host"),
    text("lastOk"),
    text("lastError"),
    text("toSend"),
    "",
  ];
  return (
    <Section title={text("peers")}>
      {peers.length === 0
        ? <p className="text-sm text-ink-soft">{text("noPeers")}</p>
        : (
          <Table label={text("peers")} heads={heads}>
            {peers.map((peer) => (
              <tr key={peer.id} className="border-b border-line last:border-b-0 text-ink">
                <PeerCells peer={peer} />
                <td className={`${CELL} whitespace-nowrap text-right`}>
                  <PeerButtons
                    peer={peer}
                    actions={actions}
                    onEdit={() =>
                      setEdited(peer)}
                  />
                </td>
              </tr>
            ))}
          </Table>
        )}
      {newKey && (
        <p role="status" className="mt-3 text-sm text-ink">
          {text("keyOf", { name: newKey.name })}{" "}
          <code className="break-all select-all">{newKey.key}</code>
        </p>
      )}
      {test && <TestAnswer test={test} />}
      {edited === null
        ? <Button className="mt-4" onClick={() => setEdited("new")}>{text("add")}</Button>
        : (
          <PeerForm
            key={edited === "new" ? "new" : edited.id}
            peer={edited === "new" ? null : edited}
            onClose={() => setEdited(null)}
            onSaved={reload}
          />
        )}
    </Section>
  );
}

/** Address of a remote system; "-" for one that only sends. */
export function addressOf({ url, ae_title, host, port }: Peer["config"]): string {
  if (url) return url;
  return host ? `${ae_title} ${host}:${port}`.trim() : ae_title || "-";
}

/** Shows the address and connection state of a remote system. */
function PeerCells({ peer }: { peer: Peer }) {
  const text = useText(connectionText), language = useLanguage(), timeZone = useTimeZone();
  const minute = (at: string | null) => at === null ? "-" : minuteIn(timeZone, Date.parse(at));
  return (
    <>
      <td className={`${CELL} min-w-[90px]`}>{peer.name}</td>
      <td className={`${CELL} whitespace-nowrap`}>{text(`kind_${peer.kind}`)}</td>
      <td className={`${CELL} break-all`}>{addressOf(peer.config)}</td>
      <td className={`${CELL} tabular`}>{minute(peer.last_ok_at)}</td>
      <td className={`${CELL} max-w-[280px] break-words`}>
        {peer.last_error === null ? "-" : storedFailureWords(peer.last_error, language)}
        {peer.not_before && (
          <span className="block text-ink-soft">
            {text("pausedUntil", { time: minute(peer.not_before) })}
          </span>
        )}
      </td>
      <td className={`${CELL} tabular`}>{peer.waiting}</td>
    </>
  );
}

function PeerButtons(
  { peer, actions, onEdit }: { peer: Peer; actions: PeerActions; onEdit: () => void },
) {
  const text = useText(connectionText), { isBusy } = actions;
  return (
    <>
      <Button size="small" disabled={isBusy} onClick={() => void actions.testConnection(peer)}>
        {text("test")}
      </Button>{" "}
      {(peer.kind === "dicom" || peer.kind === "dicomweb") && (
        <>
          <Button size="small" disabled={isBusy} onClick={() => void actions.sendImage(peer)}>
            {text("testImage")}
          </Button>
          {" "}
        </>
      )}
      <Button size="small" disabled={isBusy} onClick={() => void actions.renewKey(peer)}>
        {text(peer.has_key ? "renewKey" : "newKey")}
      </Button>{" "}
      <Button size="small" disabled={isBusy} onClick={onEdit}>{text("edit")}</Button>{" "}
      <Button
        size="small"
        kind="danger"
        disabled={isBusy}
        onClick={() => void actions.remove(peer)}
      >
        {text("remove")}
      </Button>
    </>
  );
}

function TestAnswer({ test: { name, success, answer } }: { test: TestResult }) {
  const text = useText(connectionText), language = useLanguage();
  return (
    <p
      role="status"
      className={`mt-3 text-sm ${answer.is_ok ? "text-emerald-800" : "text-red-700"}`}
    >
      {answer.is_ok
        ? text(success, { name })
        : `${name}: ${
          failureWords({ failure: answer.failure ?? "", text: answer.text }, language)
        }`}
    </p>
  );
}
