import { type FormEvent, useState } from "react";
import {
  type Peer,
  PEER_KINDS,
  type PeerConfig,
  peerConfig,
} from "@/model/schema/connections/connections.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { browserApi } from "@/client/browser_api.ts";
import { savePeer } from "@/client/api/connections/connections.ts";
import { useText } from "@/client/page/language.ts";
import { useUnsavedEdits } from "@/components/administration/unsaved_edits.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import {
  ConfigInput,
  FIELD,
  Field,
  HostAddress,
  isWebKind,
  LanguageField,
  RetrieveField,
  SecretField,
  SenderFields,
} from "@/components/administration/peer_fields.tsx";
import {
  PeerOptions,
  ResultChoice,
  sendableKinds,
} from "@/components/administration/PeerOptions.tsx";

/** Default port: registered for DICOM (PS3.8 §9.1.1). */
const DICOM_PORT = 104;

/** Values of the form for a remote system, and a function that stores them. */
function usePeerEdit(peer: Peer | null) {
  const [name, setName] = useState(peer?.name ?? ""),
    [kind, setKind] = useState(peer?.kind ?? "dicom");
  const [config, setConfig] = useState<PeerConfig>(
    peer?.config ?? { ...peerConfig.parse({}), port: DICOM_PORT },
  );
  const [secret, setSecret] = useState(""), [isSaving, setSaving] = useState(false);
  const values = JSON.stringify([name, kind, config, secret]), [initialValues] = useState(values);
  useUnsavedEdits(values !== initialValues && !isSaving);
  /** @param whenSaved Runs after the server has stored the system. */
  const save = async (whenSaved: () => Promise<void>) => {
    setSaving(true);
    try {
      const sendable = sendableKinds(kind, config);
      const results = config.results.filter((result) => sendable.includes(result));
      await savePeer(browserApi, peer?.id ?? null, {
        name,
        kind,
        config: { ...config, results },
        ...(secret === "" ? {} : { secret }),
      });
      await whenSaved();
    } catch (error) {
      presentError(error);
    } finally {
      setSaving(false);
    }
  };
  const change = (part: Partial<PeerConfig>) => setConfig({ ...config, ...part });
  return { name, setName, kind, setKind, config, change, secret, setSecret, isSaving, save };
}

/** Form that adds (`null`) or changes a remote system. */
export function PeerForm(
  { peer, onClose, onSaved }: {
    peer: Peer | null;
    onClose: () => void;
    onSaved: () => Promise<void>;
  },
) {
  const text = useText(connectionText);
  const { name, setName, kind, setKind, config, change, secret, setSecret, isSaving, save } =
    usePeerEdit(peer);
  const edit = { kind, config, change };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save(async () => {
      await onSaved();
      onClose();
    });
  };
  return (
    <form className="mt-4 rounded-lg border border-line bg-canvas p-4" onSubmit={submit}>
      <div className="grid grid-cols-4 gap-3">
        <Field label={text("name")}>
          <input
            required
            className={FIELD}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <Field label={text("kind")}>
          <select
            className={FIELD}
            value={kind}
            onChange={(event) => setKind(event.currentTarget.value as typeof kind)}
          >
            {PEER_KINDS.map((one) => <option key={one} value={one}>{text(`kind_${one}`)}</option>)}
          </select>
        </Field>
        {isWebKind(kind)
          ? (
            <>
              <ConfigInput {...edit} field="url" label={text("url")} />
              <ConfigInput {...edit} field="user" label={text("user")} />
              <SecretField
                peer={peer}
                url={config.url}
                secret={secret}
                onChange={setSecret}
              />
            </>
          )
          : <HostAddress {...edit} />}
        <SenderFields {...edit} />
        {kind === "dicom" && config.search && <RetrieveField {...edit} />}
        <ConfigInput {...edit} field="certificate" label={text("certificate")} />
        <LanguageField {...edit} />
      </div>
      <PeerOptions {...edit} />
      <ResultChoice {...edit} />
      <div className="mt-4 flex gap-2">
        <Button type="submit" kind="primary" disabled={isSaving}>{text("save")}</Button>
        <Button onClick={onClose}>{text("cancel")}</Button>
      </div>
    </form>
  );
}
