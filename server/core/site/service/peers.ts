import * as z from "zod/mini";
import type { Log } from "@/model/site/log.ts";
import { type Audience, type ServerEvent, serverEvent } from "@/model/schema/site/events.ts";
import { Channel, MAX_MESSAGE_BYTES } from "@/server/core/database/channel.ts";
import type { Database } from "@/server/core/database/database.ts";
import { findUser } from "@/server/core/accounts/storage/users.ts";

const message = z.union([
  z.object({ event: serverEvent, audience: z.object({ uid: z.optional(z.number()) }) }),
  z.object({ wake: z.literal(true) }),
  z.object({ stop: z.number() }),
]);
type Message = z.infer<typeof message>;

/** Functions that messages of other server processes call. */
interface PeerActions {
  deliver(event: ServerEvent, audience: Audience): void;
  wakeJobs(): void;
  stopJob(id: number): void;
}

/**
 * Splits an event into messages below the size limit of the channel between processes.
 * User names are left out: each process reads them from the database.
 */
function splitForChannel(event: ServerEvent): ServerEvent[] {
  // left out, because the receiving process reads the editing user's name from the database
  if (event.event === "study_editing" && event.user !== null) return [{ ...event, user: "" }];
  if (event.event === "study_create" && event.pid_list.length > MAX_PIDS) {
    const { pid_list } = event, parts: ServerEvent[] = [];
    for (let i = 0; i < pid_list.length; i += MAX_PIDS) {
      parts.push({ ...event, pid_list: pid_list.slice(i, i + MAX_PIDS) });
    }
    return parts;
  }
  return [event];
}
const MAX_PIDS = 400;

/** Exchange of events with other server processes that use the same database. */
export class Peers {
  #channel: Channel | null = null;
  /** last of the queued events: they stay in order, although some wait for a user's name */
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly db: Database, private readonly log: Log) {}

  /** Starts to listen for messages; does nothing with SQLite, which no other process uses. */
  async open(actions: PeerActions): Promise<void> {
    this.#channel = await Channel.open(this.db, {
      message: (text) => {
        this.#last = this.#last.then(() => this.#hear(text, actions)).catch((error) =>
          this.log("warn", "Cannot take in a message of another process", { error: String(error) })
        );
      },
      missed: () => {
        actions.wakeJobs();
        actions.deliver({ event: "resync" }, {});
      },
    }, this.log);
  }

  broadcast = (event: ServerEvent, audience: Audience = {}): void => {
    for (const part of splitForChannel(event)) this.#send({ event: part, audience });
  };

  wakeJobs(): void {
    this.#send({ wake: true });
  }

  stopJob(id: number): void {
    this.#send({ stop: id });
  }

  async close(): Promise<void> {
    await this.#channel?.close();
    await this.#last;
  }

  #send(sent: Message): void {
    if (!this.#channel) return;
    const text = JSON.stringify(sent);
    if (new TextEncoder().encode(text).length <= MAX_MESSAGE_BYTES) this.#channel.send(text);
    else this.log("error", "Cannot tell the other processes: too long", { bytes: text.length });
  }

  async #hear(text: string, actions: PeerActions): Promise<void> {
    const { success, data } = z.safeParse(message, JSON.parse(text));
    // ignored: the sending process runs another version of the program
    if (!success) return;
    if ("wake" in data) return actions.wakeJobs();
    if ("stop" in data) return actions.stopJob(data.stop);
    const { event, audience } = data;
    if (event.event === "study_editing" && event.user !== null) {
      const user = await findUser(this.db, event.uid);
      return actions.deliver({ ...event, user: user?.name ?? user?.email ?? "" }, audience);
    }
    actions.deliver(event, audience);
  }
}
