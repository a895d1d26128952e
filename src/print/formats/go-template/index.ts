import { goQuote, goText, usage } from '../../../api/index.ts';
import { formatJson } from '../base/json.ts';
import { PrintFailure } from '../base/print-failure.ts';
import { execute } from './execute.ts';
import type { Template } from './nodes.ts';
import { parseGoTemplate } from './parse.ts';
import { ReadError } from './tokens.ts';

/** The arguments of `-o go-template=…`. */
export interface GoTemplateFormat {
  readonly template: string;
  readonly allowMissingKeys: boolean;
}

/**
 * Prints objects with a Go template. Supports all parts of text/template that apply to plain data: actions, pipelines,
 * variables, if, else, with, range, break, continue, define, block, template, comments, trimming, and its functions
 * except `call`; and kubectl's `exists` and `base64decode`.
 * @throws {PodrunError} (usage) at once for an unreadable template; the returned function throws a PrintFailure
 */
export function goTemplatePrinter({ template, allowMissingKeys }: GoTemplateFormat): (object: unknown) => string {
  const parsed = read(template);
  return (object) => {
    const { text, error } = execute(parsed, object, { allowMissingKeys });
    if (error === undefined) return text;
    const { at, source } = error.position;
    const column = at - (template.lastIndexOf('\n', at - 1) + 1);
    const where = `template: output:${lineOf(template, at)}:${column}: executing "output" at <${source}>`;
    const what = `${where}: ${error.message}`;
    // The debugging text follows the output of the template, as in kubectl.
    throw new PrintFailure(
      `error executing template ${goQuote(template)}: ${what}`,
      `${text}Error executing template: ${what}. Printing more information for debugging the template:\n` +
        `\ttemplate was:\n\t\t${template}\n\traw data was:\n\t\t${formatJson(object)}\n` +
        `\tobject given to template engine was:\n\t\t${goText(object)}\n\n`,
    );
  };
}

function read(template: string): Template {
  try {
    return parseGoTemplate(template);
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    const line = lineOf(template, error.at);
    throw usage(`error parsing template ${template}, template: output:${line}: ${error.message}`);
  }
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
