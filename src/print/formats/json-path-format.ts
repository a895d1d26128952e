import {
  findResults,
  FloatLiteral,
  goQuote,
  goSyntax,
  goText,
  JsonPathError,
  parseTemplate,
  usage,
} from '../../api/index.ts';
import { formatJson } from './base/json.ts';
import { PrintFailure } from './base/print-failure.ts';
import { bare } from './go-template/functions.ts';

/** The arguments of `-o jsonpath=…`. */
export interface JsonPathFormat {
  readonly template: string;
  readonly allowMissingKeys: boolean;
  /** `-o jsonpath-as-json`: the results of each expression as a list. */
  readonly asJson: boolean;
}

/**
 * Prints objects with a template of kubectl's JSONPath.
 * @throws {PodrunError} (usage) at once for an unreadable template; the returned function throws a PrintFailure
 */
export function jsonPathPrinter({ template, allowMissingKeys, asJson }: JsonPathFormat): (object: unknown) => string {
  const nodes = parsed(template);
  return (object) => {
    try {
      const results = findResults(nodes, object, { allowMissingKeys });
      return results
        .map((values) => (asJson ? `${formatJson(values.map(bare), '\n')}\n` : values.map(plain).join(' ')))
        .join('');
    } catch (error) {
      if (!(error instanceof JsonPathError)) throw error;
      throw new PrintFailure(
        `error executing jsonpath ${goQuote(template)}: Error executing template: ${error.message}. ` +
          `Printing more information for debugging the template:\n\ttemplate was:\n\t\t${template}\n` +
          `\tobject given to jsonpath engine was:\n\t\t${goSyntax(object)}\n\n`,
        '',
      );
    }
  };
}

function parsed(template: string): ReturnType<typeof parseTemplate> {
  try {
    return parseTemplate(template);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw usage(`error parsing jsonpath ${template}, ${error.message}`);
  }
}

/** Formats objects and lists as JSON, and other values as plain text. */
function plain(value: unknown): string {
  if (value === null || (typeof value === 'object' && !(value instanceof FloatLiteral))) return formatJson(value);
  return goText(bare(value));
}
