import assert from "node:assert/strict";
import { askLine, connectTo } from "@/server/wire/line_socket.ts";

Deno.test("a process that ends while another connects to it is absent or dead, and no error", async () => {
  const folder = await Deno.makeTempDir(), path = `${folder}/socket`;
  let isOver = false;
  // a process that is killed and started again all the time, with connections that it never accepted
  const dying = (async () => {
    while (!isOver) {
      const listener = Deno.listen({ transport: "unix", path });
      await new Promise((resolve) => setTimeout(resolve, 1));
      listener.close();
      await Deno.remove(path).catch(() => {});
    }
  })();
  try {
    for (let n = 0; n < 300; n++) {
      const answers = Array.from({ length: 8 }, async () => {
        const connection = await connectTo(path, 50);
        if (connection === null) return null;
        try {
          return await askLine(connection, { n });
        } finally {
          connection.close();
        }
      });
      assert.deepEqual(new Set(await Promise.all(answers)), new Set([null]));
    }
  } finally {
    isOver = true;
    await dying;
    await Deno.remove(folder, { recursive: true });
  }
});
