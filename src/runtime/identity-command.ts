import type { Identity } from './base/confinement.ts';
import { type Inside, insideWith, type ProgramCall } from './base/inside.ts';
import { moveLoaderVariables } from './start/loader-variables.ts';
import { findSetpriv } from './start/setpriv.ts';

/** The words before a program's argv that change its user and rights. */
type Prefix = readonly string[];

export interface UserNamespace {
  /** The words of unshare(1). */
  readonly unshare: Prefix;
  /** The ids that a container sees when its identity has none: podrun's. */
  readonly own: { readonly uid: number; readonly gid: number };
}

/**
 * The options of setpriv(1) for an identity. Empty: nothing changes.
 *
 * The bounding set decides: root gets all of it at the next execve, other users get nothing, as on a node. No
 * capability is inheritable or ambient: podrun may have been started with such capabilities itself.
 */
function setprivOptions({ uid, gid, groups, capabilities, noNewPrivileges }: Identity): string[] {
  const options: string[] = [];
  if (uid !== undefined) options.push('--reuid', String(uid));
  if (gid !== undefined) options.push('--regid', String(gid));
  if (groups !== undefined && groups.length > 0) options.push('--groups', groups.join(','));
  else if (groups !== undefined || uid !== undefined) options.push('--clear-groups');
  else if (gid !== undefined) options.push('--keep-groups');
  if (capabilities !== undefined) {
    const kept = capabilities.map((name) => `,+${name}`).join('');
    options.push('--bounding-set', `-all${kept}`, '--inh-caps', '-all');
  }
  if (noNewPrivileges) options.push('--no-new-privs');
  return options;
}

/** The words before a program that setpriv starts with an identity. */
export function identityPrefix(identity: Identity, setpriv: Prefix): Prefix {
  const options = setprivOptions(identity);
  return options.length === 0 ? [] : [...setpriv, ...options];
}

/**
 * The words before a program inside a user namespace, where podrun's user is root and the only user: another user
 * namespace in it shows that user under the requested uid. Groups cannot be chosen there.
 */
export function seenIdentityPrefix(
  { uid, gid, capabilities, noNewPrivileges }: Identity,
  setpriv: Prefix,
  { unshare, own }: UserNamespace,
): Prefix {
  const rights: Identity = { uid: undefined, gid: undefined, groups: undefined, capabilities, noNewPrivileges };
  return [
    ...unshare,
    '--user',
    `--map-user=${uid ?? own.uid}`,
    `--map-group=${gid ?? own.gid}`,
    ...identityPrefix(rights, setpriv),
  ];
}

/** The inside of a container whose programs run with an identity. */
export function withIdentity(inside: Inside, identity: Identity | undefined): Inside {
  if (inside.ociRuntime !== undefined) return inside;
  const { prefix, owner } = commandOf(inside, identity);
  if (prefix.length === 0) return inside;
  return insideWith(inside, { enter: (call) => inside.enter(prefixed(call, prefix, inside.tools)), owner });
}

const OWN: Identity = {
  uid: undefined,
  gid: undefined,
  groups: undefined,
  capabilities: undefined,
  noNewPrivileges: false,
};

function commandOf(
  { tools }: Inside,
  identity: Identity = OWN,
): { readonly prefix: Prefix; readonly owner: Inside['owner'] } {
  if (tools?.users === 'single') {
    const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    return { prefix: seenIdentityPrefix(identity, tools.setpriv, { unshare: tools.unshare, own }), owner: undefined };
  }
  if (setprivOptions(identity).length === 0) return { prefix: [], owner: undefined };
  const { uid, gid } = identity;
  const prefix = identityPrefix(identity, tools?.setpriv ?? [setprivOfHost()]);
  if (uid === undefined) return { prefix, owner: undefined };
  return { prefix, owner: tools?.users === 'mapped' ? 'mapped' : { uid, gid: gid ?? 0 } };
}

function setprivOfHost(): string {
  const setpriv = findSetpriv();
  if (setpriv === undefined) throw new Error('a container runs as another user, but setpriv is missing');
  return setpriv;
}

/** The program is found along its own PATH, as before, so that it sees its name unchanged. */
function prefixed(call: ProgramCall, prefix: Prefix, tools: Inside['tools']): ProgramCall {
  const { argv, env, cwd } = moveLoaderVariables(call, tools);
  const [file = argv[0], ...options] = prefix;
  return { file, argv: [file, ...options, ...argv], env, cwd };
}
