import { BlockList, isIP } from "node:net";
import { AppError } from "@/model/errors.ts";

const familyOf = (address: string) => isIP(address) === 6 ? "ipv6" as const : "ipv4" as const;

/** Bytes of an IP address: 4 for IPv4, 16 for IPv6; `null` for any other text. */
function bytesOf(address: string): number[] | null {
  if (isIP(address) === 4) return address.split(".").map(Number);
  if (isIP(address) !== 6) return null;
  // the URL parser normalises the whole address to hexadecimal groups
  const text = URL.parse(`http://[${address.replace(/%.*$/, "")}]/`)?.hostname.slice(1, -1);
  if (text === undefined) return null;
  const [head = "", tail] = text.split("::");
  const groups = (part: string) =>
    part.split(":").filter(Boolean).map((each) => Number.parseInt(each, 16));
  const start = groups(head), end = groups(tail ?? "");
  const words = [...start, ...Array(8 - start.length - end.length).fill(0), ...end];
  return words.flatMap((word) => [word >> 8, word & 255]);
}

/**
 * IPv4 address embedded in an IPv6 address:
 * mapped, compatible (RFC 4291), NAT64 (RFC 6052), 6to4 (RFC 3056).
 */
function embedded(bytes: readonly number[]): number[] | null {
  const head = bytes.slice(0, 12).map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (
    ["00000000000000000000ffff", "000000000000000000000000", "0064ff9b0000000000000000"].includes(
      head,
    )
  ) {
    return bytes.slice(12);
  }
  return head.startsWith("2002") ? bytes.slice(2, 6) : null;
}

const isLocal4 = ([a, b, c, d]: readonly number[]) =>
  a === 127 || a === 0 || (a === 169 && b === 254) || a! >= 224 ||
  // metadata services outside the link-local block: Alibaba, Oracle
  (a === 100 && b === 100 && c === 100 && d === 200) ||
  (a === 192 && b === 0 && c === 0 && d === 192);

/**
 * Whether an address is loopback, unspecified, link-local, multicast or a cloud's metadata service:
 * no hospital system has such an address. IPv4 embedded in IPv6 is checked too.
 */
export function isLocalAddress(address: string): boolean {
  const bytes = bytesOf(address);
  if (bytes === null) return false;
  if (bytes.length === 4) return isLocal4(bytes);
  const isLoopback = bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15]! <= 1;
  const isLinkLocal = bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
  // fd00:ec2::254, the metadata service of Amazon
  const isMetadata = bytes[0] === 0xfd && bytes[1] === 0 && bytes[2] === 0x0e && bytes[3] === 0xc2;
  const inner = embedded(bytes);
  return isLoopback || isLinkLocal || isMetadata || bytes[0] === 0xff ||
    (inner !== null && isLocal4(inner));
}

/** Parses `10.1.0.0/16` or a single address. @throws {AppError} `input.invalid`. */
function addTo(list: BlockList, network: string): void {
  const [address = "", prefix, ...rest] = network.split("/");
  const bits = isIP(address) === 6 ? 128 : 32;
  const isWhole = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  if (isIP(address) === 0 || !isWhole || rest.length > 0) {
    throw new AppError(
      "input.invalid",
      "Cannot use the network: write 10.1.0.0/16, 2001:db8::/32 or an address",
      {
        field: "network",
      },
    );
  }
  if (prefix === undefined) list.addAddress(address, familyOf(address));
  else list.addSubnet(address, Number(prefix), familyOf(address));
}

/** Parses networks into a matcher of addresses. @throws {AppError} `input.invalid`. */
export function networkList(networks: readonly string[]): { has(address: string): boolean } {
  const list = new BlockList();
  for (const network of networks) addTo(list, network);
  return { has: (address) => isIP(address) !== 0 && list.check(address, familyOf(address)) };
}

/**
 * Network that shares a rate limit: a single IPv4 address (also when mapped into IPv6), or the /64
 * of an IPv6 address, which one machine usually owns. Other texts are returned unchanged.
 */
export function networkOf(address: string): string {
  const bytes = bytesOf(address);
  if (bytes === null || bytes.length === 4) return address;
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 &&
    bytes[11] === 255;
  if (isMapped) return bytes.slice(12).join(".");
  const groups = [0, 2, 4, 6].map((at) => (bytes[at]! << 8 | bytes[at + 1]!).toString(16));
  return `${groups.join(":")}::/64`;
}

/** Formats host and port as in a web address: "10.1.2.3:443", "[::1]:443". */
export const hostAndPort = (host: string, port: number | string): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;
