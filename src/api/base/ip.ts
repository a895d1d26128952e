/** The bits of an address, and how many its family has. */
export interface IpBits {
  readonly bits: bigint;
  readonly count: 32 | 128;
}

/** The bits of a valid address. Leading zeros of IPv4 mean nothing. */
export function ipBits(address: string): IpBits {
  if (!address.includes(':')) {
    const bits = address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
    return { bits, count: 32 };
  }
  const halves = canonicalIp(address).split('::');
  const [head = [], tail = []] = halves.map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  const bits = [...head, ...zeros, ...tail].reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
  return { bits, count: 128 };
}

/** The text of an address with these bits. */
export function ipText({ bits, count }: IpBits): string {
  const [parts, size, base] = count === 32 ? [4, 8, 10] : [8, 16, 16];
  const texts = Array.from({ length: parts }, (_, index) => {
    const part = bits >> BigInt(size * (parts - 1 - index));
    return Number(BigInt.asUintN(size, part)).toString(base);
  });
  return count === 32 ? texts.join('.') : canonicalIp(texts.join(':'));
}

/** The text of an address as the API server writes it: IPv6 in lower case, the longest run of zeros left out. */
export function canonicalIp(text: string): string {
  return text.includes(':') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
}
