import { type SharedFolder, sharesFiles, type StarterOptions } from './parts.ts';

/** The main container. */
export function mainContainer(options: StarterOptions, folder: SharedFolder): string[] {
  const { parts } = options;
  return [
    '  # They start together, and run side by side.',
    '  containers:',
    '    - name: main # unique in the Pod: podrun logs NAME -c main',
    '      # What a cluster pulls. podrun pulls nothing: it runs the command as a program of this machine.',
    '      image: busybox:1.37',
    ...(sharesFiles(options) ? folder.lines() : []),
    ...environment(options),
    '      # The program and its arguments, in place of what the image says. It is no shell, unless you call one.',
    '      command:',
    '        - sh',
    '        - -c',
    '        - |',
    ...script(options).map((line) => `          ${line}`),
    ...(parts.has('probes') ? PROBES : []),
    ...(parts.has('hooks') ? HOOKS : []),
    ...(parts.has('resources') ? RESOURCES : []),
  ];
}

function environment({ name, parts }: StarterOptions): string[] {
  const variables = [
    ...(parts.has('env') ? VARIABLES : []),
    ...(parts.has('secret')
      ? [
          '        - name: PASSWORD',
          '          valueFrom: # the Secret must be there, or the container does not start',
          `            secretKeyRef: { name: ${name}-secret, key: password }`,
        ]
      : []),
  ];
  return [
    ...(parts.has('configmap')
      ? ['      envFrom: # every key is a variable', `        - configMapRef: { name: ${name}-settings }`]
      : []),
    ...(variables.length === 0 ? [] : ['      env:', ...variables]),
  ];
}

const VARIABLES: readonly string[] = [
  '        - name: LOG_LEVEL',
  '          value: info # always text: quote numbers and booleans',
  '        - name: POD_NAME',
  '          valueFrom:',
  '            fieldRef: { fieldPath: metadata.name } # a fact about the Pod itself',
  '        - name: WHO',
  '          value: $(POD_NAME) at level $(LOG_LEVEL) # variables above can be used',
];

function script({ parts, isTask }: StarterOptions): string[] {
  const log = parts.has('sidecar') ? ' >> main.log' : '';
  const [greeting, rounds] = parts.has('configmap') ? ['$GREETING', '$ROUNDS'] : ['hello', '3'];
  return [
    'trap \'echo "told to stop"; exit 0\' TERM # SIGTERM: bring to an end what is open',
    `echo "${greeting}${parts.has('env') ? ', I am $WHO' : ''}"`,
    ...(parts.has('secret') ? ['echo "the password has ${#PASSWORD} characters"'] : []),
    ...(parts.has('init') ? ['cat prepared # the init container has left it'] : []),
    ...(parts.has('volume') ? ['date >> starts # still there after a restart'] : []),
    ...(parts.has('probes') ? ['touch ready # what the probes below look for'] : []),
    'round=0',
    isTask ? `while [ "$round" -lt "${rounds}" ]; do` : 'while true; do',
    '  round=$((round + 1))',
    `  echo "round $round"${log}`,
    ...(parts.has('probes') ? ['  touch alive # a sign of life for the liveness probe'] : []),
    `  sleep 1 & wait $! # a shell that waits hears SIGTERM at once`,
    'done',
  ];
}

const PROBES: readonly string[] = [
  '      # Until this has succeeded, the other probes do not run: time for a slow start, 30 times 1 s at most.',
  '      startupProbe:',
  '        exec: { command: [test, -e, ready] } # exit code 0 is good; or httpGet, tcpSocket, grpc',
  '        periodSeconds: 1 # how often it is tried',
  '        failureThreshold: 30 # so many failures in a row, and the container is started again',
  '      # While it fails, nobody sends requests here; the container goes on.',
  '      readinessProbe:',
  '        exec: { command: [test, -e, ready] }',
  '        periodSeconds: 5',
  '        timeoutSeconds: 1 # an attempt that takes longer has failed',
  '      # When it fails, the container is stuck, and is started again.',
  '      livenessProbe:',
  "        exec: { command: [sh, -c, 'find alive -mmin -1 | grep -q .'] } # touched within the last minute",
  '        periodSeconds: 10',
  '        failureThreshold: 3',
];

const HOOKS: readonly string[] = [
  '      lifecycle:',
  '        preStop: # runs before SIGTERM; the time that it takes is part of the grace period',
  '          exec: { command: [sh, -c, \'echo "no new requests from now on"\'] }',
];

const RESOURCES: readonly string[] = [
  '      resources:',
  '        requests: # what the scheduler sets aside for it',
  '          cpu: 100m # a tenth of a CPU',
  '          memory: 32Mi',
  '        limits: # what it can have at most',
  '          cpu: 500m # beyond that it is slowed down',
  '          memory: 64Mi # beyond that it is killed: OOMKilled, exit code 137',
];
