// covers: S-78, S-121
import assert from "node:assert/strict";
import { coreTest } from "@/tests/sites/core_site.ts";

coreTest(
  "STOW refuses a request of more objects than the limit, and says what to do",
  async ({ core, api }) => {
    const store = (count: number) => {
      const part = "--b\r\nContent-Type: application/dicom\r\n\r\n\r\n";
      return core.fetch(
        new Request("http://core/api/v1/dicomweb/studies", {
          method: "POST",
          body: part.repeat(count) + "--b--\r\n",
          headers: {
            authorization: `Bearer ${api.token}`,
            "content-type": 'multipart/related; type="application/dicom"; boundary=b',
          },
        }),
      );
    };
    const few = await store(3);
    assert.equal(few.status, 409, "the objects are empty");
    assert.equal((await few.json())["00081198"].Value.length, 3);
    const many = await store(5001), { code, details } = await many.json();
    assert.deepEqual([many.status, code, details], [413, "upload.too_many_parts", {
      max_parts: 5000,
      advice: "send fewer objects per request",
    }]);
  },
  { gate: { ask: () => Promise.resolve({}), aeTitle: "SULCUS" } },
);
