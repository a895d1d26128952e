import { isIPv4 } from 'node:net';

/** A table of nftables that judges new connections: as much of the language as the rules of policies have. */
export class NftTable {
  readonly #sets = new Map<string, Map<string, string>>();
  readonly #chains = new Map<string, string[]>();

  /** Carries a transaction out. @throws {Error} where nft would refuse it */
  send(transaction: string): void {
    for (const line of transaction.trim().split('\n')) this.#carryOut(line);
  }

  #carryOut(line: string): void {
    const [, verb, what, name = '', rest = ''] = /^(\w+) (\w+) \w+ \w+ (\w+) ?(.*)$/.exec(line) ?? [];
    const elements = rest.slice(2, -2).split(', ');
    switch (`${verb} ${what}`) {
      case 'add set':
      case 'add map':
        return void this.#sets.set(name, new Map());
      case 'add chain':
        return void this.#chains.set(name, []);
      case 'flush chain':
        return void this.#chain(name).splice(0);
      case 'add rule':
        return void this.#chain(name).push(rest);
      case 'add element':
        for (const element of elements) this.#add(name, element);
        return;
      case 'delete element':
        for (const key of elements) if (!this.#set(name).delete(key)) throw new Error(`no ${key}: ${line}`);
        return;
      case 'delete set':
      case 'delete map':
      case 'delete chain': {
        const isChain = what === 'chain';
        const rules = [...this.#chains].filter(([chain]) => chain !== name).flatMap(([, own]) => own);
        const verdicts = [...this.#sets].flatMap(([set, own]) => (set === name ? [] : [...own.values()]));
        const uses = isChain ? [...rules, ...verdicts] : [...this.#chains.values()].flat();
        if (uses.some((use) => new RegExp(String.raw`(?:@|jump |goto )${name}\b`).test(use))) throw new Error(line);
        if (!(isChain ? this.#chains : this.#sets).delete(name)) throw new Error(line);
        return;
      }
      default:
        throw new Error(line);
    }
  }

  #add(name: string, element: string): void {
    const [key = '', verdict = ''] = element.split(' : ');
    const own = this.#set(name);
    for (const present of own.keys()) if (overlaps(present, key)) throw new Error(`${present} overlaps ${key}`);
    const [, chain] = verdict.split(' ');
    if (chain !== undefined) this.#chain(chain);
    own.set(key, verdict);
  }

  #set(name: string): Map<string, string> {
    const own = this.#sets.get(name);
    if (own === undefined) throw new Error(`no set ${name}`);
    return own;
  }

  #chain(name: string): string[] {
    const own = this.#chains.get(name);
    if (own === undefined) throw new Error(`no chain ${name}`);
    return own;
  }

  /** True when a direction lets a new connection pass. */
  permits(direction: 'ingress' | 'egress', packet: Readonly<Record<string, string>>): boolean {
    const key = packet[direction === 'ingress' ? 'ip daddr' : 'ip saddr'] ?? '';
    const [, chain] = this.#lookUp(direction, key)?.split(' ') ?? [];
    return chain === undefined || this.#run(chain, packet);
  }

  /** True when a chain returns to the hook. */
  #run(chain: string, packet: Readonly<Record<string, string>>): boolean {
    for (const rule of this.#chain(chain)) {
      const [, fields = '', isMap, set = '', verdict = ''] = /^(?:(.*?) (vmap )?@(\w+) ?)?(.*)$/.exec(rule) ?? [];
      const key = fields
        .split(' . ')
        .map((field) => packet[field])
        .join(' . ');
      const matched = set === '' ? '' : this.#lookUp(set, key);
      if (matched === undefined) continue;
      const [act, next = ''] = (isMap === undefined ? verdict : matched).split(' ');
      if (act === 'return') return true;
      return next.startsWith('refused_') ? false : this.#run(next, packet);
    }
    throw new Error(`the chain ${chain} has no verdict`);
  }

  #lookUp(set: string, key: string): string | undefined {
    return [...this.#set(set)].find(([range]) => overlaps(range, key))?.[1];
  }
}

function overlaps(one: string, other: string): boolean {
  const others = other.split(' . ').map(bounds);
  return one
    .split(' . ')
    .map(bounds)
    .every(([first, last], at) => first <= others[at]![1] && others[at]![0] <= last);
}

const PROTOCOLS: Readonly<Record<string, number>> = { tcp: 6, udp: 17, sctp: 132 };

function bounds(part: string): readonly [number, number] {
  const [first = 0, last = first] = part.split('-').map((each) => {
    if (!isIPv4(each)) return PROTOCOLS[each] ?? Number(each);
    return each.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
  });
  return [first, last];
}
