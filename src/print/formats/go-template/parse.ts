import { goQuote } from '../../../api/index.ts';
import { isFunction } from './functions.ts';
import { KEYWORDS, numberOf, ReadError, stringOf, type Token, tokenize, unquoted } from './tokens.ts';
import type { Branch, TemplateCommand, Operand, Pipeline, Template, TemplateNode } from './nodes.ts';
import { TokenCursor } from './token-cursor.ts';

/**
 * Parses a Go template. Source: Go's text/template/parse/parse.go.
 * @throws {ReadError}
 */
export function parseGoTemplate(text: string): Template {
  return new Parser(text).parse();
}

class Parser {
  readonly #text: string;
  readonly #tokens: TokenCursor;
  readonly #defined = new Map<string, readonly TemplateNode[]>();
  /** The names of visible variables. */
  #variables: string[] = ['$'];
  #ranges = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = new TokenCursor(tokenize(text));
  }

  parse(): Template {
    const nodes = this.#list();
    if (this.#tokens.isAt('end')) return { nodes, defined: this.#defined };
    const keyword = this.#tokens.keyword();
    throw this.#tokens.error(`unexpected {{${keyword}}}`);
  }

  /** Parses up to `{{end}}`, `{{else}}` or the end of the template, and stops before it. */
  #list(): TemplateNode[] {
    const nodes: TemplateNode[] = [];
    for (;;) {
      const token = this.#tokens.peek();
      if (token.type === 'end') return nodes;
      if (token.type === 'text') {
        this.#tokens.take();
        nodes.push({ type: 'text', text: token.text });
        continue;
      }
      const keyword = this.#tokens.keyword();
      if (keyword === 'end' || keyword === 'else') return nodes;
      const node = this.#action(keyword);
      if (node !== undefined) nodes.push(node);
    }
  }

  #action(keyword: string): TemplateNode | undefined {
    const open = this.#tokens.take();
    if (keyword === '' || keyword === 'nil') {
      const pipeline = this.#pipeline('command', 'close');
      return { type: 'action', pipeline };
    }
    this.#tokens.takeWord();
    if (keyword === 'if' || keyword === 'with' || keyword === 'range') return this.#branch(keyword);
    if (keyword === 'template') return this.#template(open.at);
    if (keyword === 'define') return this.#define();
    if (keyword === 'block') return this.#block(open.at);
    this.#tokens.expect('close', keyword);
    if (this.#ranges === 0) throw this.#tokens.error(`{{${keyword}}} outside {{range}}`);
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
    this.#tokens.requireMore();
    const keyword = this.#tokens.keyword();
    this.#tokens.takeKeyword();
    if (keyword === 'end') {
      this.#tokens.expect('close', 'end');
      return [];
    }
    this.#tokens.skipSpace();
    const { type: next, text } = this.#tokens.peek();
    if (next === 'word' && text === type && type !== 'range') {
      this.#tokens.take();
      return [this.#branch(type)];
    }
    this.#tokens.expect('close', 'else');
    const nodes = this.#list();
    this.#tokens.requireMore();
    if (this.#tokens.keyword() === 'else') throw this.#tokens.error('expected end; found {{else}}');
    this.#tokens.takeKeyword();
    this.#tokens.expect('close', 'end');
    return nodes;
  }

  #template(at: number): TemplateNode {
    const name = this.#name('template clause');
    this.#tokens.skipSpace();
    const pipeline = this.#tokens.isAt('close') ? undefined : this.#pipeline('template clause', 'close');
    if (pipeline === undefined) this.#tokens.take();
    const source = `{{template ${goQuote(name)}${pipeline === undefined ? '' : ` ${pipeline.source}`}}}`;
    return { type: 'template', name, pipeline, at: at + '{{template '.length, source };
  }

  #define(): undefined {
    const name = this.#name('define clause');
    this.#tokens.expect('close', 'define clause');
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
    this.#tokens.requireMore();
    if (this.#tokens.keyword() !== 'end') throw this.#tokens.error(`unexpected {{else}} in ${context}`);
    this.#tokens.takeKeyword();
    this.#tokens.expect('close', 'end');
  }

  #name(context: string): string {
    this.#tokens.skipSpace();
    const token = this.#tokens.take();
    if (token.type !== 'string') throw this.#tokens.unexpected(token, context);
    return stringOf(token);
  }

  /** @param end the token that ends the pipeline, which is consumed */
  #pipeline(context: string, end: 'close' | ')'): Pipeline {
    this.#tokens.skipSpace();
    const { at } = this.#tokens.peek();
    const { variables, isAssignment } = this.#declaration(context);
    const commands: TemplateCommand[] = [];
    for (;;) {
      this.#tokens.skipSpace();
      const token = this.#tokens.peek();
      if (token.type === end) {
        const source = this.#text.slice(at, token.at).trim();
        this.#tokens.take();
        checkPipeline(commands, context, token.at);
        return { variables, isAssignment, commands, at, source };
      }
      if (token.type === 'close') throw this.#tokens.unexpected(token, 'parenthesized pipeline');
      commands.push(this.#command());
    }
  }

  /** Parses `$x :=`, `$x =`, and in a range `$i, $e :=`. */
  #declaration(context: string): Pick<Pipeline, 'variables' | 'isAssignment'> {
    const [first, second, third, fourth] = this.#tokens.ahead(4);
    const isPair = context === 'range' && second?.type === ',' && third?.type === 'variable';
    const sign = isPair ? fourth : second;
    if (first?.type !== 'variable' || (sign?.type !== ':=' && sign?.type !== '=')) {
      return { variables: [], isAssignment: false };
    }
    const variables = isPair ? [first.text, third.text] : [first.text];
    const isAssignment = sign.type === '=';
    if (!isAssignment) this.#variables.push(...variables);
    this.#tokens.moveBehind(sign);
    return { variables, isAssignment };
  }

  #command(): TemplateCommand {
    const { at } = this.#tokens.peek();
    const operands: Operand[] = [];
    let end = at;
    for (;;) {
      this.#tokens.skipSpace();
      const token = this.#tokens.peek();
      if (token.type === 'close' || token.type === ')') break;
      if (token.type === '|') {
        this.#tokens.take();
        break;
      }
      operands.push(this.#operand());
      end = this.#tokens.peek().at;
      if (
        !this.#tokens.isAt('space') &&
        !this.#tokens.isAt('close') &&
        !this.#tokens.isAt(')') &&
        !this.#tokens.isAt('|')
      ) {
        throw this.#tokens.unexpected(this.#tokens.peek(), 'operand');
      }
    }
    if (operands.length === 0) throw this.#tokens.error('empty command');
    return { operands, at, source: this.#text.slice(at, end) };
  }

  /** Parses a term and the fields after it. */
  #operand(): Operand {
    const term = this.#term();
    const fields: string[] = [];
    let { at } = term;
    while (this.#tokens.isAt('field')) {
      const field = this.#tokens.take();
      if (fields.length === 0) at = field.at;
      fields.push(field.text.slice(1));
    }
    if (this.#tokens.isAt('dot')) throw this.#tokens.unexpected(this.#tokens.peek(), 'operand');
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
    const token = this.#tokens.take();
    const position = { at: token.at, source: token.text };
    switch (token.type) {
      case 'word':
        return this.#word(token);
      case 'dot':
        return { type: 'dot', ...position };
      case 'field':
        return { type: 'field', fields: [token.text.slice(1)], ...position };
      case 'variable':
        if (this.#variables.includes(token.text))
          return { type: 'variable', name: token.text, fields: [], ...position };
        throw new ReadError(`undefined variable ${goQuote(token.text)}`, token.at);
      case 'number':
        return {
          type: 'constant',
          value: numberOf(token, this.#text.charAt(token.at + token.text.length)),
          ...position,
        };
      case 'string':
        return { type: 'constant', value: stringOf(token), ...position };
      case 'character':
        return { type: 'constant', value: unquoted(token, "'").codePointAt(0), ...position };
      case '(': {
        const pipeline = this.#pipeline('parenthesized pipeline', ')');
        return { type: 'pipeline', pipeline, at: pipeline.at, source: `(${pipeline.source})` };
      }
      case ')':
      case ',':
      case '=':
      case ':=':
      case '|':
      case 'open':
      case 'close':
      case 'space':
      case 'text':
      case 'end':
        throw this.#tokens.unexpected(token, 'operand');
      default:
        return token.type satisfies never;
    }
  }

  #word(token: Token): Operand {
    const { text, at } = token;
    const position = { at, source: text };
    if (text === 'true' || text === 'false') return { type: 'constant', value: text === 'true', ...position };
    if (text === 'nil') return { type: 'nil', ...position };
    if (KEYWORDS.has(text)) throw this.#tokens.unexpected(token, 'operand');
    if (!isFunction(text)) throw new ReadError(`function ${goQuote(text)} not defined`, at);
    return { type: 'call', name: text, ...position };
  }
}

/** Requires that only commands which take a value follow a `|`. */
function checkPipeline(commands: readonly TemplateCommand[], context: string, at: number): void {
  if (commands.length === 0) throw new ReadError(`missing value for ${context}`, at);
  for (const [index, { operands }] of commands.entries()) {
    const type = operands[0]?.type;
    if (index > 0 && (type === 'dot' || type === 'nil' || type === 'constant')) {
      throw new ReadError(`non executable command in pipeline stage ${index + 1}`, at);
    }
  }
}
