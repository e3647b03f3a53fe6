import { type FormEvent, type ReactNode, useState } from "react";
import {
  type Peer,
  PEER_KINDS,
  type PeerConfig,
  peerConfig,
  RESULT_KINDS,
} from "@/model/schema/connections/connections.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { browserApi } from "@/client/browser_api.ts";
import { savePeer } from "@/client/api/connections/connections.ts";
import { useText } from "@/client/page/language.ts";
import { useUnsavedEdits } from "@/components/administration/unsaved_edits.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";

const FIELD = "h-9 w-full rounded-md border border-line-strong bg-white px-2 text-sm text-ink";

function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    <label className="block text-[13px] text-ink-soft">
      <span className="mb-1 block">{label}</span>
      {children}
    </label>
  );
}

function Check(
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

const placeOf = (url: string) => URL.parse(url)?.origin ?? "";

/** Port registered for DICOM (PS3.8 §9.1.1). */
const DICOM_PORT = 104;

/** Form that adds (`null`) or changes a remote system. */
export function PeerForm(
  { peer, onClose, onSaved }: {
    peer: Peer | null;
    onClose: () => void;
    onSaved: () => Promise<void>;
  },
) {
  const text = useText(connectionText);
  const [name, setName] = useState(peer?.name ?? ""),
    [kind, setKind] = useState(peer?.kind ?? "dicom");
  const [config, setConfig] = useState<PeerConfig>(
    peer?.config ?? { ...peerConfig.parse({}), port: DICOM_PORT },
  );
  const [secret, setSecret] = useState(""), [isSaving, setSaving] = useState(false);
  const values = JSON.stringify([name, kind, config, secret]), [first] = useState(values);
  useUnsavedEdits(values !== first && !isSaving);
  const set = (change: Partial<PeerConfig>) => setConfig({ ...config, ...change });
  const isWeb = kind === "dicomweb" || kind === "fhir";
  // a stored secret is only sent to the address for which it was entered
  const needsSecret = isWeb && peer?.has_secret === true &&
    placeOf(peer.config.url) !== placeOf(config.url);
  const kindsOf = (of: typeof kind) =>
    RESULT_KINDS.filter((one) =>
      of === "hl7"
        ? one === "hl7"
        : of === "fhir"
        ? one === "fhir"
        : config.research
        ? ["images", "measurements", "regions", "lesions", "changes"].includes(one)
        : one !== "hl7" && one !== "fhir" && one !== "images"
    );
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setSaving(true);
    try {
      const results = config.results.filter((one) => kindsOf(kind).includes(one));
      await savePeer(browserApi, peer?.id ?? null, {
        name,
        kind,
        config: { ...config, results },
        ...(secret === "" ? {} : { secret }),
      });
      await onSaved();
      onClose();
    } catch (error) {
      presentError(error);
    } finally {
      setSaving(false);
    }
  };
  const input = (field: "ae_title" | "host" | "url" | "user" | "certificate" | "id_authority") => (
    <input
      className={FIELD}
      value={config[field]}
      onChange={(event) => set({ [field]: event.currentTarget.value })}
    />
  );
  return (
    <form
      className="mt-4 rounded-lg border border-line bg-canvas p-4"
      onSubmit={(event) => void save(event)}
    >
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
        {kind === "dicom" && <Field label={text("aeTitle")}>{input("ae_title")}</Field>}
        {!isWeb && <Field label={text("host")}>{input("host")}</Field>}
        {!isWeb && (
          <Field label={text("port")}>
            <input
              type="number"
              min={0}
              max={65535}
              className={FIELD}
              value={config.port}
              onChange={(event) => set({ port: Number(event.currentTarget.value) })}
            />
          </Field>
        )}
        {isWeb && <Field label={text("url")}>{input("url")}</Field>}
        {isWeb && <Field label={text("user")}>{input("user")}</Field>}
        {isWeb && (
          <Field label={text("secret")}>
            <input
              type="password"
              autoComplete="off"
              required={needsSecret}
              aria-describedby={needsSecret ? "secret-again" : undefined}
              placeholder={peer?.has_secret && !needsSecret ? "••••••" : ""}
              className={FIELD}
              value={secret}
              onChange={(event) => setSecret(event.currentTarget.value)}
            />
            {needsSecret && (
              <span id="secret-again" className="mt-1 block">{text("secretAgain")}</span>
            )}
          </Field>
        )}
        {(kind === "dicom" || kind === "hl7") && (
          <Field label={text("addresses")}>
            <input
              required={kind === "hl7" && config.may_send}
              className={FIELD}
              value={config.addresses.join(" ")}
              onChange={(event) =>
                set({ addresses: event.currentTarget.value.split(/[\s,]+/).filter(Boolean) })}
            />
          </Field>
        )}
        {kind === "hl7" && config.may_send && (
          <Field label={text("idAuthority")}>{input("id_authority")}</Field>
        )}
        {kind === "dicom" && config.search && (
          <Field label={text("retrieveBy")}>
            <select
              className={FIELD}
              value={config.retrieve}
              onChange={(event) =>
                set({ retrieve: event.currentTarget.value as PeerConfig["retrieve"] })}
            >
              <option value="move">{text("retrieve_move")}</option>
              <option value="get">{text("retrieve_get")}</option>
            </select>
          </Field>
        )}
        <Field label={text("certificate")}>{input("certificate")}</Field>
        <Field label={text("language")}>
          <select
            className={FIELD}
            value={config.language}
            onChange={(event) =>
              set({ language: event.currentTarget.value as PeerConfig["language"] })}
          >
            <option value="en">English</option>
            <option value="ko">한국어</option>
          </select>
        </Field>
      </div>
      <div className="mt-3 flex flex-wrap gap-x-5 gap-y-2">
        {(kind === "dicom" || kind === "hl7") && (
          <Check
            label={text("maySend")}
            value={config.may_send}
            onChange={(may_send) => set({ may_send })}
          />
        )}
        {!isWeb && (
          <Check
            label={text("tls")}
            value={config.tls}
            onChange={(tls) => set({ tls })}
          />
        )}
        {kind === "dicom" && (
          <Check
            label={text("commits")}
            value={config.commits}
            onChange={(commits) => set({ commits })}
          />
        )}
        {(kind === "dicom" || kind === "dicomweb") && (
          <>
            <Check
              label={text("research")}
              value={config.research}
              onChange={(research) => set({ research, deface: research && config.deface })}
            />
            {config.research && (
              <Check
                label={text("deface")}
                value={config.deface}
                onChange={(deface) => set({ deface })}
              />
            )}
            <Check
              label={text("searchable")}
              value={config.search}
              onChange={(search) => set({ search })}
            />
            <Check
              label={text("labelMap")}
              value={config.label_map}
              onChange={(label_map) => set({ label_map })}
            />
            <Check
              label={text("deflated")}
              value={config.deflated}
              onChange={(deflated) => set({ deflated })}
            />
          </>
        )}
        {kind === "dicom" && (
          <Check
            label={text("worklist")}
            value={config.worklist}
            onChange={(worklist) => set({ worklist })}
          />
        )}
        <Check
          label={text("byRule")}
          value={config.by_rule}
          onChange={(by_rule) => set({ by_rule })}
        />
      </div>
      <fieldset className="mt-3">
        <legend className="mb-1 text-[13px] text-ink-soft">{text("results")}</legend>
        <div className="flex flex-wrap gap-x-5 gap-y-2">
          {kindsOf(kind).map((one) => (
            <Check
              key={one}
              label={text(`result_${one}`)}
              value={config.results.includes(one)}
              onChange={(isOn) =>
                set({
                  results: isOn
                    ? [...config.results, one]
                    : config.results.filter((other) => other !== one),
                })}
            />
          ))}
        </div>
      </fieldset>
      <div className="mt-4 flex gap-2">
        <Button type="submit" kind="primary" disabled={isSaving}>{text("save")}</Button>
        <Button onClick={onClose}>{text("cancel")}</Button>
      </div>
    </form>
  );
}
