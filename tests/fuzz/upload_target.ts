import { encodePng } from "@/report/pdf/png.ts";
import type { TestCore } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { mutate } from "@/tests/fuzz/mutate.ts";
import { corpusOf, pick, type Target } from "@/tests/fuzz/targets.ts";
import type { Random } from "@/server/commands/demo/phantom/random.ts";

/** Fraction of complete series, which the converter processes in 0.1 s each. */
const WHOLE = 0.02;

/** A form as sent by a browser; sometimes with damaged part boundaries. */
async function sentForm(
  form: FormData,
  random: Random,
): Promise<{ body: Uint8Array<ArrayBuffer>; type: string }> {
  const request = new Request("http://core", { method: "POST", body: form });
  const type = request.headers.get("content-type")!,
    bytes = new Uint8Array(await request.arrayBuffer());
  return { body: random.uniform() < 0.2 ? mutate(bytes, random) : bytes, type };
}

/**
 * Whole uploads: forms with damaged DICOM files, which are received, stored, grouped and converted;
 * and My Page forms with damaged logos. Every response must have a status below 500.
 */
export function uploadTarget({ core, api }: TestCore): Target {
  const series = phantomSeries("short", "FUZZ-UPLOAD").map(({ bytes }) => bytes);
  const seeds = [...series.slice(0, 3), ...corpusOf("dicom")];
  const logo = encodePng(new Uint8Array(3 * 40 * 20).fill(200), 40, 20);
  return async (random) => {
    const form = new FormData(), isLogo = random.uniform() < 0.2;
    const add = (field: string, name: string, bytes: Uint8Array<ArrayBuffer>) =>
      form.append(field, new File([bytes], name));
    if (isLogo) {
      form.append("name", "N");
      form.append("hospital_name", "H");
      add("logo", "logo.png", mutate(logo, random));
    } else if (random.uniform() < WHOLE) {
      const damaged = Math.floor(random.uniform() * series.length);
      series.forEach((bytes, n) =>
        add(
          "dicom_files",
          `${n}.dcm`,
          n === damaged ? mutate(bytes, random) : new Uint8Array(bytes),
        )
      );
    } else {
      for (let left = 1 + Math.floor(3 * random.uniform()); left > 0; left--) {
        add(
          "dicom_files",
          pick(random, ["a.dcm", "../../a.dcm", "a\r\nb", ""]),
          mutate(pick(random, seeds), random),
        );
      }
    }
    const { body, type } = await sentForm(form, random);
    const path = isLogo ? "/api/v1/settings/mypage" : "/api/v1/patients";
    const headers = { authorization: `Bearer ${api.token}`, "content-type": type };
    const answer = await core.fetch(
      new Request(`http://core${path}`, { method: isLogo ? "PUT" : "POST", body, headers }),
    );
    const text = await answer.text();
    if (answer.status >= 500) throw new Error(`${path}: ${answer.status} ${text}`);
  };
}
