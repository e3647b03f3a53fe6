/** MSA-1 of an acknowledgement, followed by the error code in ERR, if any. */
export function acknowledgementIn(answer: string): string {
  const segments = answer.split("\r").map((segment) => segment.split("|"));
  const msa = segments.find(([name]) => name === "MSA"),
    err = segments.find(([name]) => name === "ERR");
  return [msa?.[1], err?.[3]?.split("^")[0]].filter(Boolean).join(" ");
}

export interface AdtFields {
  /** trigger event, such as A08 */
  event: string;
  /** PID-3 */
  id: string;
  /** MSH-10 */
  control: string;
  /** MRG-1 */
  prior?: string;
  name?: string;
  birth?: string;
  sex?: string;
  /** EVN-2 */
  at?: string;
  /** MSH-18 */
  characters?: string;
}

/** A message of patient administration, version 2.5. */
export function adt(
  { event, id, control, prior, name, birth, sex, at, characters }: AdtFields,
): string {
  const time = at ?? "20260301120000";
  return [
    `MSH|^~\\&|HIS|HOSP|SULCUS|MR|${time}||ADT^${event}|${control}|P|2.5||||||${characters ?? ""}`,
    `EVN|${event}|${time}`,
    `PID|1||${id}||${name ?? ""}||${birth ?? ""}|${sex ?? ""}`,
    ...prior === undefined ? [] : [`MRG|${prior}`],
  ].join("\r") + "\r";
}

export interface OrderFields {
  /** PID-3 */
  id: string;
  /** MSH-10 */
  control: string;
  /** OBR-18 */
  accession: string;
  /** ORC-2 */
  number?: string;
  /** ORC-3 */
  filler?: string;
  /** ORC-1 */
  code?: string;
  /** text in OBR-4 */
  procedure?: string;
  /** name in PV1-8 */
  referrer?: string;
  /** OBR-36 */
  planned?: string;
  /** OBR-24 */
  modality?: string;
  name?: string;
  birth?: string;
  sex?: string;
  /** MSH-7 */
  at?: string;
}

/** An order, ORM^O01 of version 2.5. */
export function order(fields: Partial<OrderFields>): string {
  const { id = "P-1", control = "1", accession = "A1", number = "", code = "NW" } = fields;
  const { filler = "" } = fields;
  const { procedure = "MRI", referrer, planned = "", modality = "", at = "20260301120000" } =
    fields;
  const { name = "", birth = "", sex = "" } = fields;
  const obr: string[] = Array.from({ length: 37 }, () => "");
  obr[0] = "OBR";
  obr[1] = "1";
  obr[2] = number;
  obr[3] = filler;
  obr[4] = procedure === "" ? "" : `P1^${procedure}^LOCAL`;
  obr[18] = accession;
  obr[24] = modality;
  obr[36] = planned;
  return [
    `MSH|^~\\&|RIS|HOSP|SULCUS|MR|${at}||ORM^O01|${control}|P|2.5`,
    `PID|1||${id}||${name}||${birth}|${sex}`,
    ...referrer === undefined ? [] : [`PV1|1|O||||||77^${referrer}`],
    `ORC|${code}|${number}|${filler}`,
    obr.join("|"),
  ].join("\r") + "\r";
}
