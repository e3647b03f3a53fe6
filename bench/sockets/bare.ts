// Baseline: a server that only keeps Deno's own sockets and forwards each message to all others.
const sockets = new Set<WebSocket>();
const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
  const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout: 30 });
  socket.onopen = () => void sockets.add(socket);
  socket.onclose = () => void sockets.delete(socket);
  socket.onmessage = ({ data }) => {
    for (const each of sockets) if (each !== socket) each.send(data);
  };
  return response;
});
console.log(`Bare sockets on http://127.0.0.1:${server.addr.port}`);
