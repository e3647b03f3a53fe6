// covers: S-120
import assert from "node:assert/strict";
import { openGateWhenFree } from "@/server/gate/gate.ts";
import { OWN } from "@/server/gate/tls_certificates_fixture.ts";
import { until } from "@/tests/sites/until.ts";

const HOST = "127.0.0.1";
const isFree = (port: number) => {
  try {
    Deno.listen({ hostname: HOST, port }).close();
    return true;
  } catch {
    return false;
  }
};
const freePort = () => {
  const listener = Deno.listen({ hostname: HOST, port: 0 });
  listener.close();
  return listener.addr.port;
};

for (const own of [null, OWN]) {
  for (const taken of ["dicom", "hl7"] as const) {
    Deno.test(`a gate waits for its ${taken} port${own ? " with TLS" : ""}, and says once why`, async () => {
      const folder = await Deno.makeTempDir({ prefix: "sulcus-gate-" });
      const other = Deno.listen({ hostname: HOST, port: 0 }), log: string[] = [];
      const dicom = taken === "dicom" ? other.addr.port : freePort();
      const leaving = new AbortController();
      let attempts = 0;
      const opening = openGateWhenFree(
        {
          host: HOST,
          port: dicom,
          hl7: { port: taken === "hl7" ? other.addr.port : 0, isTls: own !== null },
          folder,
          own,
          isAmong: () => true,
          log: (text) => void log.push(text),
        },
        leaving.signal,
        { ms: 5, tried: () => attempts++ },
      );
      await until(() => attempts > 3);
      assert.deepEqual(log, [
        `Cannot listen on ${HOST}:${other.addr.port}: another program uses the port. ` +
        "It is tried again every 0.005 s.",
      ]);
      other.close();
      const gate = await opening;
      assert.equal(gate!.port, dicom);
      assert.deepEqual(log.slice(1), ["The ports are open now."]);
      await gate!.close();
      await until(() => isFree(dicom));
      await Deno.remove(folder, { recursive: true });
    });
  }
}

Deno.test("a gate that is to leave waits no longer, and holds no port", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-gate-" });
  const other = Deno.listen({ hostname: HOST, port: 0 }), dicom = freePort();
  const leaving = new AbortController(), log: string[] = [];
  const opening = openGateWhenFree(
    {
      host: HOST,
      port: dicom,
      hl7: { port: other.addr.port, isTls: false },
      folder,
      own: null,
      isAmong: () => true,
      log: (text) => void log.push(text),
    },
    leaving.signal,
  );
  await until(() => log.length > 0);
  await until(() => isFree(dicom));
  leaving.abort();
  assert.equal(await opening, null);
  other.close();
  await Deno.remove(folder, { recursive: true });
});
