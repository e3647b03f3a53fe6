// The list of keys, loaded when it is opened.
export { ShortcutHelp as default } from "@/viewer/panels/ShortcutHelp.tsx";
