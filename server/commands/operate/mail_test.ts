import assert from "node:assert/strict";
import { sendMail } from "@/server/commands/operate/mail.ts";

/** A server that takes one letter, or refuses whom it is for. @returns its port and what it was told. */
function smtpServer(refusesRecipient = false) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const heard = (async () => {
    using connection = await listener.accept();
    const decoder = new TextDecoder(), buffer = new Uint8Array(1024);
    const say = (line: string) => connection.write(new TextEncoder().encode(line + "\r\n"));
    let text = "", isLetter = false;
    await say("220 mail.test");
    for (;;) {
      const size = await connection.read(buffer).catch(() => null);
      if (size === null) return text;
      text += decoder.decode(buffer.subarray(0, size));
      const last = text.trimEnd().split("\r\n").at(-1)!;
      if (isLetter) {
        if (last !== ".") continue;
        isLetter = false;
        await say("250 taken");
      } else if (last === "DATA") {
        isLetter = true;
        await say("354 go on");
      } else if (last.startsWith("EHLO")) await say("250-mail.test\r\n250 SIZE 1000");
      else if (last.startsWith("RCPT") && refusesRecipient) await say("550 nobody of that name");
      else if (last === "QUIT") return text;
      else await say("250 ok");
    }
  })();
  return { port: listener.addr.port, heard, close: () => listener.close() };
}

const LETTER = {
  to: "night@hospital.test",
  from: "sulcus@hospital.test",
  subject: "디스크\r\nBcc: x@y",
  text: "one\n.\n..two",
};

Deno.test("sendMail() speaks SMTP; no line of a text ends the letter, and no subject adds a header", async () => {
  const server = smtpServer();
  await sendMail({ host: "127.0.0.1", port: server.port }, LETTER);
  const said = await server.heard;
  server.close();
  assert.match(
    said,
    /^EHLO localhost\r\nMAIL FROM:<sulcus@hospital\.test>\r\nRCPT TO:<night@hospital\.test>\r\nDATA\r\n/,
  );
  assert.match(said, /\r\n\r\none\r\n\.\.\r\n\.\.\.two\r\n\.\r\n/);
  assert.doesNotMatch(said, /^Bcc:/m);
  const [, subject = ""] = /^Subject: =\?utf-8\?B\?(.+)\?=\r$/m.exec(said) ?? [];
  assert.equal(new TextDecoder().decode(Uint8Array.fromBase64(subject)), "디스크  Bcc: x@y");
});

Deno.test("sendMail() says what the server said when it refuses, or that it is not there", async () => {
  const server = smtpServer(true);
  await assert.rejects(
    sendMail({ host: "127.0.0.1", port: server.port }, LETTER),
    /550 nobody of that name/,
  );
  await server.heard;
  server.close();
  await assert.rejects(sendMail({ host: "127.0.0.1", port: server.port }, LETTER), /refused/i);
});
