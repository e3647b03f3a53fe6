// A script of its own, about a kilobyte, that comes before the rest of the page's. It imports
// nothing of theirs.
import "@/client/page/early_presses.ts";
import "@/client/page/start_after_paint.ts";
