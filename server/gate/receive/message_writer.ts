import { INBOX, type MessageNote } from "@/server/gate/link/tasks.ts";
import { FolderSync } from "@/server/gate/receive/inbox_writer.ts";

/**
 * Maximum number of stored HL7 messages that the server process has not fetched yet.
 * With more, messages are refused, so that senders keep them.
 */
export const MAX_QUEUED = 5000;
const NAME = /^\d{12}\.hl7$/;

/** Stores HL7 messages on disk before acknowledging; the order of file names is that of arrival. */
export class MessageWriter {
  #next = 0;
  #queued = 0;
  #counts = 0;
  readonly #sync: FolderSync;
  readonly #folder: string;

  /** @param inbox Path of the inbox folder. */
  constructor(private readonly inbox: string) {
    this.#folder = `${inbox}/${INBOX.messages}`;
    this.#sync = new FolderSync(this.#folder);
  }

  /** Number of HL7 messages that the server has not fetched, as of the last {@link count}. */
  get queued(): number {
    return this.#queued;
  }

  async open(): Promise<void> {
    await Deno.mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.count();
  }

  /** Counts the HL7 messages on disk; the next message gets a number after the last of them. */
  async count(): Promise<void> {
    const turn = ++this.#counts;
    let queued = 0;
    for await (const { name } of Deno.readDir(this.#folder)) {
      if (!NAME.test(name)) continue;
      queued++;
      this.#next = Math.max(this.#next, Number(name.slice(0, 12)) + 1);
    }
    // a count that began earlier may include files that have been removed since
    if (turn === this.#counts) this.#queued = queued;
  }

  /**
   * @returns true once the message is durable on disk; false if too many messages wait.
   * @throws on a write error, after deleting the partial file.
   */
  async store(note: MessageNote, message: Uint8Array): Promise<boolean> {
    if (this.#queued >= MAX_QUEUED) return false;
    this.#queued++;
    // the name is assigned before the first await, so that messages of all connections are in order
    const name = `${String(this.#next++).padStart(12, "0")}.hl7`;
    const path = `${this.inbox}/${INBOX.partial}/${name}`;
    try {
      {
        using file = await Deno.open(path, {
          write: true,
          create: true,
          truncate: true,
          mode: 0o600,
        });
        const head = new TextEncoder().encode(JSON.stringify(note) + "\n");
        const bytes = new Uint8Array(head.length + message.length);
        bytes.set(head);
        bytes.set(message, head.length);
        for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
        await file.syncData();
      }
      Deno.renameSync(path, `${this.#folder}/${name}`);
      await this.#sync.sync();
      return true;
    } catch (error) {
      this.#queued--;
      await Deno.remove(path).catch(() => {});
      throw error;
    }
  }

  close(): void {
    this.#sync.close();
  }
}
