// A subscription in a process of its own, with the rights and certificates that a test gives it; prints its state.
import { HubConnection } from "@/server/core/studies/service/context/hub_connection.ts";

const [url = "", token = ""] = Deno.args, topic = "session-of-the-test";
const connection: HubConnection = new HubConnection({
  settings: { url, topic, token, hosts: [] },
  topic,
  log: (_level, _message, fields) => console.log(JSON.stringify(fields)),
  onMessage: () => {},
  onState: () => {
    console.log(connection.state);
    if (connection.state !== "connecting") void connection.close().then(() => Deno.exit(0));
  },
});
