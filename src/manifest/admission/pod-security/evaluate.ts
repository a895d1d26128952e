import { isSameJson, type KubeObject, type StoredPod } from '../../../api/index.ts';
import { type LevelVersion, podSecurityOf } from '../../base/pod-security-labels.ts';
import { podIn } from '../../base/pod-specs.ts';
import { type PodSecurityFinding, securedContainers, type SecuredPod, type SecurityCheck } from './findings.ts';
import {
  hostNamespaces,
  hostPathVolumes,
  hostProbes,
  noHostPorts,
  privileged,
  procMount,
  windowsHostProcess,
} from './host-checks.ts';
import {
  appArmorProfile,
  seccompAnnotations,
  seccompProfile,
  SELINUX_TYPES,
  seLinuxOptions,
} from './profile-checks.ts';
import {
  allowPrivilegeEscalation,
  capabilitiesBaseline,
  capabilitiesRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  SYSCTLS,
  sysctls,
  SYSCTLS_27,
  SYSCTLS_29,
  SYSCTLS_32,
} from './rights-checks.ts';

/**
 * Pod Security admission: the labels of a namespace say which Pods it takes.
 * Source: pod-security-admission/admission/admission.go.
 */
type Labels = Readonly<Record<string, string>> | undefined;

/** Skips a check of a Pod whose users are not the users of the node, since v1.35. */
const unlessOwnUsers =
  (check: SecurityCheck): SecurityCheck =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);

/** Skips a check that Windows does not know, since v1.25. */
const unlessWindows =
  (check: SecurityCheck): SecurityCheck =>
  (pod) =>
    pod.spec.os?.name === 'windows' ? undefined : check(pod);

/**
 * The checks in the order of their messages. Source: pod-security-admission/policy.
 */
const POD_SECURITY_CHECKS: readonly VersionedCheck[] = [
  { level: 'baseline', since: { 0: appArmorProfile } },
  { level: 'baseline', overriddenSince: 22, since: { 0: capabilitiesBaseline } },
  { level: 'baseline', since: { 0: hostNamespaces } },
  { level: 'baseline', overriddenSince: 0, since: { 0: hostPathVolumes } },
  { level: 'baseline', since: { 0: noHostPorts } },
  { level: 'baseline', since: { 34: hostProbes } },
  { level: 'baseline', since: { 0: privileged } },
  { level: 'baseline', since: { 0: procMount, 35: unlessOwnUsers(procMount) } },
  {
    level: 'baseline',
    since: { 0: seLinuxOptions(SELINUX_TYPES), 31: seLinuxOptions([...SELINUX_TYPES, 'container_engine_t']) },
  },
  {
    level: 'baseline',
    overriddenSince: 19,
    since: { 0: seccompAnnotations, 19: seccompProfile(false) },
  },
  {
    level: 'baseline',
    since: { 0: sysctls(SYSCTLS), 27: sysctls(SYSCTLS_27), 29: sysctls(SYSCTLS_29), 32: sysctls(SYSCTLS_32) },
  },
  { level: 'baseline', since: { 0: windowsHostProcess } },
  { level: 'restricted', since: { 8: allowPrivilegeEscalation, 25: unlessWindows(allowPrivilegeEscalation) } },
  { level: 'restricted', since: { 22: capabilitiesRestricted, 25: unlessWindows(capabilitiesRestricted) } },
  { level: 'restricted', since: { 0: restrictedVolumes } },
  { level: 'restricted', since: { 0: runAsNonRoot, 35: unlessOwnUsers(runAsNonRoot) } },
  { level: 'restricted', since: { 23: runAsUser, 35: unlessOwnUsers(runAsUser) } },
  { level: 'restricted', since: { 19: seccompProfile(true), 25: unlessWindows(seccompProfile(true)) } },
];

/** The newest version for which a check has changed: later ones are the same. */
const NEWEST = Math.max(...POD_SECURITY_CHECKS.flatMap(({ since }) => Object.keys(since).map(Number)));

function findingsIn(pod: SecuredPod, { level, version }: LevelVersion): PodSecurityFinding[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? NEWEST : Math.min(NEWEST, Number(version.slice('v1.'.length)));
  return POD_SECURITY_CHECKS.flatMap((check) => {
    const isOther =
      level === 'baseline'
        ? check.level === 'restricted'
        : minor >= (check.overriddenSince ?? Number.POSITIVE_INFINITY);
    const from = Math.max(
      ...Object.keys(check.since)
        .map(Number)
        .filter((since) => since <= minor),
    );
    return (isOther ? undefined : check.since[from]?.(pod)) ?? [];
  });
}

const rulesText = ({ level, version }: LevelVersion): string => JSON.stringify(`${level}:${version}`);

function violation(pod: SecuredPod, rules: LevelVersion): string | undefined {
  const findings = findingsIn(pod, rules);
  if (findings.length === 0) return undefined;
  const texts = findings.map(({ reason, detail }) => `${reason} (${detail})`);
  return `violate PodSecurity ${rulesText(rules)}: ${texts.join(', ')}`;
}

/**
 * Why a namespace does not take a Pod. Undefined: it does, or the change concerns nothing of Pod Security.
 * @param labels of the namespace
 * @param before undefined: the Pod is new
 */
export function podSecurityProblem(labels: Labels, pod: StoredPod, before?: StoredPod): string | undefined {
  if (before !== undefined && isSameSecurity(pod, before)) return undefined;
  return violation(pod, podSecurityOf(labels, 'enforce'))?.replace('violate', 'violates');
}

/**
 * The warning of a namespace about a Pod that it takes, or about a workload. Undefined: none.
 * @param labels of the namespace
 * @param before undefined: the object is new
 */
export function podSecurityWarning(labels: Labels, object: KubeObject, before?: KubeObject): string | undefined {
  const rules = podSecurityOf(labels, 'warn');
  const pod = rules.level === 'privileged' ? undefined : judgedPod(object, before);
  const text = pod && violation(pod, rules);
  return text && `would ${text}`;
}

/** The prefix of the annotations of audit events. Source: pod-security-admission/api/constants.go. */
const ANNOTATION = 'pod-security.kubernetes.io';

/**
 * The annotations of the audit event about a write of a Pod or workload: the rules that hold for the Pod, and what it
 * would violate of the rules that only an audit looks at.
 * @param labels of the namespace
 * @param before undefined: the object is new
 */
export function podSecurityAnnotations(
  labels: Labels,
  object: KubeObject,
  before?: KubeObject,
): Readonly<Record<string, string>> {
  const pod = judgedPod(object, before);
  if (pod === undefined) return {};
  const { level, version } = podSecurityOf(labels, 'enforce');
  const text = violation(pod, podSecurityOf(labels, 'audit'));
  return {
    ...(object.kind === 'Pod' && { [`${ANNOTATION}/enforce-policy`]: `${level}:${version}` }),
    ...(text && { [`${ANNOTATION}/audit-violations`]: `would ${text}` }),
  };
}

/** The Pod, or the template of a workload. Undefined: there is none, or the change concerns nothing of Pod Security. */
function judgedPod(object: KubeObject, before: KubeObject | undefined): SecuredPod | undefined {
  const pod = podIn({ ...object })?.pod as SecuredPod | undefined;
  if (!Array.isArray((pod?.spec as Partial<SecuredPod['spec']> | undefined)?.containers)) return undefined;
  const isSame = object.kind === 'Pod' && before !== undefined && pod !== undefined;
  return isSame && isSameSecurity(pod, before as unknown as StoredPod) ? undefined : pod;
}

/** True when nothing that the checks look at differs: images and tolerations may change. */
function isSameSecurity(pod: SecuredPod, before: SecuredPod): boolean {
  const facts = (each: SecuredPod): unknown => ({
    annotations: Object.entries(each.metadata?.annotations ?? {}).filter(([key]) => /apparmor|seccomp/.test(key)),
    containers: securedContainers(each).map(({ name, securityContext }) => [name, securityContext ?? null]),
  });
  return isSameJson(facts(pod), facts(before));
}

/**
 * The warnings about the Pods of a namespace that stricter labels would not take: they stay.
 * @param before the labels until now
 */
export function podSecurityChangeWarnings(
  { metadata: { name, labels } }: KubeObject,
  before: Labels,
  pods: readonly StoredPod[],
): string[] {
  const [rules, old] = [podSecurityOf(labels, 'enforce'), podSecurityOf(before, 'enforce')];
  const isStricter = rules.level !== old.level && !(rules.level === 'baseline' && old.level === 'restricted');
  if (!isStricter && rules.version === old.version) return [];
  const reasonsOf = (pod: StoredPod): string =>
    findingsIn(pod, rules)
      .map(({ reason }) => reason)
      .join(', ');
  const judged = pods.toSorted(byName).map((pod) => [reasonsOf(pod), pod] as const);
  const kinds = new Set(judged.map(([reasons]) => reasons).filter((reasons) => reasons !== ''));
  const lines = [...kinds].flatMap((reasons) => {
    const [first, ...others] = judged.filter(([own]) => own === reasons).map(([, pod]) => pod);
    if (first === undefined) return [];
    const more = others.length === 0 ? '' : ` (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`;
    return [`${first.metadata.name}${more}: ${reasons}`];
  });
  if (lines.length === 0) return [];
  const where = `existing pods in namespace ${JSON.stringify(name)}`;
  return [`${where} violate the new PodSecurity enforce level ${rulesText(rules)}`, ...lines];
}

const byName = (a: StoredPod, b: StoredPod): number => (a.metadata.name < b.metadata.name ? -1 : 1);

/** A check, by the minor versions of the rules from which it has each form. */
interface VersionedCheck {
  readonly level: 'baseline' | 'restricted';
  /** The version from which a check of `restricted` says more about the same. Default: none does. */
  readonly overriddenSince?: number;
  readonly since: Readonly<Record<number, SecurityCheck>>;
}
