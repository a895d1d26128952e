import { type Happening, recordedExit, restartsOf, type RunStory } from '../../history/index.ts';

/** The time within which happenings may come in another order in another run. */
const TOGETHER_MS = 50;

/** Writes expectations that a run meets, as a start for users: starts, exits, Ready, phases, and its end. */
export function renderExpectation(story: RunStory): string {
  const steps = groupsOf(story.happenings.filter(isExpected)).flatMap((group) => stepLines(group, story));
  return [
    `pod: ${scalar(story.pod.metadata.name)}`,
    ...(steps.length === 0 ? [] : ['steps:', ...steps]),
    'final:',
    ...(story.isOver ? finalLines(story) : [`  phase: ${story.phases.at(-1)?.phase ?? 'Pending'}`]),
    '',
  ].join('\n');
}

function isExpected(happening: Happening): boolean {
  if (happening.what === 'condition') return happening.type === 'Ready' && happening.status === 'True';
  if (happening.what === 'phase') return happening.phase !== 'Pending';
  return happening.what === 'started' || happening.what === 'exited';
}

function groupsOf(happenings: readonly Happening[]): Happening[][] {
  const groups: Happening[][] = [];
  for (const happening of happenings) {
    const last = groups.at(-1);
    const isClose = happening.atMs - (last?.at(-1)?.atMs ?? 0) < TOGETHER_MS;
    // The happenings of one container keep their order.
    if (last !== undefined && isClose && !last.some((other) => isOfSame(happening, other))) last.push(happening);
    else groups.push([happening]);
  }
  return groups;
}

function isOfSame(one: Happening, other: Happening): boolean {
  if ('container' in one) return 'container' in other && one.container === other.container;
  return one.what === other.what;
}

function stepLines(group: readonly Happening[], story: RunStory): string[] {
  const [only, ...more] = group;
  if (only !== undefined && more.length === 0) return entry('  ', fieldsOf(only, story));
  return ['  - unordered:', ...group.flatMap((happening) => entry('      ', fieldsOf(happening, story)))];
}

function entry(indent: string, [first = '', ...others]: readonly string[]): string[] {
  return [`${indent}- ${first}`, ...others.map((field) => `${indent}  ${field}`)];
}

function fieldsOf(happening: Happening, story: RunStory): string[] {
  switch (happening.what) {
    case 'phase':
      return [`phase: ${happening.phase}`];
    case 'condition':
      return [`condition: ${scalar(happening.type)}`];
    case 'started':
    case 'exited': {
      const { what, container, run } = happening;
      const isOneOfMany = restartsOf(story, container) > 0;
      return [
        `${what}: ${scalar(container)}`,
        ...(isOneOfMany ? [`run: ${run}`] : []),
        ...(what === 'exited' ? [`code: ${happening.exitCode}`] : []),
      ];
    }
    case 'created':
    case 'deleted':
    case 'scheduled':
    case 'nominated':
    case 'evicted':
    case 'event':
    case 'waiting':
    case 'ready':
    case 'unready':
      return [];
    default:
      return happening satisfies never;
  }
}

function finalLines(story: RunStory): string[] {
  const { pod, containers } = story;
  const restarts = containers.map(({ name }) => `    ${scalar(name)}: ${restartsOf(story, name)}`);
  const codes = containers.flatMap(({ name }) => {
    const exit = recordedExit(story, name);
    return exit === undefined ? [] : [`    ${scalar(name)}: ${exit.exitCode}`];
  });
  return [
    `  phase: ${pod.status.phase ?? 'Unknown'}`,
    ...(restarts.length === 0 ? [] : ['  restarts:', ...restarts]),
    ...(codes.length === 0 ? [] : ['  exitCodes:', ...codes]),
  ];
}

/** Quotes names that YAML would not read as strings. */
function scalar(text: string): string {
  return /^[A-Za-z][\w.-]*$/.test(text) && !/^(?:true|false|yes|no|on|off|null|[yn])$/i.test(text)
    ? text
    : JSON.stringify(text);
}
