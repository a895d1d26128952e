import { StatusError } from '../../apiserver/index.ts';

/** The forms of an answer. */
export type AnswerForm = 'object' | 'table' | 'metadata';

/** The form that a client accepts, chosen among the forms of the server. */
export interface Negotiated {
  readonly form: AnswerForm;
  readonly syntax: 'json' | 'yaml';
  /** The version of a Table: `meta.k8s.io/v1`. */
  readonly tableVersion: string;
}

interface MediaRange {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const TABLE_VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1']);

/**
 * Chooses the first form of the header Accept that the server has.
 * @param isPlain true for an answer that is no object of the resource: it has no Table
 * @throws {StatusError} 406
 */
export function negotiate(accept: string | undefined, isPlain = false): Negotiated {
  for (const range of rangesOf(accept ?? '*/*')) {
    const chosen = choose(range, isPlain);
    if (chosen !== undefined) return chosen;
  }
  const available = 'application/json, application/yaml';
  throw new StatusError({
    code: 406,
    reason: 'NotAcceptable',
    message: `406: Not Acceptable\n\nAvailable representations: ${available}`,
    details: {},
  });
}

function choose({ type, parameters }: MediaRange, isPlain: boolean): Negotiated | undefined {
  const syntax = SYNTAXES[type];
  if (syntax === undefined) return undefined;
  const { as, g, v = '' } = parameters;
  if (as === undefined) return { form: 'object', syntax, tableVersion: '' };
  if (g !== 'meta.k8s.io' || isPlain) return undefined;
  if (as === 'Table' && TABLE_VERSIONS.has(v)) return { form: 'table', syntax, tableVersion: `${g}/${v}` };
  if (/^PartialObjectMetadata(List)?$/.test(as) && v === 'v1') return { form: 'metadata', syntax, tableVersion: '' };
  return undefined;
}

const SYNTAXES: Readonly<Record<string, Negotiated['syntax']>> = {
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  'application/yaml': 'yaml',
};

function rangesOf(accept: string): MediaRange[] {
  return accept.split(',').map((text) => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const pairs = rest.map((part) => part.split('=').map((word) => word.trim()));
    return { type: type.toLowerCase(), parameters: Object.fromEntries(pairs) as Record<string, string> };
  });
}
