// covers: S-96
import assert from "node:assert/strict";
import { rehearse } from "@/tests/endurance/faults/rehearsal.ts";

const SEED = 37, SECONDS = 20, KILLS = 5;

Deno.test({
  name: "half a minute of broken connections, damaged files and killed processes loses nothing acknowledged",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const said: string[] = [], say = (text: string) => void said.push(text);
    const { problems, acknowledged, kills } = await rehearse({
      seed: SEED,
      seconds: SECONDS,
      kills: KILLS,
      say,
    });
    assert.deepEqual(problems, [], said.join("\n"));
    const killed = Object.values(kills).reduce((sum, count) => sum + count, 0);
    assert.ok(killed > KILLS, JSON.stringify(kills));
    for (const [kind, count] of Object.entries(acknowledged)) assert.ok(count > 0, kind);
  },
});
