// Requests as Weasis 4 sends them (RsQueryResult, LoadSeries, ThumbnailManager).
import assert from "node:assert/strict";
import { readMultipart } from "@/server/wire/multipart.ts";

type Attributes = Record<string, { Value?: unknown[] }>;

const STUDY_FIELDS =
  "00080020,00080030,00080050,00080061,00080090,00081030,00100010,00100020,00100021," +
  "00100030,00100040,0020000D,00200010";
const SERIES_FIELDS = "0008103E,00080060,0020000E,00200011,00081190";
const INSTANCE_FIELDS = "00080018,00200013,00081190";
const THUMBNAIL_PIXELS = 256;

/** Objects that Weasis has downloaded. */
interface Opened {
  study: Attributes;
  /** downloaded objects by series, then by SOP Instance UID */
  series: ReadonlyMap<string, ReadonlyMap<string, Uint8Array<ArrayBuffer>>>;
  /** number of thumbnails, one for each series of images */
  thumbnails: number;
}

const textOf = (attributes: Attributes, tag: string) => String(attributes[tag]?.Value?.[0] ?? "");

/** Opens and downloads the objects named in a launch address of Weasis. */
export async function openAsWeasis(
  root: string,
  headers: Record<string, string>,
  named: { tag: string; value: string; level: "studies" | "series" | "instances" },
): Promise<Opened> {
  const get = (url: string, accept?: string) =>
    fetch(url, { headers: accept ? { ...headers, accept } : headers });
  const json = async (url: string): Promise<Attributes[]> => {
    const answer = await get(url);
    assert.equal(answer.status, 200, url);
    return await answer.json();
  };
  const extra = {
    studies: "",
    series: ",0008103E,00080060,00081190,00200011",
    instances: ",0008103E,00080060,0020000E,00200011,00200013,00081190",
  };
  const first = await json(
    `${root}/${named.level}?${named.tag}=${
      encodeURIComponent(named.value)
    }&includefield=${STUDY_FIELDS}${extra[named.level]}`,
  );
  const study = first[0]!, studyUid = textOf(study, "0020000D");
  const all = named.level === "studies"
    ? await json(`${root}/studies/${studyUid}/series?includefield=${SERIES_FIELDS}`)
    : first;
  const series = new Map<string, Map<string, Uint8Array<ArrayBuffer>>>();
  let thumbnails = 0;
  for (const one of all) {
    const uid = textOf(one, "0020000E"), url = `${root}/studies/${studyUid}/series/${uid}`;
    const objects = named.level === "instances"
      ? first
      : await json(`${textOf(one, "00081190")}/instances?includefield=${INSTANCE_FIELDS}`);
    const files = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const object of objects) {
      const accept = 'multipart/related;type="application/dicom";transfer-syntax=*';
      const answer = await get(textOf(object, "00081190"), accept);
      for await (const part of readMultipart(answer.body!, answer.headers.get("content-type")!)) {
        files.set(
          textOf(object, "00080018"),
          await new Response(ReadableStream.from(part.body)).bytes(),
        );
      }
    }
    series.set(uid, files);
    if (textOf(one, "00080060") !== "MR") continue;
    const viewport = `viewport=${THUMBNAIL_PIXELS}%2C${THUMBNAIL_PIXELS}`;
    const middle = [...files.keys()][files.size >> 1]!;
    for (const place of [url, `${url}/instances/${middle}`]) {
      const picture = await get(`${place}/thumbnail?${viewport}`, "image/jpeg");
      assert.deepEqual([picture.status, picture.headers.get("content-type")], [200, "image/jpeg"]);
      assert.deepEqual([...(await picture.bytes()).subarray(0, 2)], [0xff, 0xd8]);
      thumbnails++;
    }
    if (named.level === "instances") continue;
    // a middle instance, selected by offset
    const [picked] = await json(
      `${url}/instances?includefield=00080018&limit=1&offset=${files.size >> 1}`,
    );
    assert.equal(textOf(picked!, "00080018"), middle);
  }
  return { study, series, thumbnails };
}
