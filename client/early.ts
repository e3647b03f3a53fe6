// A script of its own, about a kilobyte, that comes before the rest of the page's. It imports nothing of theirs.
import "@/client/early_presses.ts";
import "@/client/start_after_paint.ts";
