import type { ASTNode } from '@marcbachmann/cel-js';
import type { CelType } from './types.ts';

/** The type and the cost of a part of an expression, before it is evaluated. */
export interface Estimate {
  readonly type: CelType;
  /** The most that an evaluation costs. */
  readonly cost: number;
}

/** The variables of an expression. */
export type CelVariables = ReadonlyMap<string, CelType>;

/** Looks at an expression part by part. */
export interface Visitor {
  visit: (node: ASTNode, scope: CelVariables) => Estimate;
  /** The type of a field of a value, or of what an optional has. The mistake of an unknown one is at the node. */
  fieldOf: (node: ASTNode, type: CelType, field: string) => CelType;
  /** Notes a mistake. What comes of the part is of any type, so that it brings no more of them. */
  fail: (node: ASTNode, text: string, cost?: number) => Estimate;
}
