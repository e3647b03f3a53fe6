// The attacker has a thread of its own, so that its work is no part of others' waiting.
import { ATTACKS } from "@/tests/endurance/attack/web_attacks.ts";

const scope = self as unknown as Worker;
scope.onmessage = async ({ data: { name, url, token } }) => {
  scope.postMessage(await ATTACKS[name as keyof typeof ATTACKS](url, token));
};
