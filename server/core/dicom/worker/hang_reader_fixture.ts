// A DICOM reader for tests: its workers loop endlessly or fill the memory when a file has a certain name.
// Usage: `hang_reader_fixture.ts SOCKET FOLDER`.
import { runReader } from "@/server/core/dicom/worker/run_reader.ts";

const [path, ...folders] = Deno.args, script = new URL("./hang_worker_fixture.ts", import.meta.url);
await runReader({
  path: path!,
  folders,
  log: () => {},
  script,
  timeoutMs: 1000,
  maxMemoryBytes: 400_000_000,
});
