// A hospital information system of the tests: messages of patient administration over MLLP.
import { acknowledgementIn } from "@/tests/sites/connections/hl7_messages.ts";

const START = 0x0b, END = 0x1c, CR = 0x0d;

/** One connection of a sender, which waits for each acknowledgement. */
export class Hl7Sender {
  #rest = new Uint8Array(0);

  private constructor(private readonly connection: Deno.Conn) {}

  static async connect(port: number): Promise<Hl7Sender> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    connection.setNoDelay(true);
    return new Hl7Sender(connection);
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      done += await this.connection.write(bytes.subarray(done));
    }
  }

  /** Next message from the server; `null` if the server has closed the connection. */
  async read(): Promise<string | null> {
    for (;;) {
      const end = this.#rest.indexOf(END);
      if (end >= 0 && this.#rest.length > end + 1) {
        const text = new TextDecoder().decode(this.#rest.subarray(1, end));
        this.#rest = this.#rest.slice(end + 2);
        return text;
      }
      const buffer = new Uint8Array(4096);
      const count = await this.connection.read(buffer).catch(() => null);
      if (count === null) return null;
      const joined = new Uint8Array(this.#rest.length + count);
      joined.set(this.#rest);
      joined.set(buffer.subarray(0, count), this.#rest.length);
      this.#rest = joined;
    }
  }

  /** Sends a message. @returns MSA-1 with the error code of ERR, as `AE 101`; `null`: closed. */
  async send(message: string | Uint8Array): Promise<string | null> {
    const text = typeof message === "string" ? new TextEncoder().encode(message) : message;
    const frame = new Uint8Array(text.length + 3);
    frame[0] = START;
    frame.set(text, 1);
    frame.set([END, CR], text.length + 1);
    await this.write(frame);
    const answer = await this.read();
    return answer === null ? null : acknowledgementIn(answer);
  }

  close(): void {
    try {
      this.connection.close();
    } catch { /* the other side was first */ }
  }
}
