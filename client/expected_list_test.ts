import assert from "node:assert/strict";
import { listPatients } from "@/client/api/patients.ts";
import { type Begun, ExpectedList } from "@/client/expected_list.ts";
import { DEFAULT_WORKLIST_QUERY, type WorklistQuery } from "@/model/worklist_query.ts";

/** Requests of a server that answers none, as they were sent. */
function askedOf(): { sent: Request[]; begin: (query: WorklistQuery) => Begun } {
  const sent: Request[] = [];
  const send = (request: Request) =>
    new Promise<Response>((_resolve, reject) => {
      sent.push(request);
      request.signal.addEventListener("abort", () => reject(request.signal.reason));
    });
  const begin = (query: WorklistQuery): Begun => {
    const controller = new AbortController();
    return {
      query,
      answer: listPatients({ origin: "http://site", send }, query, controller.signal),
      isShown: () => {},
      abort: () => controller.abort(),
    };
  };
  return { sent, begin };
}
const page = (page_idx: number): WorklistQuery => ({ ...DEFAULT_WORKLIST_QUERY, page_idx });
const areAborted = (sent: readonly Request[]) => sent.map(({ signal }) => signal.aborted);

Deno.test("ExpectedList.drop() aborts the request, and it is asked for again when it is wanted", () => {
  const { sent, begin } = askedOf(), expected = new ExpectedList();
  expected.ask(page(2), begin);
  assert.deepEqual(areAborted(sent), [false]);
  expected.drop();
  assert.deepEqual(areAborted(sent), [true]);
  assert.equal(expected.take(page(2)), null);
  expected.ask(page(2), begin);
  assert.deepEqual(areAborted(sent), [true, false]);
  expected.drop();
});

Deno.test("ExpectedList gives the list that is wanted, once, and aborts another", () => {
  const { sent, begin } = askedOf(), expected = new ExpectedList(), wanted = page(2);
  expected.ask(page(2), begin);
  expected.ask(page(2), begin);
  assert.equal(sent.length, 1);
  const taken = expected.take(wanted);
  assert.equal(taken?.query, wanted);
  // what is shown now is nobody's to give up
  expected.drop();
  assert.deepEqual(areAborted(sent), [false]);
  expected.ask(page(3), begin);
  expected.ask(page(4), begin);
  assert.equal(expected.take(page(5)), null);
  assert.deepEqual(areAborted(sent), [false, true, true]);
  taken.abort();
  taken.answer.catch(() => {/* aborted */});
});
