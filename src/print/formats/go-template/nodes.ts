/** A position in the template, in characters from its beginning. */
export interface TemplatePosition {
  readonly at: number;
  /** The part of the template that messages quote. */
  readonly source: string;
}

export type Operand = TemplatePosition &
  (
    | { readonly type: 'dot' }
    | { readonly type: 'nil' }
    | { readonly type: 'constant'; readonly value: unknown }
    | { readonly type: 'variable'; readonly name: string; readonly fields: readonly string[] }
    | { readonly type: 'field'; readonly fields: readonly string[] }
    | { readonly type: 'call'; readonly name: string }
    | { readonly type: 'pipeline'; readonly pipeline: Pipeline }
    | { readonly type: 'chain'; readonly of: Operand; readonly fields: readonly string[] }
  );

export interface TemplateCommand extends TemplatePosition {
  readonly operands: readonly Operand[];
}

export interface Pipeline extends TemplatePosition {
  /** Variables that get the value of the pipeline. In a range there may be two: index and element. */
  readonly variables: readonly string[];
  /** True for variables that were declared before. */
  readonly isAssignment: boolean;
  readonly commands: readonly TemplateCommand[];
}

export type TemplateNode =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'action'; readonly pipeline: Pipeline }
  | Branch
  | (TemplatePosition & { readonly type: 'template'; readonly name: string; readonly pipeline: Pipeline | undefined })
  | { readonly type: 'break' | 'continue' };

export interface Branch {
  readonly type: 'if' | 'range' | 'with';
  readonly pipeline: Pipeline;
  readonly body: readonly TemplateNode[];
  readonly otherwise: readonly TemplateNode[];
}

/** A template, and the templates that it defines, by name. */
export interface Template {
  readonly nodes: readonly TemplateNode[];
  readonly defined: ReadonlyMap<string, readonly TemplateNode[]>;
}

/** An unreadable template, or one that fails for an object. The message is Go's. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}
