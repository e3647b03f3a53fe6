// Reads DICOM objects from the file alone, independently of the product's code.
import dicomParser, { type DataSet } from "dicom-parser";

/** First item of a sequence. */
export const item = (dataSet: DataSet, tag: string, at = 0) =>
  dataSet.elements[tag]!.items![at]!.dataSet!;
/** All items of a sequence; empty if the sequence is absent. */
export const items = (dataSet: DataSet, tag: string) =>
  (dataSet.elements[tag]?.items ?? []).map(({ dataSet: each }) => each!);
/** Numeric values of an element. */
export const numbers = (dataSet: DataSet, tag: string, count: number) =>
  Array.from({ length: count }, (_, i) => dataSet.floatString(tag, i)!);

/** Centre (RAS mm) and volume of each segment, computed from the file alone. */
export function segmentsOf(bytes: Uint8Array) {
  const dataSet = dicomParser.parseDicom(bytes), rows = dataSet.uint16("x00280010")!;
  const columns = dataSet.uint16("x00280011")!, size = rows * columns;
  const shared = item(dataSet, "x52009229");
  const cosines = numbers(item(shared, "x00209116"), "x00200037", 6);
  const measures = item(shared, "x00289110"), spacing = numbers(measures, "x00280030", 2);
  const voxelMm3 = spacing[0]! * spacing[1]! * measures.floatString("x00180088")!;
  const pixels = dataSet.elements.x7fe00010!.dataOffset;
  const sums = new Map<number, { n: number; lps: number[] }>();
  for (const [frame, group] of items(dataSet, "x52009230").entries()) {
    const number = item(group, "x0062000a").uint16("x0062000b")!;
    const position = numbers(item(group, "x00209113"), "x00200032", 3);
    const sum = sums.get(number) ?? { n: 0, lps: [0, 0, 0] };
    for (let v = 0, bit = frame * size; v < size; v++, bit++) {
      if (!(bytes[pixels + (bit >> 3)]! >> (bit & 7) & 1)) continue;
      const i = v % columns, j = Math.floor(v / columns);
      sum.n++;
      for (let a = 0; a < 3; a++) {
        sum.lps[a]! += position[a]! + i * spacing[1]! * cosines[a]! +
          j * spacing[0]! * cosines[3 + a]!;
      }
    }
    sums.set(number, sum);
  }
  return new Map([...sums].map(([number, { n, lps: [l, p, s] }]) => [number, {
    ras: [-l! / n, -p! / n, s! / n],
    mm3: n * voxelMm3,
  }]));
}

/** Content item of an SR tree: concept name, value type and value. */
interface Content {
  type: string;
  name: string;
  value: string;
  children: Content[];
}
/** Reads an SR tree from its root. */
export function contentOf(dataSet: DataSet): Content {
  const concept = items(dataSet, "x0040a043")[0], type = dataSet.string("x0040a040")!;
  const measured = items(dataSet, "x0040a300")[0];
  const text = (tag: string) => {
    const element = dataSet.elements[tag]!;
    return new TextDecoder().decode(
      dataSet.byteArray.subarray(element.dataOffset, element.dataOffset + element.length),
    ).replace(/[\s\0]+$/, "");
  };
  const values: Record<string, () => string> = {
    TEXT: () => text("x0040a160"),
    UIDREF: () => text("x0040a124"),
    CODE: () => item(dataSet, "x0040a168").string("x00080104")!,
    NUM: () =>
      `${measured!.floatString("x0040a30a")} ${item(measured!, "x004008ea").string("x00080100")}`,
    IMAGE: () => {
      const reference = item(dataSet, "x00081199");
      return [reference.string("x00081155"), reference.uint16("x0062000b")].join("#");
    },
  };
  return {
    type,
    name: concept?.string("x00080104") ?? "",
    value: values[type]?.() ?? "",
    children: items(dataSet, "x0040a730").map(contentOf),
  };
}

/** First child item with a concept name. */
export const find = ({ children }: Content, name: string) =>
  children.find((each) => each.name === name)!;
