import type { AuthorizationMode } from '../../apiserver/index.ts';
import { SERVICE_RANGE } from '../../network/index.ts';
import { type EnvtestMode, withMode } from '../base/mode.ts';
import { SWITCHES, VALUES } from './known-flags.ts';

/** The flags of kube-apiserver that have an effect here. */
export interface ApiFlags {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly certDir: string;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly clientCaFile: string | undefined;
  readonly issuer: string | undefined;
  readonly accountKeyFiles: readonly string[];
  readonly signingKeyFile: string | undefined;
  readonly serviceRange: string;
  readonly authorization: AuthorizationMode;
  readonly tokenFile: string | undefined;
  readonly refusesAnonymous: boolean;
  readonly auditLog: string | undefined;
  readonly admitsAccounts: boolean;
  readonly frontProxy: { readonly caFile: string; readonly certFile: string; readonly keyFile: string } | undefined;
}

type ReadFlags =
  | { readonly ok: true; readonly flags: ApiFlags; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly error: string };

/** The flags that mean what podrun does anyway, with the values for which that is true. */
const AS_HERE: Readonly<Record<string, RegExp>> = {
  'allow-privileged': /^true$/,
  'enable-priority-and-fairness': /./,
  'etcd-servers': /./,
  'insecure-port': /^0$/,
  'storage-backend': /^etcd3$/,
};

/** The flags that `effective` reads. */
const EFFECTIVE: ReadonlySet<string> = new Set([
  'anonymous-auth',
  'audit-log-path',
  'authorization-mode',
  'bind-address',
  'cert-dir',
  'client-ca-file',
  'disable-admission-plugins',
  'enable-admission-plugins',
  'proxy-client-cert-file',
  'proxy-client-key-file',
  'requestheader-client-ca-file',
  'secure-port',
  'service-account-issuer',
  'service-account-key-file',
  'service-account-signing-key-file',
  'service-cluster-ip-range',
  'tls-cert-file',
  'tls-private-key-file',
  'token-auth-file',
]);

/**
 * Reads the command line of kube-apiserver: `--name=value`, `--name value`, and `--switch`. Flags without effect are
 * named in one warning: a cluster with controllers has its own range of addresses, and its Pods have ServiceAccounts.
 * An error has kube-apiserver's own words.
 */
export function readApiFlags(argv: readonly string[], mode: EnvtestMode): ReadFlags {
  const given = new Map<string, readonly string[]>();
  for (let at = 0; at < argv.length; at++) {
    const [, name = '', assigned] = /^--?([^=]+)(?:=(.*))?$/s.exec(argv[at] ?? '') ?? [];
    const isSwitch = SWITCHES.has(name);
    if (name === '') return { ok: false, error: `unknown command "${argv[at]}" for "kube-apiserver"` };
    if (!isSwitch && !VALUES.has(name)) return { ok: false, error: `unknown flag: --${name}` };
    const value = assigned ?? (isSwitch ? 'true' : argv[++at]);
    if (value === undefined) return { ok: false, error: `flag needs an argument: --${name}` };
    given.set(name, [...(given.get(name) ?? []), value]);
  }
  return effective(given, mode);
}

function effective(given: ReadonlyMap<string, readonly string[]>, mode: EnvtestMode): ReadFlags {
  const last = (name: string): string | undefined => given.get(name)?.at(-1) || undefined;
  const listed = (name: string): string[] => (given.get(name) ?? []).flatMap((value) => value.split(','));
  const port = Number(last('secure-port') ?? '6443');
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return { ok: false, error: `--secure-port ${last('secure-port')} must be between 0 and 65535, inclusive` };
  }
  const [range] = listed('service-cluster-ip-range');
  const serviceRange = range ?? '10.0.0.0/24';
  if (!/^(\d{1,3}\.){3}\d{1,3}\/\d{1,2}$/.test(serviceRange)) {
    return { ok: false, error: `--service-cluster-ip-range ${serviceRange}: podrun has ranges of IPv4 only` };
  }
  const modes = listed('authorization-mode');
  const plugins = { off: listed('disable-admission-plugins'), on: listed('enable-admission-plugins') };
  const [caFile, certFile, keyFile] = [
    last('requestheader-client-ca-file'),
    last('proxy-client-cert-file'),
    last('proxy-client-key-file'),
  ];
  const hasFrontProxy = caFile !== undefined && certFile !== undefined && keyFile !== undefined;
  const without = [
    ...[...given].filter(([name, values]) => !hasEffect(name, values)).map(([name]) => `--${name}`),
    ...modes.filter((name) => name !== 'RBAC' && name !== 'AlwaysAllow').map((name) => `--authorization-mode=${name}`),
    ...plugins.off
      .filter((name) => name !== 'ServiceAccount' || mode !== 'api')
      .map((name) => `--disable-admission-plugins=${name}`),
    ...(mode !== 'api' && ![undefined, SERVICE_RANGE].includes(range) ? ['--service-cluster-ip-range'] : []),
    ...(caFile !== undefined && !hasFrontProxy ? ['--requestheader-client-ca-file'] : []),
  ];
  return {
    ok: true,
    warnings:
      without.length === 0 ? [] : [`these flags have no effect in podrun${withMode(mode)}: ${without.join(', ')}`],
    flags: {
      host: last('bind-address') ?? '0.0.0.0',
      port,
      certDir: last('cert-dir') ?? '/var/run/kubernetes',
      certFile: last('tls-cert-file'),
      keyFile: last('tls-private-key-file'),
      clientCaFile: last('client-ca-file'),
      issuer: given.get('service-account-issuer')?.[0],
      accountKeyFiles: given.get('service-account-key-file') ?? [],
      signingKeyFile: last('service-account-signing-key-file'),
      serviceRange,
      authorization: modes.length === 0 || modes.includes('AlwaysAllow') ? 'always-allow' : 'rbac',
      tokenFile: last('token-auth-file'),
      refusesAnonymous: last('anonymous-auth') === 'false',
      auditLog: last('audit-log-path'),
      admitsAccounts: !plugins.off.includes('ServiceAccount'),
      frontProxy: hasFrontProxy ? { caFile, certFile, keyFile } : undefined,
    },
  };
}

function hasEffect(name: string, values: readonly string[]): boolean {
  const here = AS_HERE[name];
  return EFFECTIVE.has(name) || (here !== undefined && values.every((value) => here.test(value)));
}
