// For a core that implements only the documents D1 and D2:
// adds the fields that pages need and the documents lack.

/** Fields of a row that the documents lack; `1`: the patient's number of studies is unknown. */
const ROW = { history_count: 1 };
/** Fields of a study's results that the documents omit when there is no result. */
const RECORD = {
  ...ROW,
  t1w_file: null,
  t1_result: null,
  t1w_mask_file: null,
  t1_thick_result: null,
  thick_mask_file: null,
  t1w_np_mask_file: null,
  t2w_file: null,
  t2w_mask_file: null,
  wm: null,
  wmh: null,
  deep_wmh: null,
  peri_wmh: null,
  surface_files: null,
  icv: null,
  norm_reason: null,
  aggregates: null,
  wmh_detail: null,
  t1_quality: null,
  t2_quality: null,
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const filled = (value: unknown, fields: object): unknown =>
  isObject(value) ? { ...fields, ...value } : value;
/** Response with a list of rows in the field `name`. */
const listed = (name: string) => (value: unknown): unknown =>
  isObject(value) && Array.isArray(value[name])
    ? { ...value, [name]: value[name].map((row: unknown) => filled(row, ROW)) }
    : value;

const CALLS: readonly [path: RegExp, fill: (value: unknown) => unknown][] = [
  [/^\/api\/v1\/patients$/, listed("patients")],
  [/^\/api\/v1\/patients\/\d+\/history$/, listed("history")],
  [/^\/api\/v1\/patients\/\d+$/, (value) => filled(value, RECORD)],
];

/**
 * Selects the function that completes the response to a call; `null`: it is passed on unchanged.
 */
const fillOf = ({ method, url }: Request) =>
  method === "GET" ? CALLS.find(([path]) => path.test(new URL(url).pathname))?.[1] ?? null : null;

/**
 * Sends a call to a core that implements only D1 and D2. Lists of studies and records get
 * additional fields. All other responses, and bodies other than JSON, are passed on unchanged.
 */
export async function fillResponse(
  request: Request,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  const fill = fillOf(request);
  if (fill === null) return await send(request);
  const readable = new Request(request);
  readable.headers.set("accept-encoding", "identity");
  const answer = await send(readable);
  if (!answer.ok || answer.headers.has("content-encoding")) return answer;
  const headers = new Headers(answer.headers), text = await answer.text();
  for (const name of ["content-length", "etag"]) headers.delete(name);
  return new Response(completed(text, fill), { status: answer.status, headers });
}

function completed(text: string, fill: (value: unknown) => unknown): string {
  try {
    return JSON.stringify(fill(JSON.parse(text)));
  } catch {
    return text;
  }
}
