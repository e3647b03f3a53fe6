// A script of its own, some hundred bytes, that comes before the rest of the page's. It imports nothing of theirs.
import "@/client/note_early_clicks.ts";
import "@/client/start_after_paint.ts";
