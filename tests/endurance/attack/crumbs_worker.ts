// The attacker has a thread of its own: its work is none of the time in which others sign in.
import { sendCrumbs } from "@/tests/endurance/attack/attack.ts";

const scope = self as unknown as Worker;
scope.onmessage = async ({ data: { url, connections, chunks } }) => {
  await sendCrumbs(url, connections, chunks);
  scope.postMessage("over");
};
