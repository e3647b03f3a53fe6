// covers: S-101
import assert from "node:assert/strict";
import { connect, createServer, type Socket } from "node:net";
import { Channel } from "@/server/core/database/channel.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import { postgresTest } from "@/tests/sites/databases.ts";
import { until } from "@/tests/sites/until.ts";

/** A connection to PostgreSQL through which bytes stop to flow, as by a firewall that drops it. */
async function firewallTo(url: string) {
  const { searchParams, port } = new URL(url), folder = searchParams.get("host");
  const sockets = new Set<Socket>();
  let passed = new Set<Socket>();
  const server = createServer((near) => {
    const far = folder
      ? connect(`${folder}/.s.PGSQL.${searchParams.get("port") ?? (port || 5432)}`)
      : connect(Number(port), new URL(url).hostname);
    for (const [from, to] of [[near, far], [far, near]] as const) {
      sockets.add(from);
      passed.add(from);
      from.on("data", (bytes) => passed.has(from) && to.write(bytes));
      from.on("error", () => {});
      from.on("close", () => passed.has(from) && to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const through = new URL(url);
  through.searchParams.delete("host");
  through.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  return {
    url: through.href,
    /** Silently drops all open connections, without closing either end. */
    drop: () => void (passed = new Set()),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

postgresTest(
  "Channel hears other processes again after a firewall has dropped its connection silently",
  async (database) => {
    const firewall = await firewallTo(database.url!), direct = await database.open();
    const db = await openPostgres(firewall.url), heard: string[] = [];
    const heardByOther: string[] = [], probe = { everyMs: 300, answerMs: 500 };
    let misses = 0;
    const other = (await Channel.open(
      direct,
      { message: (text) => void heardByOther.push(text), missed: () => {} },
      () => {},
    ))!;
    const channel = (await Channel.open(
      db,
      { message: (text) => void heard.push(text), missed: () => misses++ },
      () => {},
      probe,
    ))!;
    try {
      other.send("before");
      await until(() => heard.includes("before"));
      firewall.drop();
      other.send("meanwhile");
      channel.send("kept");
      await until(() => misses === 1);
      other.send("after");
      await until(() => heard.includes("after"));
      assert.deepEqual(heard, ["before", "after"]);
      // a message is sent again when its answer was lost with the connection
      await until(() => heardByOther.includes("kept"));
    } finally {
      firewall.close();
      await channel.close();
      await other.close();
      await db.destroy();
      await direct.destroy();
    }
  },
);
