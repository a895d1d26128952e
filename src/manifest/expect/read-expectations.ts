import type {
  Expectation,
  FinalState,
  NumberRange,
  Pattern,
  PatternKind,
  Written,
  WrittenPattern,
} from '../../history/index.ts';
import { cutDocuments, readDocument } from '../read/documents.ts';
import { SourceError, type SourceNode } from '../read/source-node.ts';
import { CheckedNode, type Mistakes } from './checked-node.ts';

const FIELDS = ['pod', 'within', 'steps', 'never', 'phases', 'events', 'final'] as const;
const FINAL_FIELDS = ['phase', 'reason', 'node', 'conditions', 'restarts', 'exitCodes', 'reasons'] as const;

/** The expectations of a file, or all mistakes in it: `FILE:LINE:COLUMN: PATH: …`. */
interface ReadExpectations {
  readonly expectations: readonly Expectation[];
  readonly mistakes: readonly string[];
}

/**
 * Reads a file of expectations, one per document.
 * @param file its name in messages
 */
export async function readExpectations(file: string, bytes: Buffer): Promise<ReadExpectations> {
  const mistakes: Mistakes = [];
  const expectations: Expectation[] = [];
  for (const document of cutDocuments(bytes)) {
    let nodes: readonly SourceNode[];
    try {
      nodes = readDocument(document);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      const { line, column } = document.source.positionAt(error.offset);
      const hint = error.hint === undefined ? '' : ` - ${error.hint}`;
      mistakes.push(`${file}:${line}:${column}: ${error.message}${hint}`);
      continue;
    }
    for (const node of nodes) {
      if (node.kind === 'scalar' && node.value === null) continue;
      expectations.push(readExpectation(new CheckedNode({ file, source: document.source, mistakes }, node, '')));
    }
  }
  if (expectations.length === 0 && mistakes.length === 0) mistakes.push(`${file}: nothing is expected in it`);
  return { expectations, mistakes };
}

function readExpectation(root: CheckedNode): Expectation {
  const { pod, within, steps, never, phases, events, final } = root.fields(FIELDS);
  const name = pod?.text();
  const withinMs = within && written(within, within.duration());
  const order =
    phases &&
    written(
      phases,
      phases.items().flatMap((phase) => phase.word(PHASES) ?? []),
    );
  return {
    place: root.place,
    ...(name === undefined ? {} : { pod: name }),
    ...(withinMs === undefined ? {} : { withinMs }),
    ...(order === undefined ? {} : { phases: order }),
    steps: steps?.items().map(readStep) ?? [],
    never: never?.items().flatMap(readNever) ?? [],
    events: mapOf(events, (value) => value.range()),
    final: readFinal(final),
  };
}

/** Reads a step: one pattern, or several in any order. */
function readStep(node: CheckedNode): WrittenPattern[] {
  const { unordered, ...fields } = node.fields(['unordered', ...PATTERN_FIELDS] as const);
  if (unordered === undefined) return onlyOne(readPattern(node, fields));
  for (const [name, field] of Object.entries(fields)) field.wrong(`${name} cannot stand beside unordered`);
  return unordered.items().flatMap((item) => onlyOne(readPattern(item, item.fields(PATTERN_FIELDS))));
}

function readNever(node: CheckedNode): WrittenPattern[] {
  const fields = node.fields(PATTERN_FIELDS);
  for (const time of [fields.within, fields.after]) time?.wrong('cannot stand in never');
  return onlyOne(readPattern(node, fields));
}

function onlyOne(pattern: WrittenPattern | undefined): WrittenPattern[] {
  return pattern === undefined ? [] : [pattern];
}

function readFinal(node: CheckedNode | undefined): FinalState {
  const { phase, reason, node: place, conditions, restarts, exitCodes, reasons } = node?.fields(FINAL_FIELDS) ?? {};
  const last = phase && written(phase, phase.word(PHASES));
  const why = reason && written(reason, reason.text());
  const where = place && written(place, place.text());
  return {
    ...(last === undefined ? {} : { phase: last }),
    ...(why === undefined ? {} : { reason: why }),
    ...(where === undefined ? {} : { node: where }),
    conditions: mapOf(conditions, (value) => value.word(STATUSES)),
    restarts: mapOf(restarts, (value) => value.range()),
    exitCodes: mapOf<NumberRange>(exitCodes, (value) => value.range(CODES)),
    reasons: mapOf(reasons, (value) => value.text()),
  };
}

function mapOf<T>(node: CheckedNode | undefined, read: (node: CheckedNode) => T | undefined): Map<string, Written<T>> {
  const map = new Map<string, Written<T>>();
  for (const [key, value] of node?.entries() ?? []) {
    const meant = written(value, read(value));
    if (meant !== undefined) map.set(key, meant);
  }
  return map;
}

function written<T>({ place }: CheckedNode, value: T | undefined): Written<T> | undefined {
  return value === undefined ? undefined : { value, place };
}

const PHASES: readonly string[] = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];
/** The evictors of a Pod: `Preemption` is the scheduler, for a Pod of higher priority. */
const EVICTORS: readonly string[] = ['TaintManager', 'API', 'Preemption', 'PodGC', 'Kubelet'];
const STATUSES: readonly string[] = ['True', 'False', 'Unknown'];

/** Any exit code of a failure. */
const NONZERO: NumberRange = { min: 1, max: 255, text: 'nonzero' };
const CODES: Readonly<Record<string, NumberRange>> = { nonzero: NONZERO };

/** The fields that name a happening, each with the details that may go with it. */
const KINDS: Readonly<Record<PatternKind, readonly DetailName[]>> = {
  phase: [],
  condition: ['reason'],
  started: ['run'],
  exited: ['run', 'code', 'reason'],
  ready: ['run'],
  unready: ['run'],
  waiting: ['run', 'reason'],
  event: ['message'],
  scheduled: [],
  nominated: [],
  evicted: [],
  deleted: [],
};

type DetailName = (typeof DETAILS)[number];
const DETAILS = ['run', 'code', 'reason', 'message'] as const;
const KIND_NAMES = Object.keys(KINDS) as PatternKind[];

/** The fields of a pattern in `steps` or `never`. */
type PatternField = PatternKind | DetailName | 'within' | 'after';
const PATTERN_FIELDS: readonly PatternField[] = [...KIND_NAMES, ...DETAILS, 'within', 'after'];
type PatternFields = Partial<Record<PatternField, CheckedNode>>;

/** Reads a pattern. Returns undefined after a mistake, which is recorded. */
function readPattern(node: CheckedNode, fields: PatternFields): WrittenPattern | undefined {
  const [what, ...others] = KIND_NAMES.filter((kind) => fields[kind] !== undefined);
  const value = what === undefined ? undefined : fields[what];
  if (what === undefined || value === undefined) {
    return node.hasUnknown ? undefined : node.wrong(`needs one of ${KIND_NAMES.join(', ')}`);
  }
  for (const other of others) fields[other]?.wrong(`cannot stand beside ${what}: give it its own entry`);
  for (const detail of DETAILS) {
    if (!KINDS[what].includes(detail)) fields[detail]?.wrong(`does not go with ${what}`);
  }
  const main = mainPart(what, value);
  if (main === undefined) return undefined;
  const pattern: Pattern = { what, ...main, ...details(fields) };
  const [withinMs, afterMs] = [fields.within?.duration(), fields.after?.duration()];
  return {
    pattern,
    place: node.place,
    ...(withinMs === undefined ? {} : { withinMs }),
    ...(afterMs === undefined ? {} : { afterMs }),
  };
}

function mainPart(what: PatternKind, value: CheckedNode): Pick<Pattern, 'subject' | 'status'> | undefined {
  if (what === 'deleted') return value.word(['true']) === undefined ? undefined : { subject: '' };
  if (what === 'phase') {
    const phase = value.word(PHASES);
    return phase === undefined ? undefined : { subject: phase };
  }
  if (what === 'evicted') {
    const by = value.word(EVICTORS);
    return by === undefined ? undefined : { subject: by };
  }
  const text = value.text();
  if (text === undefined || what !== 'condition') return text === undefined ? undefined : { subject: text };
  const [type = '', status = 'True', ...rest] = text.split('=');
  if (type !== '' && rest.length === 0 && STATUSES.includes(status)) return { subject: type, status };
  return value.wrong(`${JSON.stringify(text)} is no condition, write for example Ready or Ready=False`);
}

function details({ run, code, reason, message }: PatternFields): Partial<Pattern> {
  const number = run?.range();
  const range = code?.range(CODES);
  const [why, part] = [reason?.text(), message?.text()];
  return {
    ...(number === undefined ? {} : { run: number.min }),
    ...(range === undefined ? {} : { code: range }),
    ...(why === undefined ? {} : { reason: why }),
    ...(part === undefined ? {} : { message: part }),
  };
}
