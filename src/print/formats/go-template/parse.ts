import { FloatLiteral } from '../../../api/json-path/index.ts';
import { unquoteGo } from '../../../api/go-unquote.ts';
import { goQuote } from '../../../api/go-quote.ts';
import { isFunction } from './functions.ts';
import type { Branch, Command, Operand, Pipeline, Template, TemplateNode } from './nodes.ts';
import { KEYWORDS, quotedToken, ReadError, type Token, tokenize } from './tokens.ts';

/**
 * Parses a Go template. Source: Go's text/template/parse/parse.go.
 * @throws {ReadError}
 */
export function parseGoTemplate(text: string): Template {
  return new Parser(text).parse();
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #defined = new Map<string, readonly TemplateNode[]>();
  #next = 0;
  /** The names of visible variables. */
  #variables: string[] = ['$'];
  #ranges = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  parse(): Template {
    const nodes = this.#list();
    if (this.#isAt('end')) return { nodes, defined: this.#defined };
    const keyword = this.#keyword();
    throw this.#error(`unexpected {{${keyword}}}`);
  }

  /** Parses up to `{{end}}`, `{{else}}` or the end of the template, and stops before it. */
  #list(): TemplateNode[] {
    const nodes: TemplateNode[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.type === 'end') return nodes;
      if (token.type === 'text') {
        this.#next += 1;
        nodes.push({ type: 'text', text: token.text });
        continue;
      }
      const keyword = this.#keyword();
      if (keyword === 'end' || keyword === 'else') return nodes;
      const node = this.#action(keyword);
      if (node !== undefined) nodes.push(node);
    }
  }

  /** The keyword after `{{`, without consuming it. */
  #keyword(): string {
    const token = this.#tokens.slice(this.#next + 1).find(({ type }) => type !== 'space');
    return token?.type === 'word' && KEYWORDS.has(token.text) ? token.text : '';
  }

  #action(keyword: string): TemplateNode | undefined {
    const open = this.#take();
    if (keyword === '' || keyword === 'nil') {
      const pipeline = this.#pipeline('command', 'close');
      return { type: 'action', pipeline };
    }
    this.#takeWord();
    if (keyword === 'if' || keyword === 'with' || keyword === 'range') return this.#branch(keyword);
    if (keyword === 'template') return this.#template(open.at);
    if (keyword === 'define') return this.#define();
    if (keyword === 'block') return this.#block(open.at);
    this.#expect('close', keyword);
    if (this.#ranges === 0) throw this.#error(`{{${keyword}}} outside {{range}}`);
    return { type: keyword as 'break' | 'continue' };
  }

  #branch(type: Branch['type']): Branch {
    const known = this.#variables.length;
    const pipeline = this.#pipeline(type, 'close');
    if (type === 'range') this.#ranges += 1;
    const body = this.#list();
    if (type === 'range') this.#ranges -= 1;
    const otherwise = this.#otherwise(type);
    this.#variables = this.#variables.slice(0, known);
    return { type, pipeline, body, otherwise };
  }

  /** Parses the part after `{{else}}`, and the `{{end}}`. */
  #otherwise(type: Branch['type']): readonly TemplateNode[] {
    this.#mustGoOn();
    const keyword = this.#keyword();
    this.#take();
    this.#takeWord();
    if (keyword === 'end') {
      this.#expect('close', 'end');
      return [];
    }
    this.#skipSpace();
    const { type: next, text } = this.#peek();
    if (next === 'word' && text === type && type !== 'range') {
      this.#next += 1;
      return [this.#branch(type)];
    }
    this.#expect('close', 'else');
    const nodes = this.#list();
    this.#mustGoOn();
    if (this.#keyword() === 'else') throw this.#error('expected end; found {{else}}');
    this.#take();
    this.#takeWord();
    this.#expect('close', 'end');
    return nodes;
  }

  #template(at: number): TemplateNode {
    const name = this.#name('template clause');
    this.#skipSpace();
    const pipeline = this.#isAt('close') ? undefined : this.#pipeline('template clause', 'close');
    if (pipeline === undefined) this.#take();
    const source = `{{template ${goQuote(name)}${pipeline === undefined ? '' : ` ${pipeline.source}`}}}`;
    return { type: 'template', name, pipeline, at: at + '{{template '.length, source };
  }

  #define(): undefined {
    const name = this.#name('define clause');
    this.#expect('close', 'define clause');
    this.#body(name, 'define clause');
  }

  #block(at: number): TemplateNode {
    const name = this.#name('block clause');
    const pipeline = this.#pipeline('block clause', 'close');
    this.#body(name, 'block clause');
    return { type: 'template', name, pipeline, at, source: `{{template ${goQuote(name)} ${pipeline.source}}}` };
  }

  #body(name: string, context: string): void {
    const variables = this.#variables;
    this.#variables = ['$'];
    this.#defined.set(name, this.#list());
    this.#variables = variables;
    this.#mustGoOn();
    if (this.#keyword() !== 'end') throw this.#error(`unexpected {{else}} in ${context}`);
    this.#take();
    this.#takeWord();
    this.#expect('close', 'end');
  }

  #name(context: string): string {
    this.#skipSpace();
    const token = this.#take();
    if (token.type !== 'string') throw this.#unexpected(token, context);
    return this.#string(token);
  }

  /** @param end the token that ends the pipeline, which is consumed */
  #pipeline(context: string, end: 'close' | ')'): Pipeline {
    this.#skipSpace();
    const { at } = this.#peek();
    const { variables, isAssignment } = this.#declaration(context);
    const commands: Command[] = [];
    for (;;) {
      this.#skipSpace();
      const token = this.#peek();
      if (token.type === end) {
        const source = this.#text.slice(at, token.at).trim();
        this.#next += 1;
        checkPipeline(commands, context, token.at);
        return { variables, isAssignment, commands, at, source };
      }
      if (token.type === 'close') throw this.#unexpected(token, 'parenthesized pipeline');
      commands.push(this.#command());
    }
  }

  /** Parses `$x :=`, `$x =`, and in a range `$i, $e :=`. */
  #declaration(context: string): Pick<Pipeline, 'variables' | 'isAssignment'> {
    const rest = this.#tokens.slice(this.#next).filter(({ type }) => type !== 'space');
    const [first, second, third, fourth] = rest;
    const isPair = context === 'range' && second?.type === ',' && third?.type === 'variable';
    const sign = isPair ? fourth : second;
    if (first?.type !== 'variable' || (sign?.type !== ':=' && sign?.type !== '=')) {
      return { variables: [], isAssignment: false };
    }
    const variables = isPair ? [first.text, third.text] : [first.text];
    const isAssignment = sign.type === '=';
    if (!isAssignment) this.#variables.push(...variables);
    this.#next = this.#tokens.indexOf(sign) + 1;
    return { variables, isAssignment };
  }

  #command(): Command {
    const { at } = this.#peek();
    const operands: Operand[] = [];
    let end = at;
    for (;;) {
      this.#skipSpace();
      const token = this.#peek();
      if (token.type === 'close' || token.type === ')') break;
      if (token.type === '|') {
        this.#next += 1;
        break;
      }
      operands.push(this.#operand());
      end = this.#peek().at;
      if (!this.#isAt('space') && !this.#isAt('close') && !this.#isAt(')') && !this.#isAt('|')) {
        throw this.#unexpected(this.#peek(), 'operand');
      }
    }
    if (operands.length === 0) throw this.#error('empty command');
    return { operands, at, source: this.#text.slice(at, end) };
  }

  /** Parses a term and the fields after it. */
  #operand(): Operand {
    const term = this.#term();
    const fields: string[] = [];
    let { at } = term;
    while (this.#isAt('field')) {
      const field = this.#take();
      if (fields.length === 0) at = field.at;
      fields.push(field.text.slice(1));
    }
    if (this.#isAt('dot')) throw this.#unexpected(this.#peek(), 'operand');
    if (fields.length === 0) return term;
    const source = `${term.source}${fields.map((field) => `.${field}`).join('')}`;
    if (term.type === 'field' || term.type === 'variable') {
      return { ...term, fields: [...term.fields, ...fields], at, source };
    }
    if (term.type === 'dot' || term.type === 'nil' || term.type === 'constant') {
      throw new ReadError(`unexpected . after term ${goQuote(term.source)}`, at);
    }
    return { type: 'chain', of: term, fields, at, source };
  }

  #term(): Operand {
    const token = this.#take();
    const place = { at: token.at, source: token.text };
    switch (token.type) {
      case 'word':
        return this.#word(token);
      case 'dot':
        return { type: 'dot', ...place };
      case 'field':
        return { type: 'field', fields: [token.text.slice(1)], ...place };
      case 'variable':
        if (this.#variables.includes(token.text)) return { type: 'variable', name: token.text, fields: [], ...place };
        throw new ReadError(`undefined variable ${goQuote(token.text)}`, token.at);
      case 'number':
        return { type: 'constant', value: this.#number(token), ...place };
      case 'string':
        return { type: 'constant', value: this.#string(token), ...place };
      case 'character':
        return { type: 'constant', value: this.#unquoted(token, "'").codePointAt(0), ...place };
      case '(': {
        const pipeline = this.#pipeline('parenthesized pipeline', ')');
        return { type: 'pipeline', pipeline, at: pipeline.at, source: `(${pipeline.source})` };
      }
      default:
        throw this.#unexpected(token, 'operand');
    }
  }

  #word(token: Token): Operand {
    const { text, at } = token;
    const place = { at, source: text };
    if (text === 'true' || text === 'false') return { type: 'constant', value: text === 'true', ...place };
    if (text === 'nil') return { type: 'nil', ...place };
    if (KEYWORDS.has(text)) throw this.#unexpected(token, 'operand');
    if (!isFunction(text)) throw new ReadError(`function ${goQuote(text)} not defined`, at);
    return { type: 'call', name: text, ...place };
  }

  #number({ text, at }: Token): number | FloatLiteral {
    const digits = text.replaceAll('_', '');
    const isHex = /^[-+]?0[xX]/.test(digits);
    const size = Number(digits.replace(/^[-+]/, ''));
    const value = digits.startsWith('-') ? -size : size;
    if (Number.isNaN(value) || /[\p{L}\d.]/u.test(this.#text.charAt(at + text.length))) {
      throw new ReadError(`bad number syntax: ${goQuote(text + this.#text.charAt(at + text.length))}`, at);
    }
    return !isHex && /[.eE]/.test(digits) ? new FloatLiteral(value) : value;
  }

  #string(token: Token): string {
    return token.text.startsWith('`') ? token.text.slice(1, -1) : this.#unquoted(token, '"');
  }

  #unquoted({ text, at }: Token, quote: string): string {
    const unquoted = unquoteGo(text.slice(1, -1), quote);
    if (unquoted === undefined) throw new ReadError('invalid syntax', at);
    return unquoted;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? (this.#tokens.at(-1) as Token);
  }

  #isAt(type: Token['type']): boolean {
    return this.#peek().type === type;
  }

  #take(): Token {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #skipSpace(): void {
    while (this.#isAt('space')) this.#next += 1;
  }

  /** Consumes the keyword of an action. */
  #takeWord(): void {
    this.#skipSpace();
    this.#next += 1;
  }

  #expect(type: Token['type'], context: string): void {
    this.#skipSpace();
    const token = this.#take();
    if (token.type !== type) throw this.#unexpected(token, context);
  }

  #mustGoOn(): void {
    if (this.#isAt('end')) throw this.#error('unexpected EOF');
  }

  #unexpected(token: Token, context: string): ReadError {
    return new ReadError(`unexpected ${quotedToken(token)} in ${context}`, token.at);
  }

  #error(message: string): ReadError {
    return new ReadError(message, this.#peek().at);
  }
}

/** Requires that only commands which take a value follow a `|`. */
function checkPipeline(commands: readonly Command[], context: string, at: number): void {
  if (commands.length === 0) throw new ReadError(`missing value for ${context}`, at);
  for (const [index, { operands }] of commands.entries()) {
    const type = operands[0]?.type;
    if (index > 0 && (type === 'dot' || type === 'nil' || type === 'constant')) {
      throw new ReadError(`non executable command in pipeline stage ${index + 1}`, at);
    }
  }
}
