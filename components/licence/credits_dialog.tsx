// Dialog with the log of credits in the header; loaded on demand.
import { commonText } from "@/model/text/worklist/actions.ts";
import { creditsText } from "@/model/text/account/credits.ts";
import { useText } from "@/client/page/language.ts";
import { Dialog } from "@/components/dialog/Dialog.tsx";
import CreditLogView from "@/components/licence/credit_log.tsx";

export default function CreditsDialog({ onClose }: { onClose: () => void }) {
  const text = useText(creditsText), common = useText(commonText);
  return (
    <Dialog title={text("title")} width="w-[900px]" closeLabel={common("close")} onClose={onClose}>
      <div className="min-h-[420px] pt-1">
        <CreditLogView />
      </div>
    </Dialog>
  );
}
