import { goQuote } from '../../../api/go-quote.ts';
import { goText } from '../../../api/go-text.ts';
import { formatJson } from '../../json.ts';
import { PrintFailure } from '../print-failure.ts';
import { execute } from './execute.ts';
import type { Template } from './nodes.ts';
import { parseGoTemplate } from './parse.ts';
import { ReadError } from './tokens.ts';

/** How `-o go-template=…` prints. */
export interface GoTemplateFormat {
  readonly template: string;
  readonly allowMissingKeys: boolean;
}

/**
 * Prints objects by a Go template. All of text/template that makes sense for plain data is there: actions, pipelines,
 * variables, if, else, with, range, break, continue, define, block, template, comments, trimming, and its functions
 * but `call`; and kubectl's `exists` and `base64decode`.
 * @throws {PrintFailure} at once when the template cannot be read, when called where it makes no sense for an object
 */
export function goTemplatePrinter({ template, allowMissingKeys }: GoTemplateFormat): (object: unknown) => string {
  const parsed = read(template);
  return (object) => {
    const { text, error } = execute(parsed, object, { allowMissingKeys });
    if (error === undefined) return text;
    const { at, source } = error.place;
    const column = at - (template.lastIndexOf('\n', at - 1) + 1);
    const where = `template: output:${lineOf(template, at)}:${column}: executing "output" at <${source}>`;
    const what = `${where}: ${error.message}`;
    // As in kubectl, what helps with the template stands behind its text.
    throw new PrintFailure(
      `error: error executing template ${goQuote(template)}: ${what}`,
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
    throw new PrintFailure(`error: error parsing template ${template}, template: output:${line}: ${error.message}`);
  }
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
