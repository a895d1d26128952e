import { mainContainer } from './main-container.ts';
import { workload } from './workload.ts';
import { ownDocuments } from './served.ts';
import {
  type OwnKind,
  type Part,
  type PodKind,
  SharedFolder,
  sharesFiles,
  type StarterKind,
  type StarterOptions,
} from './parts.ts';

const prepare = (folder: SharedFolder): string[] => [
  '    - name: prepare # the next container starts when this one has ended with exit code 0',
  '      image: busybox:1.37',
  ...folder.lines(),
  '      command:',
  '        - sh',
  '        - -c',
  '        - |',
  '          echo "prepared at $(date)" > prepared',
  '          echo "everything is prepared"',
];

const sidecar = (folder: SharedFolder): string[] => [
  '    - name: tail # shows what the main container writes into its log file',
  '      image: busybox:1.37',
  '      # This makes it a sidecar: the next container starts as soon as it runs. It is stopped after main,',
  '      # and the Pod does not wait for its end.',
  '      restartPolicy: Always',
  ...folder.lines(),
  '      command:',
  '        - sh',
  '        - -c',
  '        - |',
  "          trap 'exit 0' TERM",
  '          touch main.log',
  '          tail -f main.log &',
  '          wait # a shell that waits hears SIGTERM at once',
];

/** A starter manifest of a kind with Pods as YAML: valid and runnable, with a comment about every field. */
export function starterManifest(options: StarterOptions): string {
  const { kind, isTask } = options;
  const spec = podSpec(options);
  const documents = [...records(options), kind === 'Pod' ? pod(options, spec) : workload(options, spec)];
  const title = TITLES[kind === 'Pod' && isTask ? 'task' : kind];
  const serves = kind === 'Deployment' || (kind === 'Pod' && !isTask);
  return manifestOf({ kind, title, serves, file: options.file }, documents);
}

/** A starter manifest of another kind, with the Pods that it leads to. */
export function ownManifest(kind: OwnKind, name: string, file: string | undefined): string {
  return manifestOf({ kind, title: OWN_TITLES[kind], serves: kind !== 'ConfigMap', file }, ownDocuments(kind, name));
}

const OWN_TITLES: Readonly<Record<OwnKind, string>> = {
  Service: 'A Service: one name and address for Pods, here for the Pods of a Deployment',
  Ingress: 'An Ingress: it leads a browser to the Service of a Deployment',
  ConfigMap: 'A ConfigMap: settings apart from the Pods that read them',
};

/** The objects that the Pod refers to. They come before the Pod, so that they exist when it starts. */
function records({ name, parts, isTask }: StarterOptions): string[] {
  const documents: Array<[Part, string]> = [
    [
      'configmap',
      `# Settings, apart from the Pod: each environment has its own.
apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}-settings
data:
  # Each key becomes an environment variable below, by envFrom. Values are text: quote numbers and booleans.
  GREETING: hello${isTask ? "\n  ROUNDS: '3'" : ''}`,
    ],
    [
      'secret',
      `# Like a ConfigMap, for secret values. Keep real ones out of version control.
apiVersion: v1
kind: Secret
metadata:
  name: ${name}-secret
stringData: # plain text; the API server stores it as base64 under data
  password: change-me`,
    ],
  ];
  return documents.filter(([part]) => parts.has(part)).map(([, text]) => text);
}

function pod({ name }: StarterOptions, spec: readonly string[]): string {
  return [
    'apiVersion: v1',
    'kind: Pod',
    'metadata:',
    `  name: ${name} # unique in its namespace; also the host name of the Pod`,
    '  labels:',
    `    app: ${name} # selectors find the Pod by its labels: podrun get pods -l app=${name}`,
    'spec:',
    ...spec,
  ].join('\n');
}

function podSpec(options: StarterOptions): string[] {
  const folder = new SharedFolder();
  return [
    ...RESTARTS[options.kind === 'Pod' && options.isTask ? 'task' : options.kind],
    '  # A container that has to stop gets SIGTERM, and SIGKILL after this many seconds. Default: 30.',
    '  terminationGracePeriodSeconds: 10',
    ...initContainers(options, folder),
    ...mainContainer(options, folder),
    ...volumes(options),
  ];
}

const OF_JOBS: readonly string[] = [
  '  # OnFailure: a container that ends with another exit code than 0 is restarted in its Pod.',
  '  # Never: the Pod is Failed, and the Job makes a new one.',
  '  restartPolicy: OnFailure',
];

/** The lines about the restart policy. */
const RESTARTS: Readonly<Record<PodKind | 'task', readonly string[]>> = {
  task: [
    '  # OnFailure: a container that ends with another exit code than 0 is restarted, at first at once, then',
    '  # after 10 s, 20 s, 40 s…',
    '  # Never: it is not restarted, and the Pod is Failed. Always, the default, is for servers.',
    '  restartPolicy: OnFailure',
  ],
  Pod: [
    '  # Always: a container that ends is restarted, at first at once, then after 10 s, 20 s, 40 s…',
    '  # OnFailure: only when its exit code was not 0. Never: it is not restarted.',
    '  restartPolicy: Always',
  ],
  Deployment: [
    '  # A container that ends is restarted, at first at once, then after 10 s, 20 s, 40 s… A Deployment has no other',
    '  # policy.',
    '  restartPolicy: Always',
  ],
  Job: OF_JOBS,
  CronJob: OF_JOBS,
};

const TITLES: Readonly<Record<PodKind | 'task', string>> = {
  task: 'A Pod that does its work and ends',
  Pod: 'A Pod that serves until podrun stops it',
  Deployment: 'A Deployment: Pods that serve until podrun stops them, and that a change of this file replaces',
  Job: 'A Job: Pods that do their work and end, and are tried again if they fail',
  CronJob: 'A CronJob: a Job at certain times, until podrun stops it',
};

interface Headline {
  readonly kind: StarterKind;
  readonly title: string;
  /** True when its Pods serve until podrun stops them. */
  readonly serves: boolean;
  readonly file: string | undefined;
}

function manifestOf({ kind, title, serves, file }: Headline, documents: readonly string[]): string {
  const manifest = file ?? 'FILE';
  const commands = serves
    ? [
        `#   podrun apply ${manifest}                 # Ctrl-C stops it`,
        `#   podrun apply ${manifest} --until ready   # stops it as soon as it is Ready; good for a first try`,
      ]
    : [`#   podrun apply ${manifest}`];
  const fields = kind === 'ConfigMap' ? 'configmap' : `${kind.toLowerCase()}.spec`;
  const lines = [
    `# ${title}. To run it:`,
    '#',
    ...commands,
    '#',
    `# podrun explain ${fields} lists all fields; podrun validate finds mistakes.`,
    '',
  ];
  return `${lines.join('\n')}\n${documents.join('\n---\n')}\n`;
}

function volumes(options: StarterOptions): string[] {
  if (!sharesFiles(options)) return [];
  return [
    '  volumes:',
    '    - name: work',
    '      emptyDir: {} # an empty folder for all containers; it is removed with the Pod',
  ];
}

/** The containers that start before the main container: preparation, then the sidecar. */
function initContainers({ parts }: StarterOptions, folder: SharedFolder): string[] {
  const containers = [...(parts.has('init') ? prepare(folder) : []), ...(parts.has('sidecar') ? sidecar(folder) : [])];
  return containers.length === 0
    ? []
    : ['  # They start in this order, before the containers below.', '  initContainers:', ...containers];
}
