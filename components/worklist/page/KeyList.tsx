// Keyboard shortcuts of the worklist; loaded on demand.
import { commonText } from "@/model/text/worklist/actions.ts";
import { worklistKeysText } from "@/model/text/worklist/worklist_keys.ts";
import { useText } from "@/client/page/language.ts";
import { Dialog } from "@/components/dialog/Dialog.tsx";

const KEYS = [
  ["/", "search"],
  ["↑ ↓", "rows"],
  ["Enter", "open"],
  ["E", "edit"],
  ["Enter / Esc", "editEnd"],
  ["Space", "check"],
  ["Shift + Space", "checkRange"],
  ["Delete", "delete"],
  ["?", "help"],
] as const;

export default function KeyList({ onClose }: { onClose: () => void }) {
  const text = useText(worklistKeysText), common = useText(commonText);
  return (
    <Dialog title={text("title")} closeLabel={common("close")} onClose={onClose}>
      {/* in a low window it is scrolled by keyboard too */}
      <table className="w-full" tabIndex={0} aria-label={text("title")}>
        <tbody>
          {KEYS.map(([key, meaning]) => (
            <tr key={meaning} className="border-b border-line last:border-b-0">
              <th
                scope="row"
                className="w-32 py-2 text-left font-semibold text-ink whitespace-nowrap"
              >
                {key}
              </th>
              <td className="py-2">{text(meaning)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
