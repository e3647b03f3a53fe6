// Shows in all other tabs the progress of an upload, which continues in the tab that started it.
import { putTask, removeTask, type TrayTask, trayTasks } from "@/client/tray/tray.ts";

type Told = Pick<TrayTask, "id" | "count" | "percent" | "state">;

const TELL_MS = 1000;
/** Time without a message after which another tab counts as closed. */
const GONE_MS = 5000;

/** Broadcasts the uploads of this tab and shows those of other tabs until stopped. */
export function shareUploads(): () => void {
  if (!("BroadcastChannel" in globalThis)) return () => {};
  const channel = new BroadcastChannel("sulcus-uploads"), heard = new Map<string, number>();
  channel.onmessage = ({ data }: MessageEvent<Told>) => {
    heard.set(data.id, performance.now());
    putTask({ ...data, kind: "upload", isElsewhere: true });
  };
  const timer = setInterval(() => {
    for (const { id, kind, count, percent, state, isElsewhere } of trayTasks.value) {
      if (kind === "upload" && !isElsewhere) {
        channel.postMessage({ id, count, percent, state } satisfies Told);
      }
    }
    for (const [id, at] of heard) {
      if (performance.now() - at < GONE_MS) continue;
      heard.delete(id);
      removeTask(id);
    }
  }, TELL_MS);
  return () => {
    clearInterval(timer);
    channel.close();
  };
}
