import { BlockList, isIP } from "node:net";
import { AppError } from "@/model/errors.ts";

const familyOf = (address: string) => isIP(address) === 6 ? "ipv6" as const : "ipv4" as const;

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
 * The network that limits of an address count for: an IPv4 address, also one mapped into IPv6, or the /64 of an IPv6
 * address, which a single machine has whole. Other texts stay as they are.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || isIP(address) !== 6) return mapped ?? address;
  const [head = [], tail = []] = address.split("%")[0]!.split("::").map((part) => part.split(":"));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill("0");
  const groups = [...head, ...zeros, ...tail].slice(0, 4);
  return `${groups.map((group) => Number(`0x${group || 0}`).toString(16)).join(":")}::/64`;
}
