// covers: S-120
// The gate against DCMTK's programs, as they are.
import assert from "node:assert/strict";
import { type GateSettings, INBOX } from "@/server/gate/link/tasks.ts";
import { openGate } from "@/server/gate/gate.ts";
import { headBytesOf } from "@/server/gate/receive/part10.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

/** DCMTK's programs wait 40 ms for each answer without it. */
const ENVIRONMENT = { TCP_NODELAY: "1" };

/** Runs a program. @returns its code, `null` when it is not there. */
async function run(program: string, args: string[]): Promise<number | null> {
  try {
    const { code } = await new Deno.Command(program, {
      args,
      env: ENVIRONMENT,
      stdout: "null",
      stderr: "null",
    })
      .output();
    return code;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

const isMissing = await run("storescu", ["--version"]) === null;

Deno.test({
  name:
    "storescu's files lie in the inbox with the same data sets, in every transfer syntax that it can send",
  ignore: isMissing,
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "sulcus-dcmtk-" });
    const settings: GateSettings = {
      aeTitle: "SULCUS",
      senders: [{ aeTitle: "STORESCU", addresses: [] }],
      isAccepting: true,
      maxAssociations: 8,
    };
    await Deno.writeTextFile(`${folder}/${INBOX.settings}`, JSON.stringify(settings));
    const options = {
      host: "127.0.0.1",
      port: 0,
      folder,
      own: null,
      isAmong: () => true,
      isAllowed: () => true,
      log: () => {},
    };
    const gate = await openGate(options), to = ["127.0.0.1", String(gate.port)];
    try {
      assert.equal(await run("echoscu", ["-aet", "STORESCU", "-aec", "SULCUS", ...to]), 0);
      assert.notEqual(await run("echoscu", ["-aet", "OTHER", "-aec", "SULCUS", ...to]), 0);
      const whole = phantomSeries("short", "P-1"), sent = `${folder}/to_send`;
      await Deno.mkdir(sent);
      const [first] = whole;
      for (const { fileName, bytes } of whole.slice(0, 20)) {
        await Deno.writeFile(`${sent}/${fileName.replaceAll("/", "_")}`, bytes);
      }
      assert.equal(await run("storescu", ["-aec", "SULCUS", "+sd", "-R", "-xe", ...to, sent]), 0);
      const received = [...Deno.readDirSync(`${folder}/${INBOX.received}`)].map(({ name }) => name);
      assert.equal(received.length, 20);
      const dataSet = (bytes: Uint8Array) => bytes.subarray(headBytesOf(bytes)!);
      const there = received.map((name) =>
        dataSet(Deno.readFileSync(`${folder}/${INBOX.received}/${name}`))
      );
      assert.ok(there.some((bytes) => Buffer.compare(bytes, dataSet(first!.bytes)) === 0));
      // each changed by DCMTK into another syntax; the same instance, so each into an empty inbox
      const file = `${folder}/changed.dcm`,
        source = `${sent}/${first!.fileName.replaceAll("/", "_")}`;
      const changes: [string, string[], string][] = [
        ["dcmconv", ["+ti"], "-xi"],
        ["dcmconv", ["+tb"], "-xb"],
        ["dcmconv", ["+td"], "-xd"],
        ["dcmcrle", [], "-xr"],
        ["dcmcjpls", [], "-xt"],
        ["dcmcjpeg", [], "-xs"],
      ];
      for (const [program, args, syntax] of changes) {
        for (const name of received) {
          await Deno.remove(`${folder}/${INBOX.received}/${name}`).catch(() => {});
        }
        assert.equal(await run(program, [...args, source, file]), 0, program);
        assert.equal(
          await run("storescu", ["-aec", "SULCUS", "-R", syntax, ...to, file]),
          0,
          syntax,
        );
        const [stored] = [...Deno.readDirSync(`${folder}/${INBOX.received}`)];
        const bytes = await Deno.readFile(`${folder}/${INBOX.received}/${stored!.name}`);
        assert.deepEqual(dataSet(bytes), dataSet(await Deno.readFile(file)), syntax);
      }
    } finally {
      await gate.close();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
