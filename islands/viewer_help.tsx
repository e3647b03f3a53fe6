// The list of keys, loaded when it is opened.
export { ShortcutHelp as default } from "@/components/viewer/ShortcutHelp.tsx";
