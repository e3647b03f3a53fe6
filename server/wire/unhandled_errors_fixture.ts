// A process that keeps serving after every kind of error; `start` throws before it serves.
import { EventEmitter } from "node:events";
import { createServer } from "node:net";
import { serveLines } from "@/server/wire/line_socket.ts";
import { keepServing, unhandledErrorCount } from "@/server/wire/unhandled_errors.ts";

const [kind, socket] = Deno.args, lines: string[] = [];
const fail = () => {
  throw new Error("a fault of the program");
};
if (kind === "start") fail();
if (kind === "rejected-start") await Promise.reject(new Error("a fault of the start"));

keepServing((_level, message, fields) => lines.push(`${message} ${fields.error}`));
const worker = (text: string) =>
  new Worker(`data:application/javascript,${text}`, { type: "module" });
const faults: (() => void)[] = [
  () => void Promise.reject(new Error("a fault of the program")),
  () => void setTimeout(fail),
  () => void setInterval(fail, 1000),
  () => queueMicrotask(fail),
  () => void new EventEmitter().emit("error", new Error("a fault of an emitter")),
  () => void worker("setTimeout(() => { throw new Error('a fault of a worker') })"),
  () => void worker("Promise.reject(new Error('a rejection of a worker'))"),
  () => void worker("this is no program"),
  () => void createServer().listen(-1 >>> 16),
  // deno-lint-ignore no-explicit-any
  () => void Promise.reject(undefined as any),
];
for (const fault of faults) setTimeout(fault);
// the same fault again and again is a line a minute
for (let n = 0; n < 100; n++) setTimeout(fail, 50);
const leaving = new AbortController();
void serveLines(
  socket!,
  () => Promise.resolve({ count: unhandledErrorCount(), lines }),
  1,
  leaving.signal,
)
  .catch(() => {});
