// Parts of a remote system's form for address and credentials.
import { type ReactNode, useState } from "react";
import type { Peer, PeerConfig } from "@/model/schema/connections/connections.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { useText } from "@/client/page/language.ts";

/** Props of all parts of the form: the remote system being edited. */
export interface PeerEdit {
  kind: Peer["kind"];
  config: PeerConfig;
  change: (part: Partial<PeerConfig>) => void;
}

/** Kinds of remote systems that are called by HTTP. */
export const isWebKind = (kind: Peer["kind"]): boolean => kind === "dicomweb" || kind === "fhir";

export const FIELD =
  "h-9 w-full rounded-md border border-line-strong bg-white px-2 text-sm text-ink";

export function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    <label className="flex flex-col justify-end text-[13px] text-ink-soft">
      <span className="mb-1 block">{label}</span>
      {children}
    </label>
  );
}

export function Check(
  { label, value, onChange }: { label: string; value: boolean; onChange: (value: boolean) => void },
) {
  return (
    <label className="flex items-center gap-2 text-sm text-ink">
      <input
        type="checkbox"
        checked={value}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {label}
    </label>
  );
}

interface ConfigInputProps extends PeerEdit {
  label: string;
  field: "ae_title" | "host" | "url" | "user" | "certificate" | "id_authority";
}

/** One-line text field of a setting. */
export function ConfigInput({ label, field, config, change }: ConfigInputProps) {
  return (
    <Field label={label}>
      <input
        className={FIELD}
        value={config[field]}
        onChange={(event) => change({ [field]: event.currentTarget.value })}
      />
    </Field>
  );
}

/** Fields for AE title, host and port of a system that is called by DICOM or HL7. */
export function HostAddress(edit: PeerEdit) {
  const text = useText(connectionText);
  return (
    <>
      {edit.kind === "dicom" && <ConfigInput {...edit} field="ae_title" label={text("aeTitle")} />}
      <ConfigInput {...edit} field="host" label={text("host")} />
      <Field label={text("port")}>
        <input
          type="number"
          min={0}
          max={65535}
          className={FIELD}
          value={edit.config.port}
          onChange={(event) => edit.change({ port: Number(event.currentTarget.value) })}
        />
      </Field>
    </>
  );
}

const originOf = (url: string) => URL.parse(url)?.origin ?? "";

interface SecretFieldProps {
  /** stored system; `null` for a new one */
  peer: Peer | null;
  /** address of the remote system in the form */
  url: string;
  secret: string;
  onChange: (secret: string) => void;
}

/** Password or token, which must be entered again when the origin of the address changes. */
export function SecretField({ peer, url, secret, onChange }: SecretFieldProps) {
  const text = useText(connectionText);
  const isRequired = peer?.has_secret === true && originOf(peer.config.url) !== originOf(url);
  return (
    <Field label={text("secret")}>
      <input
        type="password"
        autoComplete="off"
        required={isRequired}
        aria-describedby={isRequired ? "secret-again" : undefined}
        placeholder={peer?.has_secret && !isRequired ? "••••••" : ""}
        className={FIELD}
        value={secret}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {isRequired && <span id="secret-again" className="mt-1 block">{text("secretAgain")}</span>}
    </Field>
  );
}

/** Fields that restrict which messages and images the system may send to this site. */
export function SenderFields(edit: PeerEdit) {
  const text = useText(connectionText), { kind, config, change } = edit;
  // a separator that was just typed is not in the list of addresses yet
  const [typed, setTyped] = useState(config.addresses.join(", "));
  if (isWebKind(kind)) return null;
  const maySendMessages = kind === "hl7" && config.may_send;
  return (
    <>
      <Field label={text("addresses")}>
        <input
          required={maySendMessages}
          className={FIELD}
          value={typed}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            change({ addresses: value.split(/[\s,]+/).filter(Boolean) });
          }}
        />
      </Field>
      {maySendMessages && (
        <ConfigInput
          {...edit}
          field="id_authority"
          label={text("idAuthority")}
        />
      )}
    </>
  );
}

/** Choice of the DICOM operation (C-MOVE or C-GET) that retrieves studies from a system. */
export function RetrieveField({ config, change }: PeerEdit) {
  const text = useText(connectionText);
  return (
    <Field label={text("retrieveBy")}>
      <select
        className={FIELD}
        value={config.retrieve}
        onChange={(event) =>
          change({ retrieve: event.currentTarget.value as PeerConfig["retrieve"] })}
      >
        <option value="move">{text("retrieve_move")}</option>
        <option value="get">{text("retrieve_get")}</option>
      </select>
    </Field>
  );
}

/** Choice of the language of results that are sent to the system. */
export function LanguageField({ config, change }: PeerEdit) {
  const text = useText(connectionText);
  return (
    <Field label={text("language")}>
      <select
        className={FIELD}
        value={config.language}
        onChange={(event) =>
          change({ language: event.currentTarget.value as PeerConfig["language"] })}
      >
        <option value="en">English</option>
        <option value="ko">한국어</option>
      </select>
    </Field>
  );
}
