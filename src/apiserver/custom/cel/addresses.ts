import { BlockList, isIP, SocketAddress } from 'node:net';
import type { Environment } from '@marcbachmann/cel-js';
import { succeeds } from '../../../quietly.ts';

/** An address in CEL. */
class CelAddress {
  readonly text: string;
  readonly family: 'ipv4' | 'ipv6';

  constructor(given: string) {
    const version = isIP(given);
    // Go's IPv4-mapped IPv6 addresses and zones are refused as well.
    if (version === 0 || given.includes('%') || /^::ffff:\d+\./i.test(given))
      throw new RangeError(`IP Address ${JSON.stringify(given)} parse error during conversion from string`);
    this.family = version === 4 ? 'ipv4' : 'ipv6';
    this.text = new SocketAddress({ address: given, family: this.family }).address;
  }

  isIn(network: string, bits: number): boolean {
    return isInside(this, network, bits);
  }
}

/** A block of addresses in CEL. */
class CelNetwork {
  readonly address: CelAddress;
  readonly bits: number;

  constructor(text: string) {
    const [address = '', bits = '', ...rest] = text.split('/');
    this.address = new CelAddress(address);
    this.bits = Number(bits);
    if (!/^(0|[1-9]\d{0,2})$/.test(bits) || rest.length > 0 || this.bits > bitsOf(this.address))
      throw new RangeError(`network address parse error during conversion from string: ${JSON.stringify(text)}`);
  }

  contains(address: CelAddress): boolean {
    return isInside(address, this.address.text, this.bits);
  }

  masked(): CelNetwork {
    const size = bitsOf(this.address) - this.bits;
    const number = (numberOf(this.address) >> BigInt(size)) << BigInt(size);
    return new CelNetwork(`${textOf(number, this.address.family)}/${this.bits}`);
  }
}

const bitsOf = ({ family }: CelAddress): number => (family === 'ipv4' ? 32 : 128);

function isInside({ text, family }: CelAddress, network: string, bits: number): boolean {
  if ((isIP(network) === 4) !== (family === 'ipv4')) return false;
  const block = new BlockList();
  block.addSubnet(network, bits, family);
  return block.check(text, family);
}

function numberOf({ text, family }: CelAddress): bigint {
  if (family === 'ipv4') return text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head = '', tail] = text.split('::');
  const words = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [first, last] = [words(head), words(tail ?? '')];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].reduce((sum, word) => sum * 65_536n + BigInt(`0x${word}`), 0n);
}

function textOf(number: bigint, family: CelAddress['family']): string {
  const [count, size, base] = family === 'ipv4' ? [4, 8n, 10] : [8, 16n, 16];
  const parts = Array.from({ length: count }, (_, index) => {
    return ((number >> (size * BigInt(count - 1 - index))) & ((1n << size) - 1n)).toString(base);
  });
  return parts.join(family === 'ipv4' ? '.' : ':');
}

const MULTICAST = { ipv4: ['224.0.0.0', 4], ipv6: ['ff00::', 8] } as const;
const LOOPBACK = { ipv4: ['127.0.0.0', 8], ipv6: ['::1', 128] } as const;
const LINK_LOCAL = { ipv4: ['169.254.0.0', 16], ipv6: ['fe80::', 10] } as const;
const LINK_LOCAL_MULTICAST = { ipv4: ['224.0.0.0', 24], ipv6: ['ff02::', 16] } as const;
const UNSPECIFIED = new Set(['0.0.0.0', '::', '255.255.255.255']);

type Block = Readonly<Record<CelAddress['family'], readonly [string, number]>>;
const within =
  (block: Block) =>
  (address: CelAddress): boolean =>
    address.isIn(...block[address.family]);

function isGlobal(address: CelAddress): boolean {
  return !UNSPECIFIED.has(address.text) && ![MULTICAST, LOOPBACK, LINK_LOCAL].some((block) => within(block)(address));
}

/** Source: apiserver/pkg/cel/library/ip.go, cidr.go and urls.go. */
export function addAddressLibraries(environment: Environment): void {
  environment
    .registerType('net.IP', { ctor: CelAddress, fields: {} })
    .registerType('net.CIDR', { ctor: CelNetwork, fields: {} })
    .registerType('kubernetes.URL', { ctor: URL, fields: {} })
    .registerFunction('isIP(string): bool', (text: string) => succeeds(() => new CelAddress(text)))
    .registerFunction('ip(string): net.IP', (text: string) => new CelAddress(text))
    .registerFunction('string(net.IP): string', ({ text }: CelAddress) => text)
    .registerFunction('net.IP.family(): int', ({ family }: CelAddress) => (family === 'ipv4' ? 4n : 6n))
    .registerFunction('net.IP.isUnspecified(): bool', ({ text }: CelAddress) => text === '0.0.0.0' || text === '::')
    .registerFunction('net.IP.isLoopback(): bool', within(LOOPBACK))
    .registerFunction('net.IP.isLinkLocalMulticast(): bool', within(LINK_LOCAL_MULTICAST))
    .registerFunction('net.IP.isLinkLocalUnicast(): bool', within(LINK_LOCAL))
    .registerFunction('net.IP.isGlobalUnicast(): bool', isGlobal)
    .registerFunction('isCIDR(string): bool', (text: string) => succeeds(() => new CelNetwork(text)))
    .registerFunction('cidr(string): net.CIDR', (text: string) => new CelNetwork(text))
    .registerFunction('string(net.CIDR): string', ({ address, bits }: CelNetwork) => `${address.text}/${bits}`)
    .registerFunction('net.CIDR.containsIP(net.IP): bool', (block: CelNetwork, ip: CelAddress) => block.contains(ip))
    .registerFunction('net.CIDR.containsIP(string): bool', (block: CelNetwork, ip: string) =>
      block.contains(new CelAddress(ip)),
    )
    .registerFunction('net.CIDR.containsCIDR(net.CIDR): bool', containsNetwork)
    .registerFunction('net.CIDR.containsCIDR(string): bool', (block: CelNetwork, text: string) =>
      containsNetwork(block, new CelNetwork(text)),
    )
    .registerFunction('net.CIDR.ip(): net.IP', ({ address }: CelNetwork) => address)
    .registerFunction('net.CIDR.masked(): net.CIDR', (block: CelNetwork) => block.masked())
    .registerFunction('net.CIDR.prefixLength(): int', ({ bits }: CelNetwork) => BigInt(bits));
  addUrlLibrary(environment);
}

function containsNetwork(block: CelNetwork, other: CelNetwork): boolean {
  return other.bits >= block.bits && block.contains(other.masked().address);
}

function addUrlLibrary(environment: Environment): void {
  environment
    .registerFunction('isURL(string): bool', (text: string) => URL.canParse(text))
    .registerFunction('url(string): kubernetes.URL', (text: string) => new URL(text))
    .registerFunction('kubernetes.URL.getScheme(): string', ({ protocol }: URL) => protocol.slice(0, -1))
    .registerFunction('kubernetes.URL.getHost(): string', ({ host }: URL) => host)
    .registerFunction('kubernetes.URL.getHostname(): string', ({ hostname }: URL) => hostname.replaceAll(/[[\]]/g, ''))
    .registerFunction('kubernetes.URL.getPort(): string', ({ port }: URL) => port)
    .registerFunction('kubernetes.URL.getEscapedPath(): string', ({ pathname }: URL) => pathname)
    .registerFunction('kubernetes.URL.getQuery(): map<string, list<string>>', ({ searchParams }: URL) =>
      Object.fromEntries([...searchParams.keys()].map((key) => [key, searchParams.getAll(key)])),
    );
}
