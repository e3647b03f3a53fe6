// Simulated core with the calls that an edge needs for sockets: token owners, and an event socket.
import { EDGE_CALLS } from "@/server/edge/remote/edge_service.ts";

/** A core that sends events to the connected edge. */
interface TellingCore extends AsyncDisposable {
  url: string;
  tell(pid: number): void;
}

/** Accepts every ticket `ticket.t-N` as that of user N, each with a separate session. */
export function serveTellingCore(): TellingCore {
  const edges = new Set<WebSocket>();
  const beat = setInterval(() => edges.forEach((edge) => edge.send("{}")), 5000);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    switch (new URL(request.url).pathname) {
      case EDGE_CALLS.events: {
        const { socket, response } = Deno.upgradeWebSocket(request);
        socket.onopen = () => void edges.add(socket);
        socket.onclose = () => void edges.delete(socket);
        return response;
      }
      case EDGE_CALLS.tokens: {
        const { token_list } = await request.json();
        const ownerOf = (token: string) => ({
          uid: Number(token.replace(/^ticket\.t-/, "")),
          sid: token,
        });
        return Response.json({ owner_list: token_list.map(ownerOf) });
      }
      case EDGE_CALLS.sessions:
        return Response.json(await request.json());
      default:
        return new Response(null, { status: 404 });
    }
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    tell(pid) {
      const message = JSON.stringify({
        event: { event: "study_update", pid, uid: 0 },
        audience: {},
      });
      for (const edge of edges) edge.send(message);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beat);
      await server.shutdown();
    },
  };
}
