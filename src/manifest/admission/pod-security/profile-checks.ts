import { goQuote } from '../../../api/index.ts';
import {
  type AnyContainer,
  type SecurityCheck,
  findingOf,
  named,
  namesOf,
  plural,
  quoted,
  securedContainers,
  setters,
  unique,
} from './findings.ts';

/** The types of SELinux that v1.0 permits. */
export const SELINUX_TYPES: readonly string[] = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

/** Options of SELinux. @param types permitted types */
export const seLinuxOptions =
  (types: readonly string[]): SecurityCheck =>
  (pod) => {
    type Options = { readonly type?: string; readonly user?: string; readonly role?: string } | undefined;
    const isBad = (options: Options): boolean =>
      Boolean(options?.user || options?.role) || !types.includes(options?.type ?? '');
    const own = pod.spec.securityContext?.seLinuxOptions as Options;
    const optionsOf = (container: AnyContainer): Options => container.securityContext?.seLinuxOptions as Options;
    const bad = securedContainers(pod).filter((container) => isBad(optionsOf(container)));
    const all = [own, ...bad.map(optionsOf)];
    const wrong = unique(all.map((options) => options?.type ?? '').filter((type) => !types.includes(type)));
    const what = [
      ...(wrong.length > 0 ? [`${plural(wrong.length, 'type')} ${quoted(wrong)}`] : []),
      ...(all.some((options) => options?.user) ? ['user may not be set'] : []),
      ...(all.some((options) => options?.role) ? ['role may not be set'] : []),
    ];
    const detail = `set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`;
    return findingOf('seLinuxOptions', setters(isBad(own), bad), detail);
  };

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

/** Profiles of AppArmor. */
export const appArmorProfile: SecurityCheck = (pod) => {
  const typeOf = (context: { readonly appArmorProfile?: { readonly type: string } | undefined } | undefined): string =>
    context?.appArmorProfile?.type ?? 'RuntimeDefault';
  const isBad = (type: string): boolean => type !== 'RuntimeDefault' && type !== 'Localhost';
  const own = typeOf(pod.spec.securityContext);
  const bad = securedContainers(pod).filter(({ securityContext }) => isBad(typeOf(securityContext)));
  const notes = Object.entries(pod.metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(APP_ARMOR) && !/^(?:|runtime\/default|localhost\/.*)$/.test(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .toSorted();
  const types = unique([own, ...bad.map(({ securityContext }) => typeOf(securityContext))].filter(isBad));
  const values = [...types, ...notes];
  const who = [setters(isBad(own), bad), ...(notes.length > 0 ? [plural(notes.length, 'annotation')] : [])];
  const detail = `must not set AppArmor profile type to ${quoted(values)}`;
  return findingOf(plural(values.length, 'forbidden AppArmor profile'), who.filter(Boolean).join(' and '), detail);
};

const POD_SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';

/** Before v1.19, annotations had the profiles. */
export const seccompAnnotations: SecurityCheck = (pod) => {
  const keys = [
    POD_SECCOMP,
    ...namesOf(securedContainers(pod)).map((name) => `container.${POD_SECCOMP.slice(0, -3)}${name}`),
  ];
  const bad = keys.flatMap((key) => {
    const value = pod.metadata?.annotations?.[key];
    if (value === undefined || /^(?:runtime\/default$|docker\/default$|localhost\/)/.test(value)) return [];
    return [`${key}=${goQuote(value)}`];
  });
  if (bad.length === 0) return undefined;
  const what = unique(bad);
  return { reason: 'seccompProfile', detail: `forbidden ${plural(what.length, 'annotation')} ${what.join(', ')}` };
};

/** @param isNeeded true: a Pod without a profile is forbidden as well */
export const seccompProfile =
  (isNeeded: boolean): SecurityCheck =>
  (pod) => {
    const own = pod.spec.securityContext?.seccompProfile?.type;
    const typeOf = ({ securityContext }: AnyContainer): string | undefined => securityContext?.seccompProfile?.type;
    const isBad = (type: string | undefined): boolean =>
      type !== undefined && type !== 'RuntimeDefault' && type !== 'Localhost';
    const containers = securedContainers(pod);
    const bad = containers.filter((container) => isBad(typeOf(container)));
    const types = unique([own, ...bad.map(typeOf)].filter((type) => type !== undefined && isBad(type)) as string[]);
    const where = 'securityContext.seccompProfile.type to';
    const explicit = findingOf('seccompProfile', setters(isBad(own), bad), `must not set ${where} ${quoted(types)}`);
    if (explicit !== undefined || !isNeeded || own !== undefined) return explicit;
    const without = containers.filter((container) => typeOf(container) === undefined);
    if (without.length === 0) return undefined;
    const detail = `pod or ${named(without)} must set ${where} "RuntimeDefault" or "Localhost"`;
    return { reason: 'seccompProfile', detail };
  };
