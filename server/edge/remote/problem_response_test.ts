import assert from "node:assert/strict";
import { toProblem } from "@/server/edge/remote/problem_response.ts";

Deno.test("toProblem() tells too many sign-ins from too many calls, and keeps the time to wait", async () => {
  const asked = async (method: string, path: string) => {
    const plain = new Response("", { status: 429, headers: { "retry-after": "7" } });
    const answer = await toProblem(new Request(`http://core${path}`, { method }), plain);
    return [answer.status, answer.headers.get("retry-after"), (await answer.json()).code];
  };
  assert.deepEqual(await asked("POST", "/api/v1/auth/login"), [429, "7", "auth.too_many_attempts"]);
  assert.deepEqual(await asked("GET", "/api/v1/patients/1/report/pdf"), [
    429,
    "7",
    "call.too_often",
  ]);
});
