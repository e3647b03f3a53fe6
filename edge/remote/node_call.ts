// Calls of a core by node:http, which hands bodies on as they were stored, both ways.
import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import { request as plainRequest } from "node:http";
import { type Agent as TlsAgent, request as tlsRequest } from "node:https";
import {
  ConnectionClosed,
  CoreUnreachable,
  requestHeaders,
  responseHeaders,
} from "@/edge/remote/core_call.ts";

const NO_BODY = new Set([101, 204, 205, 304]);

/** The headers of an answer; of repeated ones all. */
function* pairsOf({ rawHeaders }: IncomingMessage): Generator<[string, string]> {
  for (let i = 0; i < rawHeaders.length; i += 2) yield [rawHeaders[i]!, rawHeaders[i + 1]!];
}

/**
 * Writes a body as fast as the core takes it. Gives the source up when the call ends before it does. Nothing waits for
 * two promises at once: `Promise.race` with one that lasts as long as the call would keep every part until then.
 */
async function writeBody(request: ClientRequest, body: ReadableStream<Uint8Array>, ended: Promise<unknown>) {
  const reader = body.getReader();
  let isOver = false, goOn = () => {};
  void ended.then(() => {
    isOver = true;
    goOn();
    // what is being read ends with it
    return reader.cancel();
  }).catch(() => {});
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isOver) return;
      if (done) return void request.end();
      if (request.write(value)) continue;
      await new Promise<void>((resolve) => {
        goOn = resolve;
        request.once("drain", resolve);
      });
    }
  } catch (error) {
    // the sender is gone: half a body must not look like a whole one
    request.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Parts of an answer that wait for a reader at most. */
const PARTS_AHEAD = 4;

/**
 * The body of an answer; giving it up ends the call at the core, and one that breaks off is an error. By hand:
 * `Readable.toWeb` takes twice the time for a small one.
 */
function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  let isOver = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (error?: unknown) => {
        if (isOver) return;
        isOver = true;
        if (error === undefined) controller.close();
        else controller.error(error);
      };
      message.on("data", (part: Uint8Array) => {
        if (isOver) return;
        controller.enqueue(part);
        if ((controller.desiredSize ?? 0) <= 0) message.pause();
      });
      message.on("end", () => end());
      message.on("error", end);
      message.on("close", () => isOver || end(new CoreUnreachable("The answer broke off")));
    },
    pull: () => void message.resume(),
    cancel() {
      isOver = true;
      message.destroy();
    },
  }, { highWaterMark: PARTS_AHEAD });
}

export interface NodeCall {
  address: URL;
  /** certificates (PEM) that the core's may be signed with */
  ca: string[] | undefined;
  /** kept connections; `false`: one of its own, so that nothing is written to one that may be closed already */
  agent: Agent | TlsAgent | false;
  /** Begins to look whether the core is there; what it returns is called when it has answered, or nobody waits. */
  watch: (request: Request, fail: (why: Error) => void) => () => void;
}

/**
 * Sends a request; both bodies are streamed and left as they are.
 * @throws {CoreUnreachable} when the core is away; {ConnectionClosed} when a kept one turned out to be closed; an abort as it is.
 */
export function callByNode(request: Request, { address, ca, agent, watch }: NodeCall): Promise<Response> {
  const { signal, body, method } = request, isFresh = agent === false;
  if (signal.aborted) return Promise.reject(signal.reason);
  const headers = requestHeaders(request.headers);
  headers["accept-encoding"] ??= "identity";
  if (body === null && method !== "GET" && method !== "HEAD") headers["content-length"] = "0";
  const send = address.protocol === "https:" ? tlsRequest : plainRequest;
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const call = send(address, { method, headers, ca, agent });
  let isAnswered = false;
  // an error event does not come for every end: whoever ends the call says why
  const fail = (why: Error) => {
    noLongerWaiting();
    signal.removeEventListener("abort", abort);
    reject(why);
    end();
    call.destroy();
  };
  const noLongerWaiting = watch(request, fail);
  const abort = () => fail(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
  signal.addEventListener("abort", abort, { once: true });
  call.on("error", (cause) => {
    const isClosed = !isFresh &&
      /ECONNRESET|EPIPE|socket hang up/.test(`${(cause as { code?: string }).code} ${cause}`);
    fail(
      isClosed
        ? new ConnectionClosed("Connection closed", { cause })
        : new CoreUnreachable("No answer", { cause }),
    );
  });
  call.on("close", () => {
    if (!isAnswered) {
      fail(isFresh ? new CoreUnreachable("Connection closed") : new ConnectionClosed("Connection closed"));
    }
  });
  call.on("response", (message) => {
    isAnswered = true;
    noLongerWaiting();
    message.once("close", () => {
      signal.removeEventListener("abort", abort);
      end();
    });
    const status = message.statusCode ?? 502, hasBody = method !== "HEAD" && !NO_BODY.has(status);
    if (!hasBody) message.resume();
    const headers = responseHeaders(pairsOf(message));
    resolve(new Response(hasBody ? bodyOf(message) : null, { status, headers }));
  });
  if (body === null) call.end();
  else void writeBody(call, body, ended);
  return promise;
}
