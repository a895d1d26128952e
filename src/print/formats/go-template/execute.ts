import { FloatLiteral, goQuote, sorted } from '../../../api/index.ts';
import { argumentProblem, callFunction, fieldOf, isTrue } from './functions.ts';
import {
  type Branch,
  type TemplateCommand,
  type Operand,
  type Pipeline,
  type TemplatePosition,
  type Template,
  TemplateError,
  type TemplateNode,
} from './nodes.ts';
import { goValueText } from './printf.ts';

export interface ExecuteOptions {
  /** Prints `<no value>` for missing fields. Otherwise they are errors. */
  readonly allowMissingKeys: boolean;
}

/** The result of a template: its text, and the error that ended it. */
export interface ExecuteResult {
  readonly text: string;
  readonly error?: ExecutionError;
}

/** A problem at a position of the template. */
class ExecutionError extends TemplateError {
  readonly position: TemplatePosition;

  constructor(message: string, position: TemplatePosition) {
    super(message);
    this.position = position;
  }
}

/** Executes a template with an object. Source: Go's text/template/exec.go. */
export function execute(template: Template, root: unknown, options: ExecuteOptions): ExecuteResult {
  const run = new Execution(template, options);
  try {
    run.block(template.nodes, root, [{ name: '$', value: root }]);
    return { text: run.text };
  } catch (error) {
    if (error instanceof ExecutionError) return { text: run.text, error };
    throw error;
  }
}

interface Variable {
  readonly name: string;
  value: unknown;
}

/** The end of a list of nodes: one of the words leaves the enclosing loop. */
type LoopControl = 'break' | 'continue' | undefined;

/** The depth of nested templates. Go allows 100,000, which needs a larger stack. */
const DEEPEST = 1000;

/** The length of the output for one object or list. */
const OUTPUT_MAX = 256 * 2 ** 20;

class Execution {
  text = '';
  readonly #template: Template;
  readonly #options: ExecuteOptions;
  #depth = 0;

  constructor(template: Template, options: ExecuteOptions) {
    this.#template = template;
    this.#options = options;
  }

  #print(text: string): void {
    this.text += text;
    if (this.text.length <= OUTPUT_MAX) return;
    throw new TemplateError(`the template makes more than ${OUTPUT_MAX / 2 ** 20} MiB of text`);
  }

  /** @param scope the visible variables; variables that the block declares end with it */
  block(nodes: readonly TemplateNode[], dot: unknown, scope: readonly Variable[]): LoopControl {
    const variables = [...scope];
    for (const node of nodes) {
      const ending = this.#node(node, dot, variables);
      if (ending !== undefined) return ending;
    }
    return undefined;
  }

  #node(node: TemplateNode, dot: unknown, variables: Variable[]): LoopControl {
    switch (node.type) {
      case 'text':
        this.#print(node.text);
        return undefined;
      case 'action': {
        const value = this.#pipeline(node.pipeline, dot, variables);
        if (node.pipeline.variables.length === 0) this.#print(printed(value));
        return undefined;
      }
      case 'if':
      case 'with':
        return this.#choose(node, dot, [...variables]);
      case 'range':
        return this.#range(node, dot, [...variables]);
      case 'template':
        this.#call(node, dot, variables);
        return undefined;
      case 'break':
      case 'continue':
        return node.type;
      default:
        return node satisfies never;
    }
  }

  #choose({ type, pipeline, body, otherwise }: Branch, dot: unknown, variables: Variable[]): LoopControl {
    const value = this.#pipeline(pipeline, dot, variables);
    if (!isTrue(value)) return this.block(otherwise, dot, variables);
    return this.block(body, type === 'with' ? value : dot, variables);
  }

  #range({ pipeline, body, otherwise }: Branch, dot: unknown, variables: Variable[]): LoopControl {
    const list = this.#pipeline({ ...pipeline, variables: [] }, dot, variables);
    const entries = entriesOf(list);
    if (entries === undefined) throw new ExecutionError(`range can't iterate over ${goValueText(list)}`, pipeline);
    if (entries.length === 0) return this.block(otherwise, dot, variables);
    for (const [key, value] of entries) {
      const inside = [...variables];
      const names = pipeline.variables;
      const values = names.length === 2 ? [key, value] : [value];
      for (const [index, name] of names.entries()) setVariable(inside, name, values[index], pipeline.isAssignment);
      if (this.block(body, value, inside) === 'break') break;
    }
    return undefined;
  }

  #call(node: TemplateNode & { type: 'template' }, dot: unknown, variables: Variable[]): void {
    const nodes = this.#template.defined.get(node.name);
    if (nodes === undefined) throw new ExecutionError(`template ${goQuote(node.name)} not defined`, node);
    if (this.#depth >= DEEPEST) throw new ExecutionError(`exceeded maximum template depth (${DEEPEST})`, node);
    const value = node.pipeline === undefined ? undefined : this.#pipeline(node.pipeline, dot, variables);
    this.#depth += 1;
    this.block(nodes, value, [{ name: '$', value }]);
    this.#depth -= 1;
  }

  #pipeline({ commands, variables: names, isAssignment }: Pipeline, dot: unknown, variables: Variable[]): unknown {
    let value: unknown;
    for (const [index, command] of commands.entries()) {
      const piped = index === 0 ? [] : [value];
      value = this.#command(command, { dot, variables, piped });
    }
    for (const name of names) setVariable(variables, name, value, isAssignment);
    return value;
  }

  #command(command: TemplateCommand, at: EvaluationContext): unknown {
    const [first, ...rest] = command.operands;
    if (first === undefined) return undefined;
    if (first.type === 'call') return this.#function(first.name, rest, { command, ...at });
    if (rest.length + at.piped.length > 0) {
      if (first.type === 'field' || first.type === 'variable' || first.type === 'chain') {
        const name = first.fields.at(-1);
        const isField = name !== undefined && at.piped.length === 0;
        const why = isField
          ? `${name} is not a method but has arguments`
          : `can't give argument to non-function ${first.source}`;
        throw new ExecutionError(why, first);
      }
      throw new ExecutionError(`can't give argument to non-function ${first.source}`, first);
    }
    if (first.type === 'nil') throw new ExecutionError('nil is not a command', first);
    return this.#operand(first, at);
  }

  #operand(operand: Operand, at: EvaluationContext): unknown {
    switch (operand.type) {
      case 'dot':
        return at.dot;
      case 'nil':
        return null;
      case 'constant':
        return operand.value;
      case 'field':
        return this.#fields(at.dot, operand);
      case 'variable': {
        const variable = at.variables.findLast(({ name }) => name === operand.name);
        return this.#fields(variable?.value, operand);
      }
      case 'chain':
        return this.#fields(this.#operand(operand.of, at), operand);
      case 'pipeline':
        return this.#pipeline(operand.pipeline, at.dot, at.variables);
      case 'call':
        return this.#function(operand.name, [], { command: { ...operand, operands: [operand] }, ...at, piped: [] });
      default:
        return operand satisfies never;
    }
  }

  #fields(value: unknown, operand: Operand & { readonly fields: readonly string[] }): unknown {
    return operand.fields.reduce((inside, name) => this.#field(inside, name, operand), value);
  }

  #field(value: unknown, name: string, position: TemplatePosition): unknown {
    if (value === undefined) {
      if (this.#options.allowMissingKeys) return undefined;
      throw new ExecutionError(`nil data; no entry for key ${goQuote(name)}`, position);
    }
    if (value === null) throw new ExecutionError(`nil pointer evaluating interface {}.${name}`, position);
    if (typeof value !== 'object' || Array.isArray(value) || value instanceof FloatLiteral) {
      throw new ExecutionError(`can't evaluate field ${name} in type interface {}`, position);
    }
    const field = fieldOf(value, name);
    if (field !== undefined || this.#options.allowMissingKeys) return field;
    throw new ExecutionError(`map has no entry for key ${goQuote(name)}`, position);
  }

  #function(name: string, operands: readonly Operand[], at: EvaluationContext & { command: TemplateCommand }): unknown {
    if (name === 'and' || name === 'or') return this.#shortCircuit(name, operands, at);
    const problem = argumentProblem(name, operands.length + at.piped.length);
    if (problem !== undefined) throw new ExecutionError(problem, { at: at.command.at, source: name });
    const args = [...operands.map((operand) => this.#operand(operand, at)), ...at.piped];
    try {
      return callFunction(name, args);
    } catch (error) {
      if (!(error instanceof TemplateError) || error instanceof ExecutionError) throw error;
      throw new ExecutionError(`error calling ${name}: ${error.message}`, at.command);
    }
  }

  /** Evaluates arguments up to the first that decides the result. */
  #shortCircuit(
    name: 'and' | 'or',
    operands: readonly Operand[],
    at: EvaluationContext & { command: TemplateCommand },
  ): unknown {
    if (operands.length + at.piped.length === 0) {
      throw new ExecutionError(`wrong number of args for ${name}: want at least 1 got 0`, {
        at: at.command.at,
        source: name,
      });
    }
    let value: unknown;
    for (const operand of operands) {
      value = this.#operand(operand, at);
      if (isTrue(value) === (name === 'or')) return value;
    }
    return at.piped.length > 0 ? at.piped[0] : value;
  }
}

/** The context in which a part of the template is evaluated. */
interface EvaluationContext {
  readonly dot: unknown;
  readonly variables: Variable[];
  /** The value from the previous command of the pipeline, which becomes the last argument. */
  readonly piped: readonly unknown[];
}

function setVariable(variables: Variable[], name: string, value: unknown, isAssignment: boolean): void {
  const known = isAssignment ? variables.findLast((variable) => variable.name === name) : undefined;
  if (known === undefined) variables.push({ name, value });
  else known.value = value;
}

/** The keys and values of a range. Undefined for a value that has none. */
function entriesOf(list: unknown): Array<[key: unknown, value: unknown]> | undefined {
  if (list === undefined || list === null) return [];
  if (Array.isArray(list)) return list.map((value: unknown, index) => [index, value]);
  return typeof list === 'object' && !(list instanceof FloatLiteral) ? sorted(list) : undefined;
}

function printed(value: unknown): string {
  return value === undefined || value === null ? '<no value>' : goValueText(value);
}
