import { describe, expect, it } from 'vitest';
import {
  type AstNode,
  filesBelow,
  isNode,
  lineAt,
  nodesOf,
  readText,
  type SourceFile,
  sourcesBelow,
} from './source.ts';

const FILE_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 70;
const PARAMETERS_MAX = 5;
const COLUMNS_MAX = 120;
const MEDIAN_FILE_LINES_MAX = 150;

const FOLDERS = ['src', 'test', 'bench', 'bin'];
const code = FOLDERS.flatMap(sourcesBelow);
const source = code.filter((file) => !file.path.startsWith('test/'));

const linesOf = ({ text }: SourceFile): number => text.split('\n').length - 1;

const linesBelowImports = ({ text }: SourceFile): number =>
  (text.split(/^(?:import|\}) .*from '[^']+';$/m).at(-1) ?? '').split('\n').length - 1;

describe('sizes', () => {
  it(`no source file is longer than ${FILE_LINES_MAX} lines, imports and comments included`, () => {
    const long = source.map((file) => ({ file: file.path, lines: linesOf(file) }));
    expect(long.filter(({ lines }) => lines > FILE_LINES_MAX)).toEqual([]);
  });

  it(`no file of the tests has more than ${FILE_LINES_MAX} lines below its imports`, () => {
    const tests = code.filter((file) => file.path.startsWith('test/'));
    const long = tests.map((file) => ({ file: file.path, lines: linesBelowImports(file) }));
    expect(long.filter(({ lines }) => lines > FILE_LINES_MAX)).toEqual([]);
  });

  it(`half of the source files have at most ${MEDIAN_FILE_LINES_MAX} lines`, () => {
    const lines = source.map(linesOf).toSorted((a, b) => a - b);
    expect(lines[Math.floor(lines.length / 2)]).toBeLessThanOrEqual(MEDIAN_FILE_LINES_MAX);
  });

  it(`no line is wider than ${COLUMNS_MAX} columns`, () => {
    const texts = [...code.map((file) => file.path), ...filesBelow('fixtures'), '.ci/run', 'build.mjs'];
    const wide = texts.flatMap((file) =>
      readText(file)
        .split('\n')
        .flatMap((line, index) => (line.length > COLUMNS_MAX ? [`${file}:${index + 1}`] : [])),
    );
    expect(wide).toEqual([]);
  });

  it(`no function is longer than ${FUNCTION_LINES_MAX} lines`, () => {
    const long = source.flatMap((file) =>
      nodesOf(file.ast)
        .filter(isFunction)
        .flatMap((node) => {
          const lines = lineAt(file, node.end) - lineAt(file, node.start) + 1;
          return lines > FUNCTION_LINES_MAX ? [`${file.path}:${lineAt(file, node.start)} has ${lines} lines`] : [];
        }),
    );
    expect(long).toEqual([]);
  });

  it(`no function takes more than ${PARAMETERS_MAX} parameters`, () => {
    const many = code.flatMap((file) =>
      nodesOf(file.ast)
        .filter((node) => isFunction(node) && (node['params'] as unknown[]).length > PARAMETERS_MAX)
        .map((node) => `${file.path}:${lineAt(file, node.start)}`),
    );
    expect(many).toEqual([]);
  });
});

function isFunction(node: AstNode): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type) && isNode(node['body']);
}
