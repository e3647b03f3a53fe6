/** Matrix from linear sRGB to XYZ relative to D50, Bradford-adapted (ICC connection space). */
const XYZ_FROM_RGB = [
  [0.4360747, 0.3850649, 0.1430804],
  [0.2225045, 0.7168786, 0.0606169],
  [0.0139322, 0.0971045, 0.7141733],
] as const;
const WHITE = [0.96422, 1, 0.82521] as const;

const linear = (byte: number): number => {
  const c = byte / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
};
const f = (t: number): number => t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116;

/**
 * Converts a screen colour to a Recommended Display CIELab Value:
 * L* 0..100 as 0..65535, a* and b* -128..127 as 0..65535.
 * @param rgb  sRGB, 0..255.
 * @see PS3.3 C.10.7.1.1; CIE 15:2004, eq. 8.3-8.8.
 */
export function cielabValue(rgb: readonly [number, number, number]): [number, number, number] {
  const [r, g, b] = rgb.map(linear) as [number, number, number];
  const [x, y, z] = XYZ_FROM_RGB.map((row, axis) =>
    f((row[0] * r + row[1] * g + row[2] * b) / WHITE[axis]!)
  ) as [
    number,
    number,
    number,
  ];
  const scaled = (value: number, low: number, high: number) =>
    Math.max(0, Math.min(65535, Math.round((value - low) / (high - low) * 65535)));
  return [
    scaled(116 * y - 16, 0, 100),
    scaled(500 * (x - y), -128, 127),
    scaled(200 * (y - z), -128, 127),
  ];
}
