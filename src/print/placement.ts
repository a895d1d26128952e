import type { StoredPod } from '../api/index.ts';
import type { PlacedPod } from '../lifecycle/index.ts';
import { escapeTerminal } from './text/terminal-text.ts';
import { renderRows, TABLE_LAYOUT, TabWriter } from './text/tab-writer.ts';

/** The table of Pods with the node that each gets, and in a few words why. */
export function renderPlacements(placed: readonly PlacedPod[]): string {
  if (placed.length === 0) return 'No Pods to place.\n';
  const rows = placed.map((each) => [nameOf(each.pod), each.nodeName ?? '<none>', shortReason(each)]);
  return table([['POD', 'NODE', 'WHY'], ...rows]);
}

function shortReason({ attempt, victims, nodeName }: PlacedPod): string {
  if (attempt.type === 'gated') return attempt.why;
  if (attempt.type === 'waits') {
    return nodeName === undefined ? attempt.message : `${attempt.message} ${preempted(victims)}`;
  }
  const { feasible } = attempt.filtered;
  if (attempt.scores === undefined) return 'the only node that takes it';
  const total = attempt.scores.find((score) => score.nodeName === nodeName)?.total ?? 0;
  const equal = attempt.best.length > 1 ? `, as have ${attempt.best.length - 1} more` : '';
  return `score ${total} is the highest of ${feasible.length} nodes${equal}`;
}

function preempted(victims: readonly StoredPod[]): string {
  return `Preempts ${victims.map(nameOf).join(', ')}`;
}

/** The verdicts of the plugins about each node, for one Pod. */
export function renderPlacement({ pod, nodeName, attempt, victims }: PlacedPod): string {
  const heading = `pod ${nameOf(pod)} ${nodeName === undefined ? 'stays Pending' : `goes to ${nodeName}`}`;
  if (attempt.type === 'gated') return line(`${heading}: ${attempt.why}`);
  const { rejections } = attempt.filtered;
  const messages = attempt.type === 'waits' ? [attempt.message] : [];
  const going = victims.length > 0 ? [preempted(victims)] : [];
  const lines = [heading, ...messages, ...going].map(line).join('');
  const rejected = [...rejections].map(([name, { plugin, reasons }]) => [
    name,
    plugin ?? 'NodeAffinity',
    reasons.join(', '),
  ]);
  const scored = attempt.type === 'fits' ? scoreRows(attempt.scores ?? []) : [];
  const parts = [
    scored.length > 0 ? table(scored) : '',
    rejected.length > 0 ? table([['NODE', 'REJECTED BY', 'REASON'], ...rejected]) : '',
  ];
  return [lines, ...parts].filter((part) => part !== '').join('\n');
}

type Scores = NonNullable<Extract<PlacedPod['attempt'], { type: 'fits' }>['scores']>;

/** A row for each node, the best first; a column for each plugin that counts. */
function scoreRows(scores: Scores): string[][] {
  const [first] = scores;
  if (first === undefined) return [];
  const byTotal = scores.toSorted((one, other) => other.total - one.total);
  return [
    ['NODE', 'TOTAL', ...first.plugins.map(({ plugin }) => plugin)],
    ...byTotal.map(({ nodeName, total, plugins }) => [
      nodeName,
      String(total),
      ...plugins.map(({ weighted }) => String(weighted)),
    ]),
  ];
}

/** The same as JSON: an array with an object for each Pod. */
export function renderPlacementsJson(placed: readonly PlacedPod[]): string {
  const records = placed.map(({ pod, nodeName, attempt, victims }) => ({
    namespace: pod.metadata.namespace,
    pod: pod.metadata.name,
    node: nodeName ?? null,
    ...(attempt.type === 'gated' && { message: attempt.why }),
    ...(attempt.type === 'waits' && { message: attempt.message }),
    ...(victims.length > 0 && { preempts: victims.map(nameOf) }),
    ...(attempt.type === 'fits' && attempt.scores && { best: attempt.best, scores: attempt.scores }),
    ...(attempt.type !== 'gated' && {
      rejections: [...attempt.filtered.rejections].map(([node, { plugin, reasons, isFinal }]) => ({
        node,
        plugin: plugin ?? null,
        reasons,
        canPreempt: !isFinal,
      })),
    }),
  }));
  return `${JSON.stringify(records, undefined, 2)}\n`;
}

function nameOf({ metadata: { namespace, name } }: StoredPod): string {
  return `${namespace}/${name}`;
}

function line(text: string): string {
  return `${escapeTerminal(text)}\n`;
}

function table(rows: readonly (readonly string[])[]): string {
  return new TabWriter(TABLE_LAYOUT).render(renderRows(rows));
}
