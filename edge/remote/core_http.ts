import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { connect } from "node:net";
import { rootCertificates } from "node:tls";
import { ConnectionClosed, CoreUnreachable } from "@/edge/remote/core_call.ts";
import { acceptsCompressed, callByFetch, directClient } from "@/edge/remote/native_call.ts";
import { callByNode } from "@/edge/remote/node_call.ts";

/** Time limits of a call, ms. */
export interface CallLimits {
  /** for a connection to the core; with {@link CallLimits.quietMs} it is how soon a core that is away is noticed */
  connectMs: number;
  /** without an answer for so long, a second connection asks whether the core is still there */
  quietMs: number;
  /** for the beginning of an answer to a request without a body; one with a body waits as long as the core is there */
  answerMs: number;
}
const CALL_LIMITS: CallLimits = { connectMs: 900, quietMs: 700, answerMs: 120_000 };

/** An idle connection is given up before most servers and firewalls do it. */
const IDLE_CONNECTION_MS = 4000;
const MAX_CONNECTIONS = 256;
interface Options {
  limits?: CallLimits;
  /** certificates (PEM) that the core's may be signed with, beside those that everybody trusts */
  ca?: string;
  /** a core of ours, which packs files alone, and knows how an edge asks for them packed */
  isOurs?: boolean;
}

/** HTTP to one core, with connections that stay open for the next call. No proxy is asked, whatever the environment says. */
export class CoreHttp {
  /** of calls by `fetch`, and of sockets */
  readonly client: Deno.HttpClient;
  readonly #base: URL;
  readonly #limits: CallLimits;
  readonly #ca: string[] | undefined;
  readonly #isOurs: boolean;
  readonly #agent: Agent | TlsAgent;
  #probe: Promise<boolean> | null = null;

  /** @param address Origin of the core, with a path when the API root is not `/`. */
  constructor(address: string, { limits = CALL_LIMITS, ca, isOurs = false }: Options = {}) {
    this.#base = new URL(address);
    this.#limits = limits;
    this.#ca = ca === undefined ? undefined : [...rootCertificates, ca];
    this.#isOurs = isOurs;
    this.client = directClient(this.#base, ca, IDLE_CONNECTION_MS);
    const options = { keepAlive: true, maxSockets: MAX_CONNECTIONS, timeout: IDLE_CONNECTION_MS };
    this.#agent = this.#base.protocol === "https:"
      ? new TlsAgent({ ...options, ca: this.#ca })
      : new Agent(options);
  }

  /** Address of a call under the core's root. */
  address(path: string): URL {
    return new URL(this.#base.pathname.replace(/\/$/, "") + path, this.#base);
  }

  /**
   * Sends a request. Both bodies are streamed and left as they are; an abort, or giving the answer's body up, ends the
   * call at the core. Reads that meet a connection which the core has closed meanwhile are sent once more.
   *
   * @throws {CoreUnreachable} when the core is away: within 2 s when its machine cannot be reached.
   */
  async fetch(request: Request): Promise<Response> {
    const isRead = request.body === null && (request.method === "GET" || request.method === "HEAD");
    if (!isRead) return await this.#send(request, true);
    if (this.#isNative(request)) {
      const answer = await callByFetch(request, { ...this.#call(request), client: this.client });
      return answer ?? await this.#send(request, true);
    }
    try {
      return await this.#send(request, false);
    } catch (error) {
      if (request.signal.aborted || !(error instanceof ConnectionClosed)) throw error;
      return await this.#send(request, true);
    }
  }

  /** Whether a connection can be made now; asked once for all who wait. */
  isThere(): Promise<boolean> {
    return this.#probe ??= new Promise<boolean>((resolve) => {
      const { hostname, port, protocol } = this.#base;
      const socket = connect({
        host: hostname.replace(/^\[|\]$/g, ""),
        port: Number(port) || (protocol === "https:" ? 443 : 80),
      });
      const end = (isThere: boolean) => {
        clearTimeout(timer);
        socket.destroy();
        resolve(isThere);
      };
      const timer = setTimeout(() => end(false), this.#limits.connectMs);
      socket.once("connect", () => end(true)).once("error", () => end(false));
    }).finally(() => this.#probe = null);
  }

  /** Whether `fetch` hands the answer on as the core sends it: it unpacks what is packed under the names of today. */
  #isNative({ method, headers }: Request): boolean {
    return method === "GET" && (this.#isOurs || !acceptsCompressed(headers));
  }

  /** @param isFresh On a connection of its own. */
  #send(request: Request, isFresh: boolean): Promise<Response> {
    return callByNode(request, {
      ...this.#call(request),
      ca: this.#ca,
      agent: isFresh ? false : this.#agent,
    });
  }

  #call({ url }: Request) {
    const { pathname, search } = new URL(url);
    return { address: this.address(pathname + search), watch: this.#watch };
  }

  /** Fails a call that is not answered when the core is away, or takes too long. */
  readonly #watch = ({ signal, body }: Request, fail: (why: Error) => void): () => void => {
    const { quietMs, answerMs } = this.#limits, started = performance.now();
    let isOver = false;
    const look = async () => {
      const isThere = await this.isThere();
      if (isOver || signal.aborted) return;
      if (!isThere) return fail(new CoreUnreachable("Cannot connect"));
      if (body === null && performance.now() - started > answerMs) {
        return fail(new CoreUnreachable("No answer in time"));
      }
      quiet = setTimeout(look, quietMs);
    };
    let quiet = setTimeout(look, quietMs);
    return () => {
      isOver = true;
      clearTimeout(quiet);
    };
  };

  close(): void {
    this.#agent.destroy();
    this.client.close();
  }
}
