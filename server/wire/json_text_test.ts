import assert from "node:assert/strict";
import { jsonForScript } from "@/server/wire/json_text.ts";

const ODD = {
  text: '</script><!-- "\\ 한글 \u2028\u2029 \ud800',
  "<key>\u2028": [1, -0, NaN, Infinity, null, undefined, true, () => 1, Symbol("s")],
  none: undefined,
  call: () => 1,
  at: new Date(0),
  deep: {
    list: [{ a: [] }, {}],
    long: Array.from({ length: 20 }, (_, i) => ({ i, none: undefined })),
  },
};

Deno.test("jsonForScript() says what JSON.stringify() says, and ends no script", () => {
  for (const value of [ODD, [ODD, undefined], [], {}, "<", 1, null, true, new Map([[1, 2]])]) {
    const text = jsonForScript(value);
    assert.equal(
      text.replace(/\\u003c/g, "<").replace(
        /\\u(202[89])/g,
        (_, n) => String.fromCharCode(parseInt(n, 16)),
      ),
      JSON.stringify(value),
    );
    assert.doesNotMatch(text, /[<\u2028\u2029]/);
    assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
  }
});
