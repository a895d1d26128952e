import { isApiAccess } from '../admission/service-account.ts';
import {
  checked,
  FIELD_BY_FIELD,
  is,
  noEffect,
  partly,
  type SupportTable,
  needsNamespaces,
  needsPodNetwork,
  unsafe,
  works,
} from './rule.ts';
import { type FieldRule, refused, type TypeRules } from './rule.ts';

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
    mountPropagation: noEffect(HOST_FILES, is('None')),
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
