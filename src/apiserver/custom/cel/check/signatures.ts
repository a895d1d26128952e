import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  NULL,
  opaque,
  optionalType,
  param,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
  type CelType,
} from './types.ts';

/** A function as the checker knows it. */
export interface CelSignature {
  /** The arguments, the receiver first. */
  readonly args: readonly CelType[];
  readonly hasReceiver: boolean;
  readonly result: CelType;
}

/** Capital letters stand for any type. `NAME` is a namespace: `sets.contains` has no receiver. */
const TEXT = `
size(string): int; size(bytes): int; size(list<A>): int; size(map<A,B>): int
string.size(): int; bytes.size(): int; list<A>.size(): int; map<A,B>.size(): int
type(A): type; dyn(A): dyn; bool(bool): bool; bool(string): bool; bytes(bytes): bytes; bytes(string): bytes
double(double): double; double(int): double; double(uint): double; double(string): double
int(int): int; int(uint): int; int(double): int; int(string): int; int(timestamp): int; int(duration): int
uint(uint): uint; uint(int): uint; uint(double): uint; uint(string): uint
string(string): string; string(bool): string; string(int): string; string(uint): string; string(double): string
string(bytes): string; string(timestamp): string; string(duration): string
timestamp(timestamp): timestamp; timestamp(string): timestamp; timestamp(int): timestamp
duration(duration): duration; duration(string): duration; duration(int): duration
duration.getHours(): int; duration.getMinutes(): int; duration.getSeconds(): int; duration.getMilliseconds(): int

string.contains(string): bool; string.startsWith(string): bool; string.endsWith(string): bool
string.matches(string): bool; matches(string, string): bool
string.charAt(int): string; string.format(list<dyn>): string; strings.quote(string): string
string.indexOf(string): int; string.indexOf(string, int): int
string.lastIndexOf(string): int; string.lastIndexOf(string, int): int
string.lowerAscii(): string; string.upperAscii(): string; string.trim(): string
string.replace(string, string): string; string.replace(string, string, int): string
string.split(string): list<string>; string.split(string, int): list<string>
string.substring(int): string; string.substring(int, int): string
list<string>.join(): string; list<string>.join(string): string
string.find(string): string; string.findAll(string): list<string>; string.findAll(string, int): list<string>

list<A>.isSorted(): bool; list<A>.sum(): A; list<A>.min(): A; list<A>.max(): A
list<A>.indexOf(A): int; list<A>.lastIndexOf(A): int
lists.range(int): list<int>; list<A>.slice(int, int): list<A>; list<A>.flatten(): list<dyn>
list<A>.flatten(int): list<dyn>; list<A>.distinct(): list<A>; list<A>.reverse(): list<A>; list<A>.sort(): list<A>
sets.contains(list<A>, list<A>): bool; sets.equivalent(list<A>, list<A>): bool
sets.intersects(list<A>, list<A>): bool

optional.of(A): optional<A>; optional.none(): optional<A>; optional.ofNonZeroValue(A): optional<A>
optional<A>.hasValue(): bool; optional<A>.value(): A; optional<A>.or(optional<A>): optional<A>
optional<A>.orValue(A): A

isURL(string): bool; url(string): kubernetes.URL
kubernetes.URL.getScheme(): string; kubernetes.URL.getHost(): string; kubernetes.URL.getHostname(): string
kubernetes.URL.getPort(): string; kubernetes.URL.getEscapedPath(): string
kubernetes.URL.getQuery(): map<string,list<string>>
isIP(string): bool; ip(string): net.IP; ip.isCanonical(string): bool; string(net.IP): string
net.IP.family(): int; net.IP.isUnspecified(): bool; net.IP.isLoopback(): bool
net.IP.isLinkLocalMulticast(): bool; net.IP.isLinkLocalUnicast(): bool; net.IP.isGlobalUnicast(): bool
isCIDR(string): bool; cidr(string): net.CIDR; string(net.CIDR): string
net.CIDR.containsIP(net.IP): bool; net.CIDR.containsIP(string): bool
net.CIDR.containsCIDR(net.CIDR): bool; net.CIDR.containsCIDR(string): bool
net.CIDR.ip(): net.IP; net.CIDR.masked(): net.CIDR; net.CIDR.prefixLength(): int
isQuantity(string): bool; quantity(string): kubernetes.Quantity
kubernetes.Quantity.isInteger(): bool; kubernetes.Quantity.asInteger(): int
kubernetes.Quantity.asApproximateFloat(): double; kubernetes.Quantity.sign(): int
kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity; kubernetes.Quantity.add(int): kubernetes.Quantity
kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity; kubernetes.Quantity.sub(int): kubernetes.Quantity
kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool; kubernetes.Quantity.compareTo(kubernetes.Quantity): int
kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool
isSemver(string): bool; isSemver(string, bool): bool
semver(string): kubernetes.Semver; semver(string, bool): kubernetes.Semver
kubernetes.Semver.major(): int; kubernetes.Semver.minor(): int; kubernetes.Semver.patch(): int
kubernetes.Semver.isLessThan(kubernetes.Semver): bool; kubernetes.Semver.isGreaterThan(kubernetes.Semver): bool
kubernetes.Semver.compareTo(kubernetes.Semver): int
isImage(string): bool; image(string): kubernetes.Image; kubernetes.Image.containsDigest(): bool
kubernetes.Image.registry(): string; kubernetes.Image.repository(): string; kubernetes.Image.identifier(): string
kubernetes.Image.tag(): string; kubernetes.Image.digest(): string
jsonpatch.escapeKey(string): string
format.named(string): optional<kubernetes.NamedFormat>
kubernetes.NamedFormat.validate(string): optional<list<string>>

kubernetes.authorization.Authorizer.path(string): kubernetes.authorization.PathCheck
kubernetes.authorization.Authorizer.group(string): kubernetes.authorization.GroupCheck
kubernetes.authorization.Authorizer.serviceAccount(string, string): kubernetes.authorization.Authorizer
kubernetes.authorization.PathCheck.check(string): kubernetes.authorization.Decision
kubernetes.authorization.GroupCheck.resource(string): kubernetes.authorization.ResourceCheck
kubernetes.authorization.ResourceCheck.subresource(string): kubernetes.authorization.ResourceCheck
kubernetes.authorization.ResourceCheck.namespace(string): kubernetes.authorization.ResourceCheck
kubernetes.authorization.ResourceCheck.name(string): kubernetes.authorization.ResourceCheck
kubernetes.authorization.ResourceCheck.fieldSelector(string): kubernetes.authorization.ResourceCheck
kubernetes.authorization.ResourceCheck.labelSelector(string): kubernetes.authorization.ResourceCheck
kubernetes.authorization.ResourceCheck.check(string): kubernetes.authorization.Decision
kubernetes.authorization.Decision.allowed(): bool; kubernetes.authorization.Decision.errored(): bool
kubernetes.authorization.Decision.error(): string; kubernetes.authorization.Decision.reason(): string
`;

const FORMAT_NAMES =
  'dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix dns1123SubdomainPrefix ' +
  'dns1035LabelPrefix labelValue uri uuid byte date datetime';
const TIMESTAMP_PARTS =
  'getFullYear getMonth getDayOfYear getDayOfMonth getDate getDayOfWeek getHours getMinutes getSeconds getMilliseconds';

/** Namespaces of functions: what stands before the dot is no receiver. */
const NAMESPACES = new Set(['format', 'ip', 'jsonpatch', 'lists', 'optional', 'sets', 'strings']);

const NAMED: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  bytes: BYTES,
  double: DOUBLE,
  duration: DURATION,
  dyn: DYN,
  int: INT,
  null: NULL,
  string: STRING,
  timestamp: TIMESTAMP,
  type: TYPE,
  uint: UINT,
};

/** The names of types that an expression may compare `type(x)` with. */
export const TYPE_NAMES: ReadonlySet<string> = new Set(
  'bool bytes double int list map null_type string type uint google.protobuf.Duration google.protobuf.Timestamp'.split(
    ' ',
  ),
);

let known: ReadonlyMap<string, readonly CelSignature[]> | undefined;

/** The functions of a name: `size`, `sets.contains`. */
export function signaturesOf(name: string): readonly CelSignature[] {
  known ??= allSignatures();
  return known.get(name) ?? [];
}

/** True for a function without a receiver whose name has a dot. */
export function isNamespaced(name: string): boolean {
  return NAMESPACES.has(name.split('.')[0] ?? '') && signaturesOf(name).length > 0;
}

function allSignatures(): ReadonlyMap<string, CelSignature[]> {
  const all = new Map<string, CelSignature[]>();
  const lines = [
    ...TEXT.split(/; |\n+/).filter((line) => line !== ''),
    ...FORMAT_NAMES.split(' ').map((name) => `format.${name}(): kubernetes.NamedFormat`),
    ...TIMESTAMP_PARTS.split(' ').flatMap((name) => [`timestamp.${name}(): int`, `timestamp.${name}(string): int`]),
  ];
  for (const line of lines) {
    const [head = '', tail = ''] = line.split('(');
    const [args = '', result = ''] = tail.split('): ');
    const dot = head.lastIndexOf('.');
    const [before, method] = [head.slice(0, Math.max(0, dot)), head.slice(dot + 1)];
    const isNamespace = NAMESPACES.has(before);
    const name = isNamespace ? `${before}.${method}` : method;
    const hasReceiver = before !== '' && !isNamespace;
    const types = [...(hasReceiver ? [before] : []), ...(args === '' ? [] : args.split(', '))].map(typeOfText);
    all.set(name, [...(all.get(name) ?? []), { args: types, hasReceiver, result: typeOfText(result) }]);
  }
  return all;
}

function typeOfText(text: string): CelType {
  const [, name = '', inner] = /^([\w.]+)(?:<(.*)>)?$/.exec(text) ?? [];
  const [first, second] = inner === undefined ? [] : inner.split(',').map(typeOfText);
  if (first !== undefined) {
    if (name === 'list') return listType(first);
    return name === 'map' ? mapType(first, second ?? DYN) : optionalType(first);
  }
  if (/^[A-Z]$/.test(name)) return param(name);
  return Object.hasOwn(NAMED, name) ? NAMED[name]! : opaque(name);
}
