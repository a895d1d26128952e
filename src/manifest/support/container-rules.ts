import { dottedSysctl, type Sysctl } from '../../api/index.ts';
import { isApiAccess } from '../admission/service-account.ts';
import {
  checked,
  FIELD_BY_FIELD,
  type FieldRule,
  is,
  type Isolation,
  needs,
  needsNamespaces,
  needsPodNetwork,
  noEffect,
  partly,
  refused,
  type SupportTable,
  type TypeRules,
  unsafe,
  works,
} from './rule.ts';

const HOST_FILES = 'containers see the files of the host';
const LIMITS = 'memory and cpu: where podrun may make cgroups; elsewhere an event says that they do not hold';
const TERMINAL = 'where neither @lydell/node-pty nor script(1) of util-linux is installed, there is no terminal';
const ONLY_SHOWN = 'only shown, as on a node';

/** The API server mounts the token read-only by itself: the manifest did not request it. */
const isWritableOrToken: FieldRule['isHarmless'] = (readOnly, { name }) =>
  readOnly === false || isApiAccess(String(name));

const RESOURCES: TypeRules = {
  ...works('requests'),
  limits: partly(LIMITS),
  claims: refused('there are no devices to claim'),
};

const CONTAINER: TypeRules = {
  ...works('name', 'command', 'args', 'workingDir', 'env', 'envFrom'),
  ...works('livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'),
  ...works('restartPolicy', 'restartPolicyRules', 'imagePullPolicy', 'terminationMessagePolicy', 'resizePolicy'),
  image: partly('with namespaces; else podrun.yaml or --image names the program that replaces it'),
  securityContext: FIELD_BY_FIELD,
  resources: FIELD_BY_FIELD,
  ports: FIELD_BY_FIELD,
  ...works('stdin', 'stdinOnce'),
  tty: partly(TERMINAL),
  terminationMessagePath: partly('where it cannot be written to, $PODRUN_TERMINATION_LOG names the file'),
  volumeMounts: FIELD_BY_FIELD,
  volumeDevices: refused('there are no block devices'),
};

const FOR_EPHEMERAL = refused('a cluster refuses it, too: not allowed for ephemeral containers');

/** The rules of containers and their parts. The rules of their security contexts are in security-rules.ts. */
export const CONTAINER_RULES: SupportTable = {
  Container: CONTAINER,
  EphemeralContainer: {
    ...CONTAINER,
    targetContainerName: partly('also gives the environment and the working directory of that container'),
    ...Object.fromEntries(
      [
        'ports',
        'livenessProbe',
        'readinessProbe',
        'startupProbe',
        'lifecycle',
        'resources',
        'resizePolicy',
        'restartPolicy',
        'restartPolicyRules',
      ].map((field) => [field, FOR_EPHEMERAL]),
    ),
  },
  ContainerResizePolicy: works('resourceName', 'restartPolicy'),
  ContainerPort: {
    ...works('name'),
    containerPort: checked('the process listens on the ports it opens; probes may use the name'),
    protocol: checked(ONLY_SHOWN),
    hostPort: needsPodNetwork(
      noEffect(
        'the process listens on the ports it opens',
        (port, { containerPort }) => port === 0 || port === containerPort,
      ),
    ),
    hostIP: needsPodNetwork(noEffect('the process chooses the addresses on which it listens')),
  },
  ResourceRequirements: RESOURCES,
  VolumeMount: {
    ...works('name', 'subPath', 'subPathExpr'),
    mountPath: partly('the folder is elsewhere, where $PODRUN_VOLUME_NAME says'),
    readOnly: needsNamespaces(unsafe(HOST_FILES, isWritableOrToken)),
    recursiveReadOnly: noEffect(HOST_FILES, is('Disabled')),
    mountPropagation: needsNamespaces(noEffect(HOST_FILES, is('None'))),
  },
  EnvVar: works('name', 'value', 'valueFrom'),
  EnvVarSource: works('fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'),
  ConfigMapKeySelector: works('name', 'key', 'optional'),
  SecretKeySelector: works('name', 'key', 'optional'),
  FileKeySelector: works('volumeName', 'path', 'key', 'optional'),
  EnvFromSource: works('prefix', 'configMapRef', 'secretRef'),
  ConfigMapEnvSource: works('name', 'optional'),
  SecretEnvSource: works('name', 'optional'),
  ObjectFieldSelector: { apiVersion: checked('always v1'), ...works('fieldPath') },
  ResourceFieldSelector: works('containerName', 'resource', 'divisor'),
  ContainerRestartRule: works('action', 'exitCodes'),
  ContainerRestartRuleOnExitCodes: works('operator', 'values'),
  Probe: {
    ...works('exec', 'httpGet', 'tcpSocket', 'grpc', 'initialDelaySeconds', 'timeoutSeconds', 'periodSeconds'),
    ...works('successThreshold', 'failureThreshold', 'terminationGracePeriodSeconds'),
  },
  Lifecycle: { ...works('postStart', 'preStop', 'stopSignal') },
  LifecycleHandler: works('exec', 'httpGet', 'tcpSocket', 'sleep'),
  ExecAction: works('command'),
  HTTPGetAction: works('path', 'port', 'host', 'scheme', 'httpHeaders'),
  HTTPHeader: works('name', 'value'),
  TCPSocketAction: works('port', 'host'),
  GRPCAction: works('port', 'service'),
  SleepAction: works('seconds'),
};

const NO_LABELS = 'containers have the label of podrun';
const IDENTITY = 'as root, and as what the container sees in the namespace tier; else it does not start';
const GROUPS = 'as root; other users have the groups of podrun, and an event says so';
const CAPABILITIES = 'the capabilities of podrun; in the user namespace of an ordinary user they hold there only';
const PROFILE = partly('a container that names one does not start');

/** The rule for the type of a profile, which nothing applies. A container with a local profile does not start. */
const profileType = (note: string): FieldRule => unsafe(note, is('Unconfined', 'Localhost'));

/** True where the namespaces of all sysctls are the Pod's. With one that a kubelet does not permit, it does not run. */
function sysctlsWork(value: unknown, { hasNamespaces = false, hasPodNetwork = false }: Isolation): boolean {
  const sysctls = Array.isArray(value) ? (value as Partial<Sysctl>[]) : [];
  const names = sysctls.map(({ name = '' }) => dottedSysctl(name));
  return names.every((name) =>
    name.startsWith('net.') ? hasPodNetwork : hasNamespaces || !name.startsWith('kernel.shm'),
  );
}

/** The rules that the security contexts of Pods and of containers share. */
const SHARED: TypeRules = {
  seccompProfile: FIELD_BY_FIELD,
  appArmorProfile: FIELD_BY_FIELD,
  seLinuxOptions: noEffect(NO_LABELS),
  windowsOptions: noEffect('this is no Windows node'),
  runAsUser: partly(IDENTITY),
  runAsGroup: partly(IDENTITY),
  ...works('runAsNonRoot'),
};

/** The rules of security contexts. Events report the effects that depend on the machine. */
export const SECURITY_RULES: SupportTable = {
  PodSecurityContext: {
    ...SHARED,
    fsGroup: partly('as root; other users give volumes to groups that they are in, and an event says so'),
    ...works('fsGroupChangePolicy'),
    supplementalGroups: partly(GROUPS),
    supplementalGroupsPolicy: partly(GROUPS),
    seLinuxChangePolicy: noEffect(NO_LABELS),
    sysctls: needs(
      noEffect(
        'kernel.shm_rmid_forced takes namespaces, net.* takes --network cluster or pod; ' +
          'a kubelet permits no more sysctls',
      ),
      sysctlsWork,
    ),
  },
  SecurityContext: {
    ...SHARED,
    privileged: partly('all capabilities that podrun has; an event says so where it is not root'),
    capabilities: FIELD_BY_FIELD,
    allowPrivilegeEscalation: partly('where setpriv of util-linux is installed; else an event says so'),
    readOnlyRootFilesystem: partly('in the namespace tier; else the container does not start'),
    procMount: partly('in the namespace tier as on a node; else /proc is never masked'),
  },
  Capabilities: { add: partly(CAPABILITIES), drop: partly('as root; other users have no capabilities') },
  SeccompProfile: {
    type: partly('with an OCI runtime, or where perl is installed; else an event says that all calls are permitted'),
    localhostProfile: partly('a file below the folder seccomp of the state folder, or below --seccomp-root'),
  },
  AppArmorProfile: { type: profileType('containers have the profile of podrun'), localhostProfile: PROFILE },
};
