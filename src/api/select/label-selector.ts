import { ownValue } from '../base/json.ts';
import { type PodrunError, usage } from '../base/errors.ts';
import { labelValueMessages, qualifiedNameMessages } from '../base/names.ts';

type Labels = Readonly<Record<string, string>>;

/** True when an object with these labels matches. */
export type LabelMatcher = (labels: Labels) => boolean;

/** One term: a requirement for the label `key`. */
interface Requirement {
  readonly key: string;
  readonly operator: 'exists' | 'absent' | 'in' | 'notin' | 'gt' | 'lt';
  readonly values: readonly string[];
}

/** The operators between a key and its values. */
const OPERATORS: Readonly<Record<string, Requirement['operator']>> = {
  in: 'in',
  notin: 'notin',
  '=': 'in',
  '==': 'in',
  '!=': 'notin',
  '>': 'gt',
  '<': 'lt',
};

const OPERATOR_LIST = 'in, notin, =, ==, !=, gt, lt';

/** Words and operators. */
const TOKEN = /==|!=|[()!,=<>]|[^\s()!,=<>]+/g;

const SPECIAL = /^[()!,=<>]/;

const INTEGER = /^[-+]?\d+$/;

/**
 * Parses a label selector: `app=web`, `app!=web,tier in (a, b)`, `!legacy`, `replicas>2`. An empty selector matches
 * everything. Source: apimachinery/pkg/labels/selector.go.
 * @throws {PodrunError} (usage) in the words of the API server
 */
export function parseLabelSelector(text: string): LabelMatcher {
  const requirements = new SelectorReader(text).read();
  return (labels) => requirements.every((requirement) => holds(requirement, labels));
}

function holds({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = ownValue(labels, key);
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'gt':
      return value !== undefined && INTEGER.test(value) && Number(value) > Number(values[0]);
    case 'lt':
      return value !== undefined && INTEGER.test(value) && Number(value) < Number(values[0]);
    default:
      return operator satisfies never;
  }
}

class SelectorReader {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = [...text.matchAll(TOKEN)].map(([token]) => token);
  }

  read(): Requirement[] {
    const requirements: Requirement[] = [];
    while (this.#peek() !== '') {
      if (!this.#isAtTerm()) throw this.#wrong(`found '${this.#peek()}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.#requirement());
      const separator = this.#take();
      if (separator === '') break;
      if (separator !== ',') throw this.#wrong(`found '${separator}', expected: ',' or 'end of string'`);
      if (!this.#isAtTerm()) throw this.#wrong(`found '${this.#peek()}', expected: identifier after ','`);
    }
    return requirements;
  }

  #requirement(): Requirement {
    const isNegated = this.#peek() === '!';
    if (isNegated) this.#take();
    const key = this.#take();
    if (!isWord(key)) throw this.#wrongTerm(`found '${key}', expected: identifier`);
    const [wrong] = qualifiedNameMessages(key);
    if (wrong !== undefined) throw this.#wrongTerm(`<nil>: Invalid value: ${JSON.stringify(key)}: ${wrong}`);
    if (isNegated) return { key, operator: 'absent', values: [] };
    if (this.#peek() === '' || this.#peek() === ',') return { key, operator: 'exists', values: [] };
    const word = this.#take();
    const operator = ownValue(OPERATORS, word);
    if (operator === undefined) throw this.#wrongTerm(`found '${word}', expected: ${OPERATOR_LIST}`);
    const values = isWord(word) ? this.#list() : [this.#value()];
    this.#check(key, operator, values);
    return { key, operator, values };
  }

  /** Parses `(a, b)`. A missing value is an empty text. */
  #list(): string[] {
    const open = this.#take();
    if (open !== '(') throw this.#wrongTerm(`found '${open}' expected: '('`);
    if (this.#peek() === ')') {
      throw this.#wrongTerm("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty");
    }
    const values = [this.#value()];
    while (this.#peek() === ',') {
      this.#take();
      values.push(this.#value());
    }
    const close = this.#take();
    if (close !== ')') throw this.#wrongTerm(`found '${close}', expected: ',', ')' or identifier`);
    return values;
  }

  #value(): string {
    if (['', ',', ')'].includes(this.#peek())) return '';
    const value = this.#take();
    if (!isWord(value)) throw this.#wrongTerm(`found '${value}', expected: identifier`);
    return value;
  }

  #check(key: string, operator: Requirement['operator'], values: readonly string[]): void {
    const isNumber = operator === 'gt' || operator === 'lt';
    for (const [index, value] of values.entries()) {
      const [wrong] = isNumber ? integerMessages(value) : labelValueMessages(value);
      const fieldPath = isNumber ? `values[${index}]` : `values[${index}][${key}]`;
      if (wrong !== undefined) throw this.#wrongTerm(`${fieldPath}: Invalid value: ${JSON.stringify(value)}: ${wrong}`);
    }
  }

  #isAtTerm(): boolean {
    return this.#peek() === '!' || isWord(this.#peek());
  }

  /** The next token. Empty at the end. */
  #peek(): string {
    return this.#tokens[this.#next] ?? '';
  }

  #take(): string {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #wrongTerm(why: string): PodrunError {
    return this.#wrong(`unable to parse requirement: ${why}`);
  }

  #wrong(why: string): PodrunError {
    const message = `invalid label selector ${JSON.stringify(this.#text)}: ${why}`;
    return usage(message);
  }
}

function isWord(token: string): boolean {
  return token !== '' && !SPECIAL.test(token);
}

function integerMessages(value: string): string[] {
  return INTEGER.test(value) ? [] : ["for 'Gt', 'Lt' operators, the value must be an integer"];
}
