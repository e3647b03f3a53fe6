// Help of the current page; loaded on demand.
import { commonText } from "@/model/text/worklist/actions.ts";
import { HELP_PAGES, type HelpSubject, helpText, SECTION_OF_PAGE } from "@/model/text/help.ts";
import { useText } from "@/client/page/language.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";

const LINES = {
  worklist: ["worklist1", "worklist2", "worklist3", "worklist4", "worklist5"],
  viewer: ["viewer1", "viewer2", "viewer3"],
  report: ["report1", "report2", "report3"],
  status: ["status1", "status2"],
  login: ["login1", "login2", "login3", "login4"],
  password: ["password1", "password2", "password3"],
  codes: ["codes1", "codes2", "codes3"],
} as const satisfies Record<HelpSubject, unknown>;

/** Pages without a link to the manual, because sign-in is not complete. */
const WITH_MANUAL: readonly HelpSubject[] = HELP_PAGES;

interface HelpDialogProps {
  of: HelpSubject;
  onClose: () => void;
}

export default function HelpDialog({ of: page, onClose }: HelpDialogProps) {
  const text = useText(helpText), common = useText(commonText);
  const section = SECTION_OF_PAGE[location.pathname.split("/")[1] || "index"] ?? page;
  return (
    <Dialog
      title={text("title", { page: text(page) })}
      width="w-[560px]"
      closeLabel={common("close")}
      onClose={onClose}
      footer={<Button kind="primary" data-autofocus onClick={onClose}>{common("close")}</Button>}
    >
      <ul className="list-disc pl-5 flex flex-col gap-2 text-ink">
        {LINES[page].map((line) => <li key={line}>{text(line)}</li>)}
      </ul>
      {WITH_MANUAL.includes(page) && (
        <p className="mt-4 flex gap-6">
          {[section, "reading"].map((section) => (
            <a
              key={section}
              href={`/help#${section}`}
              target="_blank"
              className="font-medium text-brand-700 hover:underline"
            >
              {text(section === "reading" ? "reading" : "manual")}
            </a>
          ))}
        </p>
      )}
    </Dialog>
  );
}
