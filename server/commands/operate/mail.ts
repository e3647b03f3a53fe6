// Sends mail by SMTP (RFC 5321) to a server that accepts mail from this machine without sign-in.
// The server is the hospital's relay, or a local relay.
const TIMEOUT_MS = 20_000;

/** Joins lines of a message and escapes leading dots, which would end the message. */
const lettersOf = (text: string) =>
  text.split(/\r?\n/).map((line) => line.replace(/^\./, "..")).join("\r\n");
/** Encodes a subject with Korean characters (RFC 2047). */
const headerText = (text: string) =>
  `=?utf-8?B?${new TextEncoder().encode(text.replace(/[\r\n]/g, " ")).toBase64()}?=`;

/**
 * Sends a message. @throws Error with the reply of a server that refuses,
 * or if the server does not respond within 20 s.
 */
export async function sendMail(
  server: { host: string; port: number },
  { to, from, subject, text }: { to: string; from: string; subject: string; text: string },
): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  using connection = await Deno.connect({ hostname: server.host, port: server.port, signal });
  const end = () => connection.close();
  signal.addEventListener("abort", end, { once: true });
  try {
    const decoder = new TextDecoder(), buffer = new Uint8Array(4096);
    let said = "";
    const say = async (line: string) => {
      const bytes = new TextEncoder().encode(line + "\r\n");
      for (let done = 0; done < bytes.length;) done += await connection.write(bytes.subarray(done));
    };
    /** Waits for the last line of a reply, which has a space after the status code. */
    const expect = async (code: string) => {
      while (!/^\d{3} .*\r\n/m.test(said)) {
        const size = await connection.read(buffer);
        if (size === null || said.length > 1 << 16) {
          throw new Error(`Cannot send mail: ${server.host} closed the connection`);
        }
        said += decoder.decode(buffer.subarray(0, size), { stream: true });
      }
      const answer = said.trimEnd();
      said = "";
      if (!answer.split("\r\n").at(-1)!.startsWith(code)) {
        throw new Error(`Cannot send mail: ${answer}`);
      }
    };
    await expect("220");
    const steps = [["EHLO localhost", "250"], [`MAIL FROM:<${from}>`, "250"], [
      `RCPT TO:<${to}>`,
      "250",
    ], [
      "DATA",
      "354",
    ]];
    for (const [line, code] of steps) {
      await say(line!);
      await expect(code!);
    }
    const head = [
      `From: <${from}>`,
      `To: <${to}>`,
      `Subject: ${headerText(subject)}`,
      `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: 8bit",
    ];
    await say(`${head.join("\r\n")}\r\n\r\n${lettersOf(text)}\r\n.`);
    await expect("250");
    await say("QUIT");
  } finally {
    signal.removeEventListener("abort", end);
  }
}
