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
