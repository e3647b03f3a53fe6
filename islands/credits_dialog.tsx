// The log of credits for whoever asks for it in the header; loaded when it is opened.
import { commonText } from "@/model/text/actions.ts";
import { creditsText } from "@/model/text/credits.ts";
import { useText } from "@/client/language.ts";
import { Dialog } from "@/components/Dialog.tsx";
import CreditLogView from "@/islands/credit_log.tsx";

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
