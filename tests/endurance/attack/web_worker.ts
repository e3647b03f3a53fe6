// The attacker runs on a separate thread, so that its work does not delay the measured requests.
import { ATTACKS } from "@/tests/endurance/attack/web_attacks.ts";

const scope = self as unknown as Worker;
scope.onmessage = async ({ data: { name, url, token } }) => {
  scope.postMessage(await ATTACKS[name as keyof typeof ATTACKS](url, token));
};
