import { BlockList, isIP } from "node:net";
import { AppError } from "@/model/errors.ts";

const familyOf = (address: string) => isIP(address) === 6 ? "ipv6" as const : "ipv4" as const;

/** Bytes of an address: 4 of IPv4, 16 of IPv6; `null`: it is none. */
function bytesOf(address: string): number[] | null {
  if (isIP(address) === 4) return address.split(".").map(Number);
  if (isIP(address) !== 6) return null;
  // the URL parser writes the last four bytes, and everything else, in hexadecimal
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
 * The IPv4 address inside an IPv6 one: mapped, compatible (RFC 4291), NAT64 (RFC 6052), 6to4 (RFC
 * 3056).
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
  // metadata services outside of the link-local block: Alibaba, Oracle
  (a === 100 && b === 100 && c === 100 && d === 200) ||
  (a === 192 && b === 0 && c === 0 && d === 192);

/**
 * Whether an address is of this machine (loopback, unspecified), link-local, multicast, or that of
 * a cloud's metadata service: nothing that a hospital's system has. Also as IPv4 within IPv6.
 */
export function isLocalAddress(address: string): boolean {
  const bytes = bytesOf(address);
  if (bytes === null) return false;
  if (bytes.length === 4) return isLocal4(bytes);
  const isLoopback = bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15]! <= 1;
  const isLinkLocal = bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
  // fd00:ec2::254, Amazon
  const isMetadata = bytes[0] === 0xfd && bytes[1] === 0 && bytes[2] === 0x0e && bytes[3] === 0xc2;
  const inner = embedded(bytes);
  return isLoopback || isLinkLocal || isMetadata || bytes[0] === 0xff ||
    (inner !== null && isLocal4(inner));
}

/** `10.1.0.0/16` or a single address. @throws {AppError} `input.invalid`. */
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

/** The addresses of some networks. @throws {AppError} `input.invalid`. */
export function networkList(networks: readonly string[]): { has(address: string): boolean } {
  const list = new BlockList();
  for (const network of networks) addTo(list, network);
  return { has: (address) => isIP(address) !== 0 && list.check(address, familyOf(address)) };
}

/**
 * The network that limits of an address count for: an IPv4 address, also one mapped into IPv6, or
 * the /64 of an IPv6 address, which a single machine has whole. Other texts stay as they are.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || isIP(address) !== 6) return mapped ?? address;
  const [head = [], tail = []] = address.split("%")[0]!.split("::").map((part) => part.split(":"));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill("0");
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return `${groups.map((group) => Number(`0x${group || 0}`).toString(16)).join(":")}::/64`;
}
