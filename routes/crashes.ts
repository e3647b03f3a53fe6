export { reportCrash as POST } from "@/server/edge/web/crashes.ts";
