// covers: S-105
import assert from "node:assert/strict";
import { withoutHidden } from "@/model/schema/typed_text.ts";

Deno.test("withoutHidden() removes what turns or hides text, and no letter of any script", () => {
  const hidden = [
    ..."\u00ad\u061c\u180e\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2064",
    ..."\u2066\u2067\u2068\u2069\u206a\u206f\ufeff\ufff9\ufffb\u3164\uffa0\u0000\u0008\u001b\u007f",
    ..."\u009b\u{e0001}\u{e0041}\u{1d173}",
    "\ud800",
  ];
  for (const each of hidden) {
    const code = each.codePointAt(0)!.toString(16);
    assert.equal(withoutHidden(`${each}left${each} side${each}`), "left side", code);
  }
  for (
    const kept of [
      "김민수 좌측 해마",
      "می\u200cخواهم",
      "ක්\u200dෂ",
      "שלום 3.25 mL",
      "辻\u{e0100}",
      "👩\u200d⚕️",
      "a\tb\r\nc",
      "e\u0301",
      "ᄀ\u1160",
    ]
  ) assert.equal(withoutHidden(kept), kept);
  assert.equal(withoutHidden("a\u2028b\u2029c\u0085d"), "a\nb\nc\nd");
});
