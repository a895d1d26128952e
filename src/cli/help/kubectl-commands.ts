const IMAGES = "An image is a program of this machine: --image 'IMAGE=COMMAND' or podrun.yaml says which.";
const KUSTOMIZE = "Use 'kubectl kustomize FOLDER | podrun apply -f -'.";
const CONTEXTS = "There are no clusters and contexts: '--state-dir FOLDER' tells one set of Pods from another.";
const DIFF =
  "podrun diff compares two runs: 'podrun diff web@1 web'. What a manifest would change: " +
  "'podrun apply -f FILE --dry-run=server'.";

/** A replacement for each command of kubectl or docker compose that podrun does not have. */
const INSTEAD: Readonly<Record<string, string>> = {
  create: "Use 'podrun apply -f FILE': it makes what is not there, and runs the Pods.",
  run: "Use 'podrun init NAME > NAME.yaml' for a manifest, and 'podrun apply -f NAME.yaml' to run it.",
  edit: "Use 'podrun patch', or change the manifest and 'podrun apply -f FILE': a Pod that runs is changed.",
  set: "Use 'podrun patch', or change the manifest and 'podrun apply -f FILE': a Pod that runs is changed.",
  scale: "podrun runs Pods, and no workloads: give each Pod a name of its own, and 'podrun apply -f FILE'.",
  autoscale: "podrun runs Pods, and no workloads: give each Pod a name of its own, and 'podrun apply -f FILE'.",
  rollout:
    "podrun runs Pods, and no workloads: 'podrun wait pod/NAME --for=condition=Ready' waits for one, " +
    "'podrun replace --force -f FILE' runs it anew.",
  expose: "Use 'podrun port-forward pod/NAME PORT', or 'podrun apply -f FILE' with a Service in it.",
  proxy: "There is no API server here: 'podrun get -o json' has the objects, 'podrun port-forward' leads to Pods.",
  drain: "There is one node, this machine: 'podrun delete pods --all' ends what runs on it.",
  cordon: 'There is one node, this machine: a Pod is run where it is applied.',
  uncordon: 'There is one node, this machine: a Pod is run where it is applied.',
  taint: "There is one node, this machine: what it permits is told by 'podrun doctor'.",
  auth: "There are no users but you: what this machine permits is told by 'podrun doctor'.",
  certificate: 'There is no cluster here, and nothing to certify.',
  config: CONTEXTS,
  'cluster-info': "There is no cluster: what this machine permits is told by 'podrun doctor'.",
  'api-resources': "Use 'podrun explain KIND' for the fields of a kind; podrun runs Pods.",
  'api-versions': "Use 'podrun explain KIND' for the fields of a kind; podrun runs Pods.",
  kustomize: KUSTOMIZE,
  options: "Use 'podrun --help': what every command takes stands at its end.",
  up: "Use 'podrun apply -f FILE': it runs the Pods and shows what happens; --detach runs them in the background.",
  down: "Use 'podrun delete -f FILE', or 'podrun delete pods --all'.",
  ps: "Use 'podrun get pods'.",
  start: "Use 'podrun apply -f FILE': it runs the Pods of a manifest.",
  stop: "Use 'podrun delete pod NAME': it ends the Pod gracefully and keeps its run on record ('podrun history').",
  restart: "Use 'podrun replace --force -f FILE': it ends the Pod and runs it anew.",
  kill: "Use 'podrun delete pod NAME --now', or --force to kill its processes at once.",
  rm: "Use 'podrun delete pod NAME'; 'podrun gc' removes what has ended.",
  build: `podrun builds no images. ${IMAGES}`,
  pull: `podrun pulls no images. ${IMAGES}`,
  push: `podrun pushes no images. ${IMAGES}`,
  images: `podrun keeps no images. ${IMAGES}`,
  inspect: "Use 'podrun describe pod NAME', or 'podrun get pod NAME -o yaml'.",
  stats: "Use 'podrun top pods'.",
};

/** A replacement for each flag of kubectl that podrun does not have. `COMMAND --flag` is a flag of one command only. */
const FLAGS_INSTEAD: Readonly<Record<string, string>> = {
  '-k': KUSTOMIZE,
  '--kustomize': KUSTOMIZE,
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
  return Object.hasOwn(INSTEAD, command) ? INSTEAD[command] : undefined;
}
