// covers: S-100
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { EMAIL, PASSWORD, withCore } from "@/tests/sites/core_site.ts";

/** A request body that stalls after some bytes until it is ended or cancelled. */
function slowBody(bytes: number) {
  const seen = { isOver: false };
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(bytes).fill(0x20));
      end = () => seen.isOver || controller.close();
    },
    cancel: () => void (seen.isOver = true),
  });
  return { body, seen, end: () => end() };
}

Deno.test("slow bodies without a session, from an address or from hundreds, keep nobody from signing in", () =>
  withCore(async ({ core, open, api }) => {
    const answers: Promise<Response>[] = [], bodies: ReturnType<typeof slowBody>[] = [];
    const send = (address: string, bytes: number) => {
      const slow = slowBody(bytes);
      bodies.push(slow);
      answers.push(core.fetch(
        new Request("http://core/api/v1/auth/login", {
          method: "POST",
          headers: { "content-type": "application/json", "x-forwarded-for": address },
          body: slow.body,
        }),
      ));
    };
    for (let n = 0; n < 700; n++) {
      send(n % 2 === 0 ? "192.0.2.1" : `10.0.${n % 256}.1`, [600, 16_000][n % 2]!);
    }
    send("192.0.2.2", 20_000);
    for (let n = 0; n < 5; n++) assert.ok(await login(open, { email: EMAIL, password: PASSWORD }));
    // the limit does not apply to bodies of signed-in users
    const body = JSON.stringify({ note: "x".repeat(100_000) });
    const headers = { authorization: `Bearer ${api.token}`, "content-type": "application/json" };
    const filters = await core.fetch(
      new Request("http://core/api/v1/filters", { method: "POST", body, headers }),
    );
    assert.notEqual((await filters.json()).code, "server.busy");
    assert.equal((await answers.at(-1)!).status, 400);
    // the address with most requests has the maximum number of unfinished bodies of 4 kB each
    const ofOne = bodies.filter((_, n) => n % 2 === 0).filter(({ seen }) => !seen.isOver);
    assert.ok(ofOne.length <= 256, `${ofOne.length} of an address are under way`);
    for (const { end } of bodies) end();
    await Promise.all(answers);
  }));
