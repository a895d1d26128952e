import { type SharedFolder, sharesFiles, type StarterOptions } from './parts.ts';

export function mainContainer(options: StarterOptions, folder: SharedFolder): string[] {
  const { parts } = options;
  return [
    '  # These start together and run side by side.',
    '  containers:',
    '    - name: main # unique in the Pod: podrun logs NAME -c main',
    '      # A cluster pulls this image. podrun pulls nothing: it runs the command as a program of this machine.',
    '      image: busybox:1.37',
    ...(sharesFiles(options) ? folder.lines() : []),
    ...environment(options),
    '      # The program and its arguments. They replace the program of the image. No shell runs unless you call one.',
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
          '          valueFrom: # without the Secret, the container does not start',
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
    'trap \'echo "stopping"; exit 0\' TERM # SIGTERM: finish open work',
    `echo "${greeting}${parts.has('env') ? ', I am $WHO' : ''}"`,
    ...(parts.has('secret') ? ['echo "the password has ${#PASSWORD} characters"'] : []),
    ...(parts.has('init') ? ['cat prepared # written by the init container'] : []),
    ...(parts.has('volume') ? ['date >> starts # still there after a restart'] : []),
    ...(parts.has('probes') ? ['touch ready # the probes below look for this file'] : []),
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
  '      # The other probes do not run until this one has succeeded: time for a slow start, at most 30 times 1 s.',
  '      startupProbe:',
  '        exec: { command: [test, -e, ready] } # exit code 0 is a success; or httpGet, tcpSocket, grpc',
  '        periodSeconds: 1 # the time between two attempts',
  '        failureThreshold: 30 # after so many failures in a row, the container is restarted',
  '      # While it fails, the container gets no requests, but keeps running.',
  '      readinessProbe:',
  '        exec: { command: [test, -e, ready] }',
  '        periodSeconds: 5',
  '        timeoutSeconds: 1 # an attempt that takes longer has failed',
  '      # When it fails, the program is stuck: the container is restarted.',
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
  '        requests: # the scheduler reserves this',
  '          cpu: 100m # a tenth of a CPU',
  '          memory: 32Mi',
  '        limits: # the most that the container gets',
  '          cpu: 500m # more slows it down',
  '          memory: 64Mi # more kills it: OOMKilled, exit code 137',
];
