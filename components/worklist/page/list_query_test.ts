import assert from "node:assert/strict";
import { DEFAULT_WORKLIST_QUERY } from "@/model/worklist/worklist_query.ts";
import { liveCache } from "@/client/live/live_cache.ts";
import { until } from "@/tests/sites/until.ts";
import { fetchList } from "@/components/worklist/page/list_query.ts";

/** A server that answers each request after `letThrough()`, with the request's number as `total`. */
function slowServer() {
  const waiting: (() => void)[] = [];
  let asked = 0;
  const send = async (): Promise<Response> => {
    const total = ++asked;
    await new Promise<void>((resolve) => waiting.push(resolve));
    return Response.json({ patients: [], total, page_idx: 1, page_size: 5 });
  };
  const letThrough = () => waiting.shift()!();
  return { api: { origin: "http://site", send }, letThrough, asked: () => asked };
}

Deno.test("fetchList() asks again when a study has changed on the server meanwhile", async () => {
  const { api, letThrough, asked } = slowServer(),
    answer = fetchList(api, DEFAULT_WORKLIST_QUERY, "en");
  liveCache.apply({
    event: "study_analysis",
    pid: 1,
    series: "t1",
    status: "processing",
    percent: 7,
  });
  letThrough();
  await until(() => asked() === 2);
  letThrough();
  assert.equal((await answer).total, 2);
});

Deno.test("fetchList() asks once while nothing happens, or nothing that a list shows", async () => {
  const { api, letThrough, asked } = slowServer(),
    answer = fetchList(api, DEFAULT_WORKLIST_QUERY, "en");
  liveCache.apply({ event: "credit_update" });
  letThrough();
  assert.equal((await answer).total, 1);
  assert.equal(asked(), 1);
});
