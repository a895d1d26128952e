/** What to do instead, for each command of kubectl that podrun has not. */
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
  config: "There are no clusters and contexts: '--state-dir FOLDER' tells one set of Pods from another.",
  'cluster-info': "There is no cluster: what this machine permits is told by 'podrun doctor'.",
  'api-resources': "Use 'podrun explain KIND' for the fields of a kind; podrun runs Pods.",
  'api-versions': "Use 'podrun explain KIND' for the fields of a kind; podrun runs Pods.",
  kustomize: "Use 'kubectl kustomize FOLDER | podrun apply -f -'.",
  options: "Use 'podrun --help': what every command takes stands at its end.",
};

/** One line about what to do instead; undefined: kubectl has no such command. */
export function insteadOf(command: string): string | undefined {
  return Object.hasOwn(INSTEAD, command) ? INSTEAD[command] : undefined;
}
