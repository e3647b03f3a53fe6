// The attacker runs on a separate thread, so that its work does not delay the measured sign-ins.
import { sendCrumbs } from "@/tests/endurance/attack/attack.ts";

const scope = self as unknown as Worker;
scope.onmessage = async ({ data: { url, connections, chunks } }) => {
  await sendCrumbs(url, connections, chunks);
  scope.postMessage("over");
};
