// A proxy that limits the speed of connections to a server; Chromium's throttling omits workers.

interface Line {
  /** origin by which the browser reaches the server through the proxy */
  origin: string;
  close(): Promise<void>;
}

/**
 * @param bitsPerSecond Limit from the server to the browser, for all connections together.
 * @param delayMs       Delay of each byte, in each direction.
 */
export function slowLine(target: string, bitsPerSecond: number, delayMs: number): Line {
  const { hostname, port } = new URL(target), msPerByte = 8000 / bitsPerSecond;
  let freeAt = 0;
  /** Forwards bytes in order, each piece when it would have arrived. */
  const pass = async (from: Deno.Conn, to: Deno.Conn, isPaced: boolean) => {
    let last = Promise.resolve();
    const buffer = new Uint8Array(4096);
    for (;;) {
      const count = await from.read(buffer);
      if (count === null) break;
      const piece = buffer.slice(0, count), now = performance.now();
      if (isPaced) freeAt = Math.max(freeAt, now) + count * msPerByte;
      const sentAt = isPaced ? freeAt : now;
      last = last.then(async () => {
        const wait = sentAt + delayMs - performance.now();
        if (wait > 0) await new Promise((done) => setTimeout(done, wait));
        for (let at = 0; at < piece.length;) at += await to.write(piece.subarray(at));
      });
      last.catch(() => {});
      // blocks the sender, like a connection with a short queue
      const ahead = sentAt - performance.now();
      if (ahead > 5) await new Promise((done) => setTimeout(done, ahead - 5));
    }
    await last;
    await to.closeWrite();
  };
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const serve = async (near: Deno.Conn) => {
    const far = await Deno.connect({ hostname, port: Number(port) });
    for (const one of [near, far]) open.add(one);
    await Promise.allSettled([pass(far, near, true), pass(near, far, false)]);
    for (const one of [near, far]) {
      open.delete(one);
      one.close();
    }
  };
  const serving = (async () => {
    for await (const near of listener) void serve(near).catch(() => {});
  })();
  return {
    origin: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    async close() {
      listener.close();
      for (const one of open) one.close();
      await serving.catch(() => {});
    },
  };
}
