import { initContainers } from './init-containers.ts';
import { mainContainer } from './main-container.ts';
import { type Part, SharedFolder, sharesFiles, type StarterOptions } from './parts.ts';

/** A starter manifest as YAML: valid and runnable, with a comment about every field. */
export function starterManifest(options: StarterOptions): string {
  const documents = [...records(options), pod(options)];
  return `${headline(options).join('\n')}\n${documents.join('\n---\n')}\n`;
}

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

function pod(options: StarterOptions): string {
  const { name, isTask } = options;
  const folder = new SharedFolder();
  return [
    'apiVersion: v1',
    'kind: Pod',
    'metadata:',
    `  name: ${name} # unique in its namespace; also the host name of the Pod`,
    '  labels:',
    `    app: ${name} # selectors find the Pod by its labels: podrun get pods -l app=${name}`,
    'spec:',
    ...(isTask
      ? [
          '  # OnFailure: a container that ends with another exit code than 0 is restarted, at first at once, then',
          '  # after 10 s, 20 s, 40 s…',
          '  # Never: it is not restarted, and the Pod is Failed. Always, the default, is for servers.',
          '  restartPolicy: OnFailure',
        ]
      : [
          '  # Always: a container that ends is restarted, at first at once, then after 10 s, 20 s, 40 s…',
          '  # OnFailure: only when its exit code was not 0. Never: it is not restarted.',
          '  restartPolicy: Always',
        ]),
    '  # A container that has to stop gets SIGTERM, and SIGKILL after this many seconds. Default: 30.',
    '  terminationGracePeriodSeconds: 10',
    ...initContainers(options, folder),
    ...mainContainer(options, folder),
    ...volumes(options),
  ].join('\n');
}

function headline({ isTask, file }: StarterOptions): string[] {
  const manifest = file ?? 'FILE';
  const runs = isTask
    ? ['# A Pod that does its work and ends. To run it:', '#', `#   podrun apply ${manifest}`]
    : [
        '# A Pod that serves until podrun stops it. To run it:',
        '#',
        `#   podrun apply ${manifest}                 # Ctrl-C stops it`,
        `#   podrun apply ${manifest} --until ready   # stops it as soon as it is Ready; good for a first try`,
      ];
  return [...runs, '#', '# podrun explain pod.spec lists all fields; podrun validate finds mistakes.', ''];
}

function volumes(options: StarterOptions): string[] {
  if (!sharesFiles(options)) return [];
  return [
    '  volumes:',
    '    - name: work',
    '      emptyDir: {} # an empty folder for all containers; it is removed with the Pod',
  ];
}
