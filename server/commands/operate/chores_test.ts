// covers: S-128
import assert from "node:assert/strict";
import { readEnvironment } from "@/server/commands/start/environment.ts";
import { untilMinuteMs } from "@/server/commands/operate/backup_times.ts";
import { startChores, watchFlags } from "@/server/commands/operate/chores.ts";
import { createCore } from "@/server/core/mod.ts";

const TODAY = "2026-11-23";

function environmentOf(variables: Record<string, string>) {
  const result = readEnvironment(variables, 1);
  assert.ok("environment" in result, JSON.stringify(result));
  return result.environment;
}

Deno.test("untilMinuteMs() is the way to the next such time, today or tomorrow", () => {
  const at = (text: string) => new Date(`${TODAY}T${text}`);
  assert.equal(untilMinuteMs(150, at("01:30:00")), 60 * 60_000);
  assert.equal(untilMinuteMs(150, at("02:30:00")), 24 * 60 * 60_000);
  assert.equal(untilMinuteMs(0, at("23:59:59")), 1000);
});

Deno.test("a watch may call the site and whom it tells, and sees no variable", () => {
  const { operating } = environmentOf({
    SULCUS_ALARM_URL: "https://alarms.hospital.example/hook",
    SULCUS_ALARM_MAIL: "night@hospital.example",
    SULCUS_SMTP: "smtp://mail.hospital.example:2525",
  });
  assert.deepEqual(watchFlags("https://127.0.0.1:8443", operating), [
    "--allow-net=127.0.0.1:8443,alarms.hospital.example:443,mail.hospital.example:2525",
    "--ignore-env",
    "--unsafely-ignore-certificate-errors=127.0.0.1",
  ]);
});

Deno.test("readEnvironment() names each setting of the chores that it cannot use, and no secret", () => {
  const result = readEnvironment({
    SULCUS_METRICS_TOKEN: "short-secret",
    SULCUS_BACKUP_AT: "25:00",
    SULCUS_ALARM_URL: "ftp://x",
    SULCUS_OTLP_URL: "collector:4318",
    SULCUS_ALARM_MAIL: "a@b,c@d",
    SULCUS_ALARM_REFUSALS: "many",
    SULCUS_SMTP: "smtp://user:secret@mail",
    SULCUS_SECURITY_CONTACT: "me",
  }, 1);
  assert.ok("problems" in result);
  for (
    const name of [
      "METRICS_TOKEN",
      "BACKUP_AT",
      "ALARM_URL",
      "OTLP_URL",
      "ALARM_MAIL",
      "ALARM_REFUSALS",
      "SMTP",
      "SECURITY_CONTACT",
    ]
  ) {
    assert.ok(result.problems.some((line) => line.startsWith(`SULCUS_${name} `)), name);
  }
  assert.ok(!result.problems.some((line) => line.includes("secret")));
});

Deno.test("startChores() backs the site up when it is time, looks at the backup, and tells when it fails", async () => {
  const folder = await Deno.makeTempDir(), dataDir = `${folder}/site`;
  const told = Promise.withResolvers<{ site: string; alarm: string; state: string }>();
  const receiver = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      told.resolve(await request.json());
      return new Response();
    },
  );
  try {
    await (await createCore({ dataDir, workers: 0 })).close();
    const variables = {
      SULCUS_DATA_DIR: dataDir,
      SULCUS_BACKUP_DIR: `${folder}/backup`,
      SULCUS_PORT: "1",
      SULCUS_ALARM_URL: `http://127.0.0.1:${receiver.addr.port}/`,
    };
    const start = (args: readonly string[]) =>
      new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-check", "--no-prompt", ...args],
        env: variables,
        stdin: "piped",
        stdout: "null",
        stderr: "null",
      }).spawn();
    const nextTimes = [1], environment = environmentOf(variables);
    // the second time is a day away
    const again = Promise.withResolvers<void>();
    const until = () => {
      const next = nextTimes.shift();
      if (next === undefined) again.resolve();
      return next ?? 24 * 60 * 60_000;
    };
    const chores = startChores(environment, start, until);
    await again.promise;
    assert.ok((await Deno.stat(`${folder}/backup/backup.json`)).isFile);
    await chores.end();
    // no site is there any more: the next one fails, and somebody hears of it
    await Deno.remove(dataDir, { recursive: true });
    nextTimes.push(1);
    const failing = startChores(environment, start, until);
    const { site, alarm, state } = await told.promise;
    assert.deepEqual([site, alarm, state], [`http://${Deno.hostname()}:1`, "backup", "firing"]);
    await failing.end();
  } finally {
    await receiver.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});
