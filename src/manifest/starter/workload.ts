import type { StarterOptions } from './parts.ts';

/**
 * The lines of a workload with the spec of its Pods.
 * @param podSpec the lines of that spec, indented by two
 */
export function workload({ name, kind }: StarterOptions, podSpec: readonly string[]): string {
  const { apiVersion, spec } = WORKLOADS[kind as keyof typeof WORKLOADS];
  return [
    `apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    'metadata:',
    `  name: ${name} # unique among objects of its kind; its Pods have longer names that begin with it`,
    '  labels:',
    `    app: ${name}`,
    'spec:',
    ...spec(name, podSpec),
  ].join('\n');
}

type SpecLines = (name: string, podSpec: readonly string[]) => string[];

const deploymentSpec: SpecLines = (name, podSpec) => [
  `  replicas: 2 # the number of Pods; podrun scale deployment/${name} --replicas=3 changes it`,
  '  selector: # the labels of its Pods, for good: they cannot be changed later',
  '    matchLabels:',
  `      app: ${name}`,
  '  # A change of the template replaces the Pods by new ones. To watch it, or to go back:',
  `  #   podrun rollout status deployment/${name}; podrun rollout undo deployment/${name}`,
  '  strategy:',
  '    type: RollingUpdate # Recreate ends all old Pods first',
  '    rollingUpdate:',
  '      maxSurge: 1 # so many Pods more than replicas at a time',
  '      maxUnavailable: 0 # so many fewer Pods than replicas that are ready',
  '  template: # each Pod is made from this',
  '    metadata:',
  '      labels:',
  `        app: ${name} # the selector must match it`,
  '    spec:',
  ...indented(4, podSpec),
];

const jobSpec: SpecLines = (_, podSpec) => [
  '  completions: 1 # the Job is Complete when so many Pods have succeeded',
  '  parallelism: 1 # so many of them run at the same time',
  '  backoffLimit: 3 # with more failures than this, the Job has Failed; the delay before each try doubles',
  '  template: # each Pod is made from this',
  '    spec:',
  ...indented(4, podSpec),
];

const cronJobSpec: SpecLines = (name, podSpec) => [
  '  # Minute, hour, day of the month, month, day of the week: this is every minute. To run it now:',
  `  #   podrun create job try --from=cronjob/${name}`,
  "  schedule: '* * * * *'",
  '  timeZone: Etc/UTC # the default is the time zone of the controllers',
  '  concurrencyPolicy: Forbid # no run while the last one still runs; or Allow, the default, or Replace',
  '  successfulJobsHistoryLimit: 3 # so many ended Jobs are kept',
  '  failedJobsHistoryLimit: 1',
  '  jobTemplate: # each run is a Job made from this',
  '    spec:',
  ...indented(4, jobSpec(name, podSpec)),
];

const WORKLOADS = {
  Deployment: { apiVersion: 'apps/v1', spec: deploymentSpec },
  Job: { apiVersion: 'batch/v1', spec: jobSpec },
  CronJob: { apiVersion: 'batch/v1', spec: cronJobSpec },
} as const;

function indented(columns: number, lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split('\n')).map((line) => (line === '' ? '' : ' '.repeat(columns) + line));
}
