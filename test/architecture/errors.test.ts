import { expect, it } from 'vitest';
import { isNode, nodesOf, sourcesBelow } from './source.ts';

const source = sourcesBelow('src').filter((file) => file.path.endsWith('.ts'));

/** Classes inside a parser, a protocol or a change that is stored in a later turn: see docs/architecture.md, Errors. */
const OF_PARSERS: ReadonlySet<string> = new Set([
  'Computed',
  'ExecutionError',
  'JsonPathError',
  'LayerError',
  'PointerError',
  'PrintFailure',
  'PullError',
  'ReadError',
  'ScalarError',
  'SourceError',
  'SpdyError',
  'StatusError',
  'SyntaxProblem',
  'TemplateError',
]);

/** The one class, and those of the library. */
const FOR_USERS: ReadonlySet<string> = new Set(['PodrunError', 'GoalError', 'ManifestError', 'TimeoutError']);

it('users get one class of errors', () => {
  const classes = source.flatMap((file) =>
    nodesOf(file.ast).flatMap((node) => {
      if (node.type !== 'ClassDeclaration' || !isNode(node['superClass']) || !isNode(node['id'])) return [];
      const [name, parent] = [String(node['id']['name']), String(node['superClass']['name'])];
      return /(Error|Failure|Problem)$/.test(parent) ? [name] : [];
    }),
  );
  expect(classes.filter((name) => !OF_PARSERS.has(name)).sort()).toEqual([...FOR_USERS].sort());
});

it('the word error before a message is left to errorText', () => {
  const prefixed = source.flatMap((file) =>
    nodesOf(file.ast).flatMap((node) => {
      if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return [];
      const callee = isNode(node['callee']) ? String(node['callee']['name']) : '';
      if (!['PodrunError', 'usage', 'usageOf', 'fromServer', 'noSuchObject'].includes(callee)) return [];
      const { start, end } = node;
      return /^[^(]*\((?:'\w+',\s*)?['"`]error: /.test(file.text.slice(start, end)) ? [file.path] : [];
    }),
  );
  // kubectl prints it there, but not in front of the same words of `kubectl explain`.
  expect(prefixed).toEqual(['src/cli/select/resource-arguments.ts']);
});
