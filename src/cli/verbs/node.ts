import type { Command } from 'commander';
import {
  DEFAULT_NAMESPACE,
  EXIT,
  type Node,
  noSuchObject,
  PodrunError,
  type StoredKubeObject,
  type StoredPod,
  usage,
} from '../../api/index.ts';
import { withClusterObjects } from '../../apiserver/index.ts';
import { nodeTable } from '../../print/index.ts';
import {
  addNode,
  type KubeletState,
  kubeletState,
  nodeRecord,
  readNode,
  setKubeletState,
} from '../../settings/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { displayNowMs, openStore } from '../base/environment.ts';
import { durationFlag } from '../flags/options.ts';

interface NodeFlags {
  readonly grace: string | undefined;
}

const EXAMPLES = `
What happens to a node:
  crash      its Pods are killed, and its kubelet is silent, as after a power cut
  silence    its kubelet neither hears nor tells anything; its Pods run on, as behind a broken network
  shutdown   its Pods end with their grace periods, critical ones last; then the node is off
  start      the kubelet comes back: after a crash, the Pods of the node start again
  add        one more node
  remove     the Node object goes, and its kubelet with it

Examples:
  podrun node
  podrun node crash node-2
  podrun node start node-2
`;

/** `podrun node`: what becomes of one of several nodes. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('node')
    .summary('List nodes, crash one, silence it, shut it down or start it again')
    .description('Lists the nodes, or does something to one of several nodes (apply --nodes).')
    .usage('[crash|silence|shutdown|start|add|remove NAME] [flags]')
    .argument('[action]', 'what happens to the node')
    .argument('[name]', 'the node: see podrun get nodes')
    .option('--grace <duration>', 'with shutdown: the time for all Pods (default: 30s)')
    .addHelpText('after', EXAMPLES)
    .action((action: string | undefined, name: string | undefined, flags: NodeFlags) =>
      run((cli) => node(cli, action, name, flags)),
    );
}

/** The actions that a kubelet carries out, and the words of their result. */
const ACTIONS: Readonly<Record<string, { readonly state: KubeletState; readonly done: string }>> = {
  crash: { state: 'crashed', done: 'crashed' },
  silence: { state: 'silent', done: 'silenced' },
  shutdown: { state: 'shutdown', done: 'shutting down' },
  start: { state: 'running', done: 'started' },
};

function node(cli: Cli, action: string | undefined, name: string | undefined, { grace }: NodeFlags): number {
  const store = openStore(cli);
  if (action === undefined) return list(cli, store);
  if (!Object.hasOwn(ACTIONS, action) && action !== 'add' && action !== 'remove')
    throw usage(`podrun node has no action ${action}`, EXAMPLES.trim());
  if (name === undefined) throw usage(`podrun node ${action} needs the NAME of a node`);
  if (grace !== undefined && action !== 'shutdown') throw usage('--grace goes with shutdown only');
  const plain = name.replace(/^nodes?\//, '');
  cli.stdout.write(`node/${plain} ${changed(store, action, plain, grace)}\n`);
  return EXIT.ok;
}

/** Does it, and returns the word for it. */
function changed(store: FileStore, action: string, name: string, grace: string | undefined): string {
  if (action === 'add') {
    if (nodeRecord(store, name) !== undefined) throw new PodrunError('AlreadyExists', `nodes "${name}" already exists`);
    addNode(store, name);
    return 'added';
  }
  const record = nodeRecord(store, name);
  const wanted = ACTIONS[action];
  if (record === undefined || kubeletState(record) === undefined) throw notDeclared(store, name);
  if (wanted === undefined) {
    store.delete('nodes', DEFAULT_NAMESPACE, name);
    return 'removed';
  }
  const graceSeconds = grace === undefined ? undefined : Math.ceil(durationFlag('--grace', grace) / 1000);
  setKubeletState(store, name, wanted.state, graceSeconds);
  return wanted.done;
}

function notDeclared(store: FileStore, name: string): PodrunError {
  const hint = 'Only declared nodes can: podrun apply --nodes 3, or nodes in podrun.yaml.';
  if (nodeRecord(store, name) === undefined && allNodes(store, 0).every((one) => one.metadata.name !== name))
    return noSuchObject('nodes', name, hint);
  return new PodrunError('Unsupported', `node ${name} has no kubelet that podrun could stop`, { hint });
}

function allNodes(store: FileStore, nowMs: number): (StoredKubeObject & Node)[] {
  return withClusterObjects(store, { stateDir: store.root, nowMs }).list<StoredKubeObject & Node>('nodes');
}

function list(cli: Cli, store: FileStore): number {
  const { name } = readNode({ storageDir: store.root });
  const nodes = allNodes(store, displayNowMs(cli)).map((one) => ({
    node: one,
    kubelet: kubeletState(one) ?? (one.metadata.name === name ? 'running' : 'none'),
  }));
  cli.stdout.write(nodeTable(nodes, store.list<StoredPod>('pods')));
  return EXIT.ok;
}
