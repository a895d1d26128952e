import { errorMessage } from '../../../api/index.ts';
import { Environment, type ParseResult } from '@marcbachmann/cel-js';
import { addAddressLibraries } from './addresses.ts';
import { addConversions } from './conversions.ts';
import { addFormatLibrary } from './format-library.ts';
import { addPatternLibrary } from './linear-patterns.ts';
import { addExtendedListLibrary, addListLibrary, addSetLibrary } from './list-library.ts';
import { addMacroFunctions, withoutMacros } from './macros.ts';
import { useOwnParts } from './own-parts.ts';
import { addQuantityLibrary } from './quantities.ts';
import { countCosts } from './running-cost.ts';
import { addVersionLibrary } from './semver-library.ts';
import { addTextLibrary } from './text-library.ts';

/** The largest rule. */
const LIMITS = { maxAstNodes: 10_000, maxDepth: 100, maxListElements: 1000, maxMapEntries: 1000, maxCallArguments: 32 };

/** The language of rules: CEL with those functions of Kubernetes' libraries that the package lacks. */
export function newEnvironment(variables: readonly string[]): Environment {
  const environment = new Environment({
    limits: LIMITS,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
  });
  for (const variable of variables) environment.registerVariable(variable, 'dyn');
  addConversions(environment);
  addListLibrary(environment);
  addExtendedListLibrary(environment);
  addSetLibrary(environment);
  addTextLibrary(environment);
  addPatternLibrary(environment);
  addQuantityLibrary(environment);
  addAddressLibraries(environment);
  addFormatLibrary(environment);
  addVersionLibrary(environment);
  addMacroFunctions(environment);
  return environment;
}

/** An expression that can be evaluated, and counts its costs. */
export interface Program {
  readonly run: ParseResult;
  /**
   * The error of an expression that podrun cannot evaluate, because it lacks a function. Undefined: it can.
   */
  readonly unsupported: string | undefined;
}

/**
 * Parses an expression.
 * @throws ParseError when the text is none
 */
export function parseExpression(environment: Environment, text: string): Program {
  let expanded = text;
  let tooMany: string | undefined;
  try {
    expanded = withoutMacros(environment, text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    tooMany = error.message;
  }
  const run = environment.parse(expanded);
  useOwnParts(run.ast);
  const { valid, error } = run.check();
  countCosts(run);
  return { run, unsupported: tooMany ?? (valid ? undefined : firstLine(error)) };
}

function firstLine(error: unknown): string {
  return errorMessage(error).split('\n')[0] ?? '';
}
