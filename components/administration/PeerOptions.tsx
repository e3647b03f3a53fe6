import {
  type Peer,
  type PeerConfig,
  RESULT_KINDS,
  type ResultKind,
} from "@/model/schema/connections/connections.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { useText } from "@/client/page/language.ts";
import { Check, isWebKind, type PeerEdit } from "@/components/administration/peer_fields.tsx";

/** Kinds of results that do not contain the patient's name. */
const RESEARCH_RESULTS: readonly ResultKind[] = [
  "images",
  "measurements",
  "regions",
  "lesions",
  "outlines",
  "changes",
  "thickness",
  "percentiles",
];

/** Kinds of results that can be sent to a given kind of remote system. */
export function sendableKinds(kind: Peer["kind"], { research }: PeerConfig): ResultKind[] {
  if (kind === "hl7" || kind === "fhir") return [kind];
  return RESULT_KINDS.filter((result) =>
    research
      ? RESEARCH_RESULTS.includes(result)
      : result !== "hl7" && result !== "fhir" && result !== "images"
  );
}

type Option = keyof { [K in keyof PeerConfig as PeerConfig[K] extends boolean ? K : never]: true };

/** Name of each option as a key of the text catalogue. */
const OPTION_TEXT = {
  may_send: "maySend",
  tls: "tls",
  commits: "commits",
  research: "research",
  deface: "deface",
  search: "searchable",
  label_map: "labelMap",
  deflated: "deflated",
  worklist: "worklist",
  by_rule: "byRule",
} as const satisfies Record<Option, keyof typeof connectionText>;

/** Options of a kind of remote system, in the order of the form. */
function optionsOf(kind: Peer["kind"], isResearch: boolean): Option[] {
  const isDicom = kind === "dicom";
  const options: [Option, boolean][] = [
    ["may_send", !isWebKind(kind)],
    ["tls", !isWebKind(kind)],
    ["commits", isDicom],
    ["research", isDicom || kind === "dicomweb"],
    ["deface", (isDicom || kind === "dicomweb") && isResearch],
    ["search", isDicom || kind === "dicomweb"],
    ["label_map", isDicom || kind === "dicomweb"],
    ["deflated", isDicom || kind === "dicomweb"],
    ["worklist", isDicom],
    ["by_rule", true],
  ];
  return options.flatMap(([option, isOffered]) => isOffered ? [option] : []);
}

/** Check boxes of the options that a kind of system has. */
export function PeerOptions({ kind, config, change }: PeerEdit) {
  const text = useText(connectionText);
  const set = (option: Option, isOn: boolean) =>
    change({
      [option]: isOn,
      // faces are removed from images for research only
      ...(option === "research" ? { deface: isOn && config.deface } : {}),
    });
  return (
    <div className="mt-3 flex flex-wrap gap-x-5 gap-y-2">
      {optionsOf(kind, config.research).map((option) => (
        <Check
          key={option}
          label={text(OPTION_TEXT[option])}
          value={config[option]}
          onChange={(isOn) => set(option, isOn)}
        />
      ))}
    </div>
  );
}

/** Check boxes of the results that are sent to the system. */
export function ResultChoice({ kind, config, change }: PeerEdit) {
  const text = useText(connectionText);
  const set = (result: ResultKind, isSent: boolean) => {
    const otherResults = config.results.filter((other) => other !== result);
    change({ results: isSent ? [...config.results, result] : otherResults });
  };
  return (
    <fieldset className="mt-3">
      <legend className="mb-1 text-[13px] text-ink-soft">{text("results")}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {sendableKinds(kind, config).map((result) => (
          <Check
            key={result}
            label={text(`result_${result}`)}
            value={config.results.includes(result)}
            onChange={(isSent) => set(result, isSent)}
          />
        ))}
      </div>
    </fieldset>
  );
}
