import { ownValue } from '../../api/index.ts';
import { StatusError } from '../../apiserver/index.ts';
import { PROTOBUF } from './protobuf.ts';

/** The forms of an answer. */
export type AnswerForm = 'object' | 'table' | 'metadata';

/** The form that a client accepts, chosen among the forms of the server. */
export interface Negotiated {
  readonly form: AnswerForm;
  readonly syntax: 'json' | 'yaml' | 'protobuf';
  /** The version of a Table: `meta.k8s.io/v1`. */
  readonly tableVersion: string;
}

interface MediaRange {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const TABLE_VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta1']);

/** The answer that a form is chosen for. */
export interface Offer {
  /** True: it is no object of the resource, and has no Table. */
  readonly isPlain?: boolean;
  /** True: it can be written as protobuf. */
  readonly hasProtobuf?: boolean;
  /** True: it is of a custom kind, for which nothing is offered as protobuf. */
  readonly isCustom?: boolean;
  /** `list`: its path may be watched as well. `page`: the router of the API server lets every type pass. */
  readonly from?: 'object' | 'list' | 'page';
}

/**
 * Chooses the first form of the header Accept that the server has.
 * @param accept the header
 * @throws {StatusError} 406
 */
export function negotiate(accept: string | undefined, offer: Offer = {}): Negotiated {
  const { isPlain = false, hasProtobuf = false, isCustom = false, from = 'object' } = offer;
  const ranges = rangesOf(accept ?? '*/*');
  for (const range of ranges) {
    const chosen = choose(range, isPlain);
    if (chosen !== undefined && (chosen.syntax !== 'protobuf' || (hasProtobuf && chosen.form !== 'table')))
      return chosen;
  }
  const types = ['application/json', 'application/yaml', ...(isCustom ? [] : [PROTOBUF])];
  const isKnown = from === 'page' || isCustom || ranges.some(({ type }) => Object.hasOwn(SYNTAXES, type));
  if (isKnown) throw noneAccepted(types.join(', '));
  const streamed = from === 'list' ? [types[0], types[2]].map((type) => `${type};stream=watch`) : [];
  throw notAcceptable([...types, ...streamed].join(', '));
}

/** Source: apimachinery/pkg/api/errors; apiserver/pkg/endpoints/handlers/negotiation/errors.go. */
function noneAccepted(types: string): StatusError {
  const message = `only the following media types are accepted: ${types}`;
  return new StatusError({ code: 406, reason: 'NotAcceptable', message });
}

/**
 * The answer of the router of the API server, for types that no handler of the path knows.
 * @param available the types that a client may accept
 */
export function notAcceptable(available: string): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${available}`;
  return new StatusError({ code: 406, reason: 'NotAcceptable', message, details: {} });
}

function choose({ type, parameters }: MediaRange, isPlain: boolean): Negotiated | undefined {
  const syntax = ownValue(SYNTAXES, type);
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
  [PROTOBUF]: 'protobuf',
};

function rangesOf(accept: string): MediaRange[] {
  return accept.split(',').map((text) => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const pairs = rest.map((part) => part.split('=').map((word) => word.trim()));
    return { type: type.toLowerCase(), parameters: Object.fromEntries(pairs) as Record<string, string> };
  });
}
