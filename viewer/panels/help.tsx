// List of keyboard shortcuts, loaded on demand.
export { ShortcutHelp as default } from "@/viewer/panels/ShortcutHelp.tsx";
