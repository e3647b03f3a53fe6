export { reportCrash as POST } from "@/edge/web/crashes.ts";
