import assert from "node:assert/strict";
import { readEnvironment } from "@/server/commands/start/environment.ts";
import { NUMBER_SETTINGS } from "@/server/commands/start/number_settings.ts";

// of every setting that is a number, also of new ones
Deno.test("every numeric setting takes both its limits, and a wrong value is refused with them in one line", () => {
  for (const [name, { low, high }] of Object.entries(NUMBER_SETTINGS)) {
    const others: Record<string, string> = name === "SULCUS_DISK_WARN"
      ? { SULCUS_DISK_ERROR: "100" }
      : name === "SULCUS_DISK_ERROR"
      ? { SULCUS_DISK_WARN: "1" }
      : name === "SULCUS_HL7_PORT"
      ? { SULCUS_DICOM_PORT: "0" }
      : {};
    const problemsOf = (value: string) => {
      const result = readEnvironment({ ...others, [name]: value }, 2);
      return "problems" in result ? result.problems : [];
    };
    for (const right of [low, high]) {
      assert.deepEqual(problemsOf(String(right)), [], `${name}=${right}`);
    }
    const odd = [
      "-1",
      "1.5",
      "many",
      "0x1",
      "1e3",
      " 1",
      "9".repeat(400),
      String(low - 1),
      String(high + 1),
    ];
    for (const wrong of odd) {
      const problems = problemsOf(wrong);
      assert.equal(problems.length, 1, `${name}=${wrong}: ${problems}`);
      assert.ok(problems[0]!.startsWith(`${name} must be a whole number from ${low} to ${high}: `));
    }
  }
});
