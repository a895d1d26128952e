import type { Container, EnvVar, KubeObject, StoredKubeObject } from '../../api/index.ts';

/** The objects of `kubectl run` and `kubectl create`, with the fields that kubectl prints though they are empty. */

type Texts = Readonly<Record<string, string>>;

/** A container as the user of a command describes it. */
export interface WantedContainer {
  readonly name: string;
  readonly image: string;
  /** Undefined: the command of the image. */
  readonly command: readonly string[] | undefined;
}

function containerOf({ name, image, command }: WantedContainer): Container {
  return { name, image, ...(command === undefined ? {} : { command: [...command] }), resources: {} };
}

/** Everything that `run` lets one say about a Pod. */
export interface WantedPod {
  readonly name: string;
  readonly image: string;
  /** The words behind `--`. */
  readonly words: readonly string[];
  /** True when the words replace the command of the image, instead of its arguments. */
  readonly isCommand: boolean;
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly env: readonly EnvVar[];
  readonly port: number | undefined;
  readonly restartPolicy: string;
  readonly imagePullPolicy: string | undefined;
  readonly isPrivileged: boolean;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
}

/** The Pod of `run`. Source: kubectl/pkg/cmd/run, generate/versioned/run.go BasicPod. */
export function podToRun(wanted: WantedPod): KubeObject {
  const { name, image, words, isCommand, labels, annotations, env, port, restartPolicy, imagePullPolicy } = wanted;
  const container = {
    name,
    image,
    ...(words.length === 0 ? {} : { [isCommand ? 'command' : 'args']: [...words] }),
    ...(env.length === 0 ? {} : { env: [...env] }),
    ...(port === undefined ? {} : { ports: [{ containerPort: port }] }),
    ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
    ...(wanted.stdin ? { stdin: true } : {}),
    ...(wanted.stdinOnce ? { stdinOnce: true } : {}),
    ...(wanted.tty ? { tty: true } : {}),
    ...(wanted.isPrivileged ? { securityContext: { privileged: true } } : {}),
    resources: {},
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    spec: { containers: [container], dnsPolicy: 'ClusterFirst', restartPolicy },
    status: {},
  };
}

/** The Deployment of `create deployment`. Source: kubectl/pkg/cmd/create/create_deployment.go. */
export function newDeployment(
  name: string,
  images: readonly string[],
  wanted: {
    readonly replicas: number;
    readonly port: number | undefined;
    readonly command: WantedContainer['command'];
  },
): KubeObject {
  const labels = { app: name };
  const containers = images.map((image) => containerOf({ name: imageName(image), image, command: wanted.command }));
  const ports = wanted.port === undefined ? undefined : [{ containerPort: wanted.port }];
  const withPort = containers.map((container, index) =>
    index === 0 && ports !== undefined ? { ...container, ports } : container,
  );
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas: wanted.replicas,
      selector: { matchLabels: labels },
      strategy: {},
      template: { metadata: { labels }, spec: { containers: withPort } },
    },
    status: {},
  };
}

/** A name for the container of an image: `registry/team/app:1` is called `app`. */
function imageName(image: string): string {
  const last = image.slice(image.lastIndexOf('/') + 1);
  return last.replace(/[:@].*/s, '').replaceAll(/[_.]/g, '-');
}

/** The Job of `create job --image`. Source: kubectl/pkg/cmd/create/create_job.go. */
export function newJob(wanted: WantedContainer): KubeObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: wanted.name },
    spec: { template: { metadata: {}, spec: { containers: [containerOf(wanted)], restartPolicy: 'Never' } } },
    status: {},
  };
}

/** The Job of `create job --from=cronjob/NAME`. Source: create_job.go createJobFromCronJob. */
export function jobOfCronJob(name: string, cronJob: StoredKubeObject): KubeObject {
  const { jobTemplate } = cronJob['spec'] as {
    readonly jobTemplate: { readonly metadata?: { labels?: Texts; annotations?: Texts }; readonly spec: unknown };
  };
  const { labels, annotations } = jobTemplate.metadata ?? {};
  const { apiVersion, kind, metadata } = cronJob;
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      annotations: { ...annotations, 'cronjob.kubernetes.io/instantiate': 'manual' },
      ...(labels === undefined ? {} : { labels }),
      ownerReferences: [owner],
    },
    spec: jobTemplate.spec,
    status: {},
  };
}

/** The CronJob of `create cronjob`. Source: kubectl/pkg/cmd/create/create_cronjob.go. */
export function newCronJob(wanted: WantedContainer, schedule: string, restartPolicy: string): KubeObject {
  const template = { metadata: {}, spec: { containers: [containerOf(wanted)], restartPolicy } };
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: wanted.name },
    spec: { schedule, jobTemplate: { metadata: { name: wanted.name }, spec: { template } } },
    status: {},
  };
}
