import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DESCRIBE_LAYOUT, TABLE_LAYOUT, TabWriter } from '../../src/print/text/tab-writer.ts';

const describeText = (text: string): string => new TabWriter(DESCRIBE_LAYOUT).render(text);

describe('TabWriter', () => {
  it.each([
    { name: 'pads cells to the widest of their column', text: 'a\tb\nlong\tc\n', want: 'a     b\nlong  c\n' },
    { name: 'never pads the text after the last tab', text: 'a\tlonger\nb\tc\td\n', want: 'a  longer\nb  c  d\n' },
    { name: 'ends a column at a line without it', text: 'a\tb\n--\nlong\tc\n', want: 'a  b\n--\nlong  c\n' },
    { name: 'keeps the padding of an empty last cell', text: 'IP:\t\nStatus:\tx\n', want: 'IP:      \nStatus:  x\n' },
    {
      name: 'aligns inner columns inside the outer block only',
      text: 'a\tb\tc\nd\te\nf\tgggg\th\n',
      want: 'a  b  c\nd  e\nf  gggg  h\n',
    },
    { name: 'counts characters, not bytes', text: 'é😀\tx\nabc\ty\n', want: 'é😀   x\nabc  y\n' },
    { name: 'takes a form feed for the end of a line', text: 'a\tb\flong\tc\n', want: 'a     b\nlong  c\n' },
    { name: 'leaves text without tabs alone', text: 'one\n\ntwo', want: 'one\n\ntwo' },
  ])('$name', ({ text, want }) => {
    expect(describeText(text)).toBe(want);
  });

  it('gives columns of tables a least width', () => {
    expect(new TabWriter(TABLE_LAYOUT).render('A\tB\nx\ty\n')).toBe('A     B\nx     y\n');
  });

  it('remembers widths from one render to the next, and lets them grow from there on', () => {
    const writer = new TabWriter(TABLE_LAYOUT);
    expect(writer.render('a-long-name\t1\n')).toBe('a-long-name   1\n');
    expect(writer.render('b\t2\n')).toBe('b             2\n');
    expect(writer.render('an-even-longer-name\t3\n')).toBe('an-even-longer-name   3\n');
    expect(writer.render('c\t4\n')).toBe('c                     4\n');
  });

  const word = fc.string({ unit: 'grapheme-ascii', maxLength: 12 }).map((text) => text.replaceAll(/[\s]/g, '_'));

  it('never breaks a column: in a rectangle of cells every column begins at the same place', () => {
    const rows = fc
      .integer({ min: 1, max: 5 })
      .chain((columns) =>
        fc.array(fc.array(word, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 8 }),
      );
    fc.assert(
      fc.property(rows, (cells) => {
        const lines = describeText(cells.map((row) => `${row.join('\t')}\n`).join('')).split('\n');
        let start = 0;
        for (let column = 0; column < cells[0]!.length; column += 1) {
          for (const [index, row] of cells.entries()) {
            expect(lines[index]!.slice(start, start + row[column]!.length)).toBe(row[column]);
          }
          start += 2 + Math.max(...cells.map((row) => row[column]!.length));
        }
      }),
    );
  });

  it('loses nothing: without the padding the text is what was written', () => {
    const text = fc.array(fc.array(word, { maxLength: 4 })).map((rows) => rows.map((row) => row.join('\t')).join('\n'));
    fc.assert(
      fc.property(text, (written) => {
        expect(describeText(written).replaceAll(' ', '')).toBe(written.replaceAll('\t', '').replaceAll(' ', ''));
      }),
    );
  });
});
