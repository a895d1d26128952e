import { type Identity, OWN_IDENTITY } from './base/confinement.ts';
import { type Inside, insideWith, type ProgramCall } from './base/inside.ts';
import type { SeccompProgram } from './base/seccomp.ts';
import { takeLastStep } from './start/last-step.ts';
import { moveLoaderVariables } from './start/loader-variables.ts';
import { findPerl } from './start/perl.ts';
import { findSetpriv } from './start/setpriv.ts';

/** The words before a program's argv that change its user and rights. */
type Prefix = readonly string[];

interface UserNamespace {
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
function identityPrefix(identity: Identity, setpriv: Prefix): Prefix {
  const options = setprivOptions(identity);
  return options.length === 0 ? [] : [...setpriv, ...options];
}

/**
 * The words before a program inside a user namespace, where podrun's user is root and the only user: another user
 * namespace in it shows that user under the requested uid. Groups cannot be chosen there.
 */
function seenIdentityPrefix(identity: Identity, setpriv: Prefix, namespace: UserNamespace): Prefix {
  return [...seenUserPrefix(identity, namespace), ...identityPrefix(rightsOf(identity), setpriv)];
}

function seenUserPrefix({ uid, gid }: Identity, { unshare, own }: UserNamespace): Prefix {
  return [...unshare, '--user', `--map-user=${uid ?? own.uid}`, `--map-group=${gid ?? own.gid}`];
}

function rightsOf({ capabilities, noNewPrivileges }: Identity): Identity {
  return { uid: undefined, gid: undefined, groups: undefined, capabilities, noNewPrivileges };
}

/**
 * The inside of a container whose programs run with an identity, and under a filter.
 * @param seccomp undefined: all system calls are permitted
 */
export function withIdentity(inside: Inside, identity: Identity | undefined, seccomp?: SeccompProgram): Inside {
  if (inside.ociRuntime !== undefined) return inside;
  if (seccomp !== undefined) return withFilter(inside, identity, seccomp);
  const { prefix, owner } = commandOf(inside, identity);
  if (prefix.length === 0) return inside;
  return insideWith(inside, { enter: (call) => inside.enter(prefixed(call, prefix, inside.tools)), owner });
}

/** One process takes the last step: an inside that changes the root itself, or perl in place of setpriv. */
function withFilter(inside: Inside, identity: Identity = OWN_IDENTITY, seccomp: SeccompProgram): Inside {
  const { tools } = inside;
  const { owner } = commandOf(inside, identity);
  const perl = tools === undefined ? findPerl() : tools.perl;
  const enter = (call: ProgramCall): ProgramCall => {
    if (inside.takesLastStep === true) return inside.enter({ ...call, last: { identity, seccomp } });
    if (perl === undefined) throw new Error('a container has a filter of system calls, but perl is missing');
    if (tools?.users !== 'single') return inside.enter(takeLastStep(call, { identity, seccomp }, perl));
    const step = takeLastStep(call, { identity: rightsOf(identity), seccomp }, perl);
    return inside.enter(prefixed(step, seenUserPrefix(identity, { unshare: tools.unshare, own: ownIds() }), tools));
  };
  return insideWith(inside, { enter, owner });
}

function ownIds(): UserNamespace['own'] {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

function commandOf(
  { tools }: Inside,
  identity: Identity = OWN_IDENTITY,
): { readonly prefix: Prefix; readonly owner: Inside['owner'] } {
  if (tools?.users === 'single') {
    const namespace = { unshare: tools.unshare, own: ownIds() };
    return { prefix: seenIdentityPrefix(identity, tools.setpriv, namespace), owner: undefined };
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
