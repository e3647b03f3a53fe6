// As much of a core as an edge needs to open sockets: whose a token is, and a socket on which events come.
import { EDGE_CALLS } from "@/server/edge/remote/edge_service.ts";

/** Sends a text to the edge that listens. */
interface TellingCore extends AsyncDisposable {
  url: string;
  tell(pid: number): void;
}

/** Every ticket `ticket.t-N` is that of a user N with a session of their own. */
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
