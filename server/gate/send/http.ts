/** HTTP calls for DICOMweb, FHIR and webhooks, and files sent by STOW-RS. */
import { request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { GateAnswer, GateTask, SentFile } from "@/server/gate/link/tasks.ts";
import { readMultipart } from "@/server/wire/multipart.ts";
import { DEFLATED, isUid } from "@/server/gate/dimse/uids.ts";
import type { InboxWriter } from "@/server/gate/receive/inbox_writer.ts";
import { readMeta } from "@/server/gate/receive/part10.ts";
import type { OwnCertificates } from "@/server/gate/send/requestor.ts";

const ANSWER_MS = 600_000;
/** Maximum size of an HTTP response that is read into memory, bytes. */
const MAX_ANSWER_BYTES = 8 << 20;
/** Maximum number of objects of a retrieved study: functional series have tens of thousands. */
const MAX_OBJECTS = 100_000;

/** Body of a STOW-RS request (PS3.18 §10.5): files as parts, one after another. */
async function* stowBody(files: readonly SentFile[], boundary: string): AsyncGenerator<Uint8Array> {
  const text = new TextEncoder();
  for (const { path, deflatedPath } of files) {
    const type = deflatedPath
      ? `application/dicom; transfer-syntax=${DEFLATED}`
      : "application/dicom";
    yield text.encode(`--${boundary}\r\nContent-Type: ${type}\r\n\r\n`);
    using file = await Deno.open(deflatedPath ?? path);
    for (;;) {
      const piece = new Uint8Array(131_072), count = await file.read(piece);
      if (count === null) break;
      yield piece.subarray(0, count);
    }
    yield text.encode("\r\n");
  }
  yield text.encode(`--${boundary}--\r\n`);
}

async function textOfAnswer(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new TypeError("Cannot read the answer: it is too long");
    parts.push(chunk);
  }
  return await new Blob(parts as BlobPart[]).text();
}

/** Stores the parts of a WADO-RS response, each a DICOM instance, in the inbox folder. */
async function intoInbox(
  response: Response,
  sender: string,
  inbox: InboxWriter,
): Promise<GateAnswer> {
  let completed = 0, failed = 0;
  const contentType = response.headers.get("content-type") ?? "";
  for await (const part of readMultipart(response.body!, contentType, MAX_OBJECTS)) {
    const { meta, dataSet } = await readMeta(part.body);
    if (!meta || !isUid(meta.sopInstanceUid)) {
      failed++;
      for await (const _ of dataSet);
      continue;
    }
    const { state } = await inbox.store({ ...meta, sender: sender.slice(0, 16) }, dataSet);
    if (state === "stored" || state === "known") completed++;
    else failed++;
  }
  return { status: response.status, body: "", completed, failed };
}

/** HTTP status codes of responses without a body (RFC 9110 15). */
const WITHOUT_BODY = [204, 205, 304];

interface PlainCall {
  method: string;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array> | string | undefined;
  signal: AbortSignal;
}

/**
 * An HTTP call without TLS to an IP address, with the host name in the header Host.
 * `fetch` would resolve the host name again.
 */
function callAddress(url: URL, address: string, call: PlainCall): Promise<Response> {
  const { method, headers, body, signal } = call, { host, port, pathname, search } = url;
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const options = {
    host: address,
    port: port || 80,
    path: pathname + search,
    method,
    signal,
    agent: false,
  };
  const sending = request({ ...options, headers: { ...headers, host } }, (answer) => {
    const status = answer.statusCode ?? 0, fields = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) fields.set(name, String(value));
    const content = WITHOUT_BODY.includes(status)
      ? null
      : Readable.toWeb(answer) as unknown as ReadableStream<Uint8Array>;
    try {
      resolve(new Response(content, { status, headers: fields }));
    } catch (error) {
      answer.destroy();
      reject(error);
    }
  });
  sending.on("error", reject);
  if (typeof body === "object") pipeline(Readable.from(body), sending).catch(reject);
  else sending.end(body);
  return promise;
}

/** Makes one HTTP call. Redirects are not followed, because they would forward the credentials. */
export async function http(
  { method, url, headers, body, intoInboxAs, address }: GateTask & { kind: "http" },
  own: OwnCertificates | null,
  inbox: InboxWriter,
  signal?: AbortSignal,
): Promise<GateAnswer> {
  const boundary = `sulcus${crypto.randomUUID()}`,
    files = typeof body === "object" ? body.files : null;
  const client = own && url.startsWith("https:")
    ? Deno.createHttpClient({ caCerts: [own.ca], cert: own.cert, key: own.key })
    : undefined;
  const timeout = AbortSignal.timeout(ANSWER_MS);
  try {
    const fields = files
      ? {
        ...headers,
        "content-type": `multipart/related; type="application/dicom"; boundary=${boundary}`,
      }
      : headers;
    const content = files ? stowBody(files, boundary) : typeof body === "string" ? body : undefined;
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const response = address === undefined
      ? await fetch(url, {
        method,
        headers: fields,
        body: typeof content === "object" ? ReadableStream.from(content) : content,
        redirect: "manual",
        signal: either,
        ...(client ? { client } : {}),
      })
      : await callAddress(new URL(url), address, {
        method,
        headers: fields,
        body: content,
        signal: either,
      });
    if (intoInboxAs !== undefined && response.ok && response.body) {
      return await intoInbox(response, intoInboxAs, inbox);
    }
    return { status: response.status, body: await textOfAnswer(response) };
  } finally {
    client?.close();
  }
}
