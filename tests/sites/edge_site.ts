// An edge and a core in this process, connected only by network ports, like separate processes.
import { createCore, openData } from "@/server/core/mod.ts";
import { ImageCache } from "@/server/edge/web/image_cache.ts";
import { openRemoteCore } from "@/server/edge/remote/remote_core.ts";
import { createSite } from "@/server/edge/site.ts";
import type { Audience, ServerEvent } from "@/model/schema/site/events.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";

export const KEY = "a-key-that-nobody-guesses-0123456789";
export const PASSWORD = "correct-horse-7";
export const EMAILS = ["first@hospital.test", "second@hospital.test"] as const;

/** Events received by a socket, and how the socket was closed. */
export interface Heard {
  socket: WebSocket;
  events: Record<string, unknown>[];
  opened: Promise<void>;
  closed: Promise<number>;
}

export function openSocket(
  url: string,
  headers: Record<string, string> = {},
  client?: Deno.HttpClient,
): Heard {
  // Deno accepts headers here, which the standard types lack
  const socket = new WebSocket(
    url.replace("http", "ws"),
    { headers, client } as unknown as string[],
  );
  const events: Record<string, unknown>[] = [];
  socket.onmessage = ({ data }) => events.push(JSON.parse(data));
  const opened = new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("refused"));
  });
  opened.catch(() => {});
  return {
    socket,
    events,
    opened,
    closed: new Promise((resolve) => socket.onclose = ({ code }) => resolve(code)),
  };
}

/** An analysis event of a study, as published by a core. */
export const analysis = (pid: number) => ({
  event: "study_analysis" as const,
  pid,
  series: "t1" as const,
  status: "processing" as const,
});

/** Study numbers of events, in order. */
export const pidsOf = (events: readonly Record<string, unknown>[]) => events.map(({ pid }) => pid);

/** Closes a socket and waits until it is closed. */
export async function hangUp({ socket, closed }: Heard): Promise<void> {
  socket.close();
  await closed;
}

/** A site with a core for an edge; `publish` sends an event as the core does. */
export async function serveCore() {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-core-" });
  const db = openData(dataDir);
  await addQuickUser(db, {
    email: EMAILS[0],
    password: PASSWORD,
    name: "Administrator",
    isMaintenance: true,
  });
  await addQuickUser(db, { email: EMAILS[1], password: PASSWORD, name: null });
  await db.destroy();
  const core = await createCore({ dataDir, workers: 0 });
  const listeners = new Set<(event: ServerEvent, audience: Audience) => void>();
  const link = {
    ...core,
    subscribe: (listener: (event: ServerEvent, audience: Audience) => void) => {
      listeners.add(listener);
      return core.subscribe(listener);
    },
  };
  const calls: { path: string; id: string | null }[] = [];
  const open = async (port: number) => {
    const site = await createSite({
      core: link,
      settings: {
        dataDir: null,
        edgeKey: KEY,
        isTrustedProxy: (address) => address === "127.0.0.1",
      },
    });
    const server = Deno.serve({ port, hostname: "127.0.0.1", onListen() {} }, (request, info) => {
      calls.push({
        path: URL.parse(request.url)?.pathname ?? "",
        id: request.headers.get("x-request-id"),
      });
      return site.fetch(request, info);
    });
    return { site, server };
  };
  let running = await open(lastingPort());
  const { port } = running.server.addr;
  /** Stops serving, which looks like the end of the process from outside. */
  const goAway = async () => {
    running.site.close();
    await running.server.shutdown();
    listeners.clear();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    calls,
    publish(event: ServerEvent, audience: Audience = {}) {
      for (const listener of listeners) listener(event, audience);
    },
    goAway,
    comeBack: async () => void (running = await open(port)),
    async [Symbol.asyncDispose]() {
      await goAway();
      await core.close();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}

/** Serves an edge for a core at a URL. */
export async function serveEdge(
  coreUrl: string,
  options: { key?: string | null; cache?: ImageCache } = {},
) {
  const logged: string[] = [];
  const log = (_level: string, message: string) => void logged.push(message);
  const core = openRemoteCore({
    url: coreUrl,
    key: options.key ?? null,
    cache: options.cache,
    log,
  });
  const site = await createSite({ core, settings: { dataDir: null, log } });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => site.fetch(request, info),
  );
  const url = `http://127.0.0.1:${server.addr.port}`, json = { "content-type": "application/json" };
  const login = (email: string, headers: Record<string, string>) =>
    fetch(`${url}/api/v1/auth/login`, {
      method: "POST",
      body: JSON.stringify({ email, password: PASSWORD }),
      headers: { ...json, ...headers },
    });
  return {
    url,
    core,
    logged,
    socketUrl: `${url}/api/v1/ws`,
    /** Signs in like a page. @returns headers for further requests. */
    async signIn(email: string): Promise<{ cookie: string; origin: string }> {
      const answer = await login(email, { origin: url });
      if (answer.status !== 204) throw new Error(`Cannot sign in: ${answer.status}`);
      return { cookie: answer.headers.get("set-cookie")!.split(";")[0]!, origin: url };
    },
    /** Signs in like a program. @returns the access token. */
    async token(email: string): Promise<string> {
      return (await (await login(email, {})).json()).access_token;
    },
    async [Symbol.asyncDispose]() {
      site.close();
      core.close();
      await server.shutdown();
    },
  };
}
