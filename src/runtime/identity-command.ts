import type { Identity } from './confinement.ts';
import type { RuntimeFeatures } from './features.ts';
import { HOST, type Inside, type ProgramCall } from './inside.ts';
import { withLoaderVariablesAside } from './loader-variables.ts';
import { findSetpriv } from './setpriv.ts';

/** What comes before a program so that it runs as somebody else; each word is one of its argv. */
type Prefix = readonly string[];

export interface UserNamespace {
  /** Absolute path of the program of util-linux. */
  readonly unshare: string;
  /** Whom the container sees itself as, when it asks for nobody: podrun. */
  readonly own: { readonly uid: number; readonly gid: number };
}

/**
 * The options of setpriv(1) that make a process somebody; none: nothing is to be changed.
 *
 * The bounding set is what counts: root gets all of it at the next execve, others nothing, as on a node. Nothing is
 * inheritable, and so nothing ambient: podrun may have been started with such capabilities itself.
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

/** What comes before a program that setpriv is to run as somebody. */
export function identityPrefix(identity: Identity, setpriv: string): Prefix {
  const options = setprivOptions(identity);
  return options.length === 0 ? [] : [setpriv, ...options];
}

/**
 * The same inside a user namespace in which podrun's user is root, and the only one: another namespace in it shows that
 * user by the number that was asked for. Groups cannot be chosen there.
 */
export function seenIdentityPrefix(
  { uid, gid, capabilities, noNewPrivileges }: Identity,
  setpriv: string,
  { unshare, own }: UserNamespace,
): Prefix {
  const rights: Identity = { uid: undefined, gid: undefined, groups: undefined, capabilities, noNewPrivileges };
  return [
    unshare,
    '--user',
    `--map-user=${uid ?? own.uid}`,
    `--map-group=${gid ?? own.gid}`,
    ...identityPrefix(rights, setpriv),
  ];
}

/** The inside of a container whose programs run as somebody. */
export function withIdentity(
  inside: Inside,
  identity: Identity | undefined,
  features: RuntimeFeatures | undefined,
): Inside {
  const { prefix, owner } = commandOf(inside, identity, features);
  if (prefix.length === 0) return inside;
  return {
    pathOf: (path) => inside.pathOf(path),
    enter: (call) => inside.enter(prefixed(call, prefix)),
    programOf: (pid) => inside.programOf(pid),
    isSealed: inside.isSealed,
    hasOwnNumbers: inside.hasOwnNumbers,
    owner,
    kill: () => inside.kill(),
    end: () => inside.end(),
  };
}

const OWN: Identity = {
  uid: undefined,
  gid: undefined,
  groups: undefined,
  capabilities: undefined,
  noNewPrivileges: false,
};

function commandOf(
  inside: Inside,
  identity: Identity = OWN,
  features: RuntimeFeatures | undefined,
): { readonly prefix: Prefix; readonly owner: Inside['owner'] } {
  const namespaces = inside === HOST ? undefined : features?.namespaces;
  if (namespaces?.mode === 'user') {
    const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const { unshare, setpriv } = namespaces.tools;
    return { prefix: seenIdentityPrefix(identity, setpriv, { unshare, own }), owner: undefined };
  }
  if (setprivOptions(identity).length === 0) return { prefix: [], owner: undefined };
  const setpriv = namespaces?.tools.setpriv ?? findSetpriv();
  if (setpriv === undefined) throw new Error('a container is to run as somebody else, and there is no setpriv');
  const { uid, gid } = identity;
  return { prefix: identityPrefix(identity, setpriv), owner: uid === undefined ? undefined : { uid, gid: gid ?? 0 } };
}

/** The program is found along its own PATH, as its lookup has found it, so that it sees its name as it was given. */
function prefixed(call: ProgramCall, prefix: Prefix): ProgramCall {
  const { argv, env, cwd } = withLoaderVariablesAside(call);
  const [file = argv[0], ...options] = prefix;
  return { file, argv: [file, ...options, ...argv], env, cwd };
}
