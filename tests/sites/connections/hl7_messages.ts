/** MSA-1 of an acknowledgement, with the error code of ERR where there is one. */
export function acknowledgementIn(answer: string): string {
  const segments = answer.split("\r").map((segment) => segment.split("|"));
  const msa = segments.find(([name]) => name === "MSA"),
    err = segments.find(([name]) => name === "ERR");
  return [msa?.[1], err?.[3]?.split("^")[0]].filter(Boolean).join(" ");
}

export interface AdtFields {
  /** as A08 */
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
