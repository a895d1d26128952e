import { ownValue } from '../../api/index.ts';
const IMAGES = "Images are programs of this machine: map them with --image 'IMAGE=COMMAND' or in podrun.yaml.";
const CREATE = "Use 'podrun apply --detach -f FILE': it creates the objects and runs the Pods.";
const KUSTOMIZE = "Use 'podrun apply -k FOLDER', or 'kubectl kustomize FOLDER' and -f -.";
const PRUNE =
  "podrun apply deletes nothing: use 'podrun delete TYPE/NAME', or 'podrun delete -f FILE' with the old manifest.";
const CONTEXTS =
  "podrun runs on this machine: use '--state-dir FOLDER' for a separate set of Pods, and 'podrun apply --context " +
  "NAME' to run on a cluster.";
const NO_USERS = "podrun has no other users: 'podrun doctor' shows what this machine permits.";
const DIFF =
  "podrun diff compares two runs: 'podrun diff web@1 web'. For the changes that a manifest would make, use " +
  "'podrun apply -f FILE --dry-run=server'.";

/** A replacement for each command of kubectl or docker compose that podrun does not have. */
const INSTEAD: Readonly<Record<string, string>> = {
  proxy: "Use 'podrun serve', and kubectl proxy with its kubeconfig; 'podrun port-forward' connects to Pods.",
  auth: NO_USERS,
  certificate: 'podrun has no cluster and no certificates.',
  config: CONTEXTS,
  'cluster-info': "podrun has no cluster: 'podrun doctor' shows what this machine permits.",
  'api-resources': "Use 'podrun explain KIND' for the fields of a kind; podrun runs Pods.",
  'api-versions': "Use 'podrun explain KIND' for the fields of a kind; podrun runs Pods.",
  kustomize: KUSTOMIZE,
  options: "Use 'podrun --help': it lists the global flags at its end.",
  up: "Use 'podrun apply -f FILE': it runs the Pods and shows their changes; --detach runs them in the background.",
  down: "Use 'podrun delete -f FILE', or 'podrun delete all --all'.",
  ps: "Use 'podrun get pods', or 'podrun get all' with workloads and Services.",
  start: "Use 'podrun apply -f FILE': it runs the Pods of a manifest.",
  stop:
    "Use 'podrun delete pod NAME', which ends it gracefully and removes it, or " +
    "'podrun scale deployment/NAME --replicas=0'.",
  restart:
    "Use 'podrun rollout restart deployment/NAME' for a workload, 'podrun delete pod NAME' for one of its Pods, " +
    "in whose place it makes another, or 'podrun replace --force -f FILE' for a Pod of a manifest.",
  kill: "Use 'podrun delete pod NAME --now', or --force to kill its processes at once.",
  rm: "Use 'podrun delete pod NAME'; 'podrun gc' removes ended Pods.",
  build: `podrun builds no images. ${IMAGES}`,
  push: `podrun pushes no images. ${IMAGES}`,
  inspect: "Use 'podrun describe pod NAME', or 'podrun get pod NAME -o yaml'.",
  stats: "Use 'podrun top pods'.",
};

/** A replacement for each flag of kubectl that podrun does not have. `COMMAND --flag` is a flag of one command only. */
const FLAGS_INSTEAD: Readonly<Record<string, string>> = {
  'create -f': CREATE,
  'create --filename': CREATE,
  '-k': KUSTOMIZE,
  '--kustomize': KUSTOMIZE,
  'apply --prune': PRUNE,
  '--context': CONTEXTS,
  '--cluster': CONTEXTS,
  '--kubeconfig': CONTEXTS,
  '--server': CONTEXTS,
  '--user': CONTEXTS,
  '--token': CONTEXTS,
  'diff -f': DIFF,
  'diff --filename': DIFF,
};

/** One line about the replacement of a flag. Undefined when kubectl has no such flag. */
export function insteadOfFlag(command: string, flag: string): string | undefined {
  return FLAGS_INSTEAD[`${command} ${flag}`] ?? FLAGS_INSTEAD[flag];
}

/**
 * One line about the replacement of a command. Undefined when neither kubectl nor docker compose has such a command.
 */
export function insteadOf(command: string): string | undefined {
  return ownValue(INSTEAD, command);
}
