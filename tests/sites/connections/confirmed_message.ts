import { getConfirmation } from "@/server/core/connections/service/hl7/confirmed_records.ts";
import { repeatMessage } from "@/server/core/connections/service/hl7/messages_page.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";

/** Repeats a failed message as an administrator does who has compared both identities. */
export async function confirmMessage(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<void> {
  const confirmation = await getConfirmation(services, id, caller).catch((error) => {
    // the message needs no decision: it is only tried again
    if (error.code === "entity.not_found") return undefined;
    throw error;
  });
  await repeatMessage(services, id, caller, confirmation?.confirmed);
}
