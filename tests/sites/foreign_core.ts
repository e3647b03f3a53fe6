// A core of another vendor, written only from the documents' lists of calls (D1 §7, D2 §7): plain
// status codes, no problem details, and no undocumented calls.
import { randomUUID } from "node:crypto";

interface ForeignUser {
  user_id: number;
  email: string;
  password: string;
}
interface ForeignSocket {
  token: string;
  user: ForeignUser;
  socket: WebSocket;
}

interface ForeignCore {
  url: string;
  /** method and path of all calls, in order */
  calls: string[];
  /** tokens with which sockets were opened, or that were sent on sockets, in order */
  socketTokens: string[];
  /** sizes of complete uploads, bytes, and whether an upload was cut off */
  uploads: { sizes: number[]; hasBroken: boolean };
  /** response to the undocumented call that the viewer needs; `null`: the call does not exist */
  volume: unknown;
  /** sends an event to the sockets of one user, or to all */
  tell(event: Record<string, unknown>, userId?: number): void;
  /** invalidates access tokens; refresh tokens stay valid */
  endAccessTokens(): void;
  openSockets(): number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Image of every study: larger than the network buffers between two processes. */
export const FOREIGN_IMAGE = Uint8Array.from(
  { length: 3_000_000 },
  (_, i) => (i * 7 + (i >> 8)) & 255,
);

const plain = (status: number) => new Response(status === 204 ? null : "no", { status });

/** Serves the core on a port of this machine. */
export function serveForeignCore(users: readonly ForeignUser[], port = 0): ForeignCore {
  const access = new Map<string, ForeignUser>(), refresh = new Map<string, ForeignUser>();
  const sockets = new Set<ForeignSocket>();
  const calls: string[] = [], socketTokens: string[] = [];
  const uploads = { sizes: [] as number[], hasBroken: false };
  const patients = [1, 2, 3].map((pid) => ({
    pid,
    patient_id: `F-${pid}`,
    patient_name: `FOREIGN^${pid}`,
    patient_age: 60,
    patient_birthdate: "1960-01-02",
    patient_sex: "female",
    study_date: "2026-01-02",
    label_list: [],
    is_t1_uploaded: true,
    is_t2_uploaded: false,
    t1_analysis_date: "2026-01-03T00:00:00Z",
    t1_analysis_status: "completed",
    t2_analysis_date: null,
    t2_analysis_status: null,
  }));
  /** Record with the files of an analysed series, and without fields of a missing series (D2 §3) */
  const recordOf = (patient: (typeof patients)[number]) => ({
    ...patient,
    t1w_file: `/api/v1/patients/image/viewer/${patient.pid}`,
    t1w_mask_file: `/api/v1/patients/image/viewer/${patient.pid}`,
    t1_result: [],
  });
  const give = (user: ForeignUser) => {
    const token = randomUUID();
    access.set(token, user);
    return token;
  };
  const withRefresh = (user: ForeignUser) => {
    const token = randomUUID();
    refresh.set(token, user);
    return { access_token: give(user), refresh_token: token };
  };

  function openSocket(request: Request, token: string): Response {
    const user = access.get(token);
    if (!user) return plain(401);
    const { socket, response } = Deno.upgradeWebSocket(request);
    const entry: ForeignSocket = { token, user, socket };
    socketTokens.push(token);
    // added before the response: the client may see the open socket before the server does
    sockets.add(entry);
    socket.onclose = socket.onerror = () => void sockets.delete(entry);
    socket.onmessage = ({ data }) => {
      const { event, token } = JSON.parse(data);
      if (event === "auth_token_update") socketTokens.push(token);
    };
    return response;
  }

  function image(request: Request): Response {
    const headers = { "content-type": "application/octet-stream", "accept-ranges": "bytes" };
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "");
    if (!range) return new Response(FOREIGN_IMAGE, { headers });
    const [from, to] = [Number(range[1]), Number(range[2])];
    return new Response(FOREIGN_IMAGE.slice(from, to + 1), {
      status: 206,
      headers: { ...headers, "content-range": `bytes ${from}-${to}/${FOREIGN_IMAGE.length}` },
    });
  }

  async function receive(request: Request): Promise<Response> {
    let size = 0;
    try {
      for await (const part of request.body ?? []) size += part.length;
    } catch {
      uploads.hasBroken = true;
      return plain(400);
    }
    uploads.sizes.push(size);
    return Response.json({ total: 1, success: 1, pid_list: [1], failed: [] });
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url), { method } = request;
    calls.push(`${method} ${pathname}`);
    if (pathname === "/api/v1/ws") return openSocket(request, searchParams.get("token") ?? "");
    if (pathname === "/api/v1/auth/login") {
      const { email, password } = await request.json();
      const user = users.find((one) => one.email === email && one.password === password);
      return user ? Response.json(withRefresh(user)) : plain(401);
    }
    const bearer = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    if (pathname === "/api/v1/auth/refresh") {
      const user = refresh.get(bearer);
      return user ? Response.json({ access_token: give(user) }) : plain(401);
    }
    if (pathname === "/api/v1/auth/logout") {
      for (const [token, user] of refresh) if (user === access.get(bearer)) refresh.delete(token);
      access.delete(bearer);
      return plain(200);
    }
    const user = access.get(bearer);
    if (!user) return plain(401);
    if (pathname === "/api/v1/user") {
      return Response.json({ user_id: user.user_id, permission_list: [] });
    }
    if (pathname === "/api/v1/patients" && method === "GET") {
      return Response.json({ patients, total: patients.length, page_idx: 1, page_size: 5 });
    }
    if (pathname === "/api/v1/patients" && method === "POST") return await receive(request);
    if (/^\/api\/v1\/patients\/image\/viewer\/[123]$/.test(pathname)) return image(request);
    const patient = patients.find(({ pid }) => pathname === `/api/v1/patients/${pid}`);
    if (patient) return Response.json(recordOf(patient));
    const isReport = patients.some(({ pid }) => pathname === `/api/v1/patients/${pid}/report`);
    // any form, because the documents show none
    if (isReport) return Response.json({ pages: [] });
    const isVolume = core.volume !== null && pathname.endsWith("/volume");
    return isVolume ? Response.json(core.volume) : plain(404);
  }

  const server = Deno.serve({ port, hostname: "127.0.0.1", onListen() {} }, answer);
  const core: ForeignCore = {
    url: `http://127.0.0.1:${server.addr.port}`,
    calls,
    socketTokens,
    uploads,
    volume: null,
    tell(event, userId) {
      for (const { user, socket } of sockets) {
        if (userId !== undefined && user.user_id !== userId) continue;
        const say = () => socket.send(JSON.stringify(event));
        if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener("open", say);
        else if (socket.readyState === WebSocket.OPEN) say();
      }
    },
    endAccessTokens: () => access.clear(),
    openSockets: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const { socket } of sockets) socket.close();
      await server.shutdown();
    },
  };
  return core;
}
