/** A column: its heading, and on which side its cells are aligned. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
  readonly align?: 'left' | 'right';
}

/** Rows as aligned text. Widths are in code points; control characters of model-written text are shown as spaces. */
export function textTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = [
    columns.map((column) => column.heading),
    ...rows.map((row) => columns.map(({ cell }) => printable(cell(row)))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => [...(line[index] as string)].length)));
  return cells
    .map((line) =>
      line
        .map((text, index) => pad(text, widths[index] as number, columns[index]?.align))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Text that cannot move the cursor, colour the terminal or reorder what is read. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, (mark) => (mark === '\n' || mark === '\t' ? ' ' : '�'));
}

/** Like {@link printable}, but line ends and tabs stay: for programs and observations. */
export function printableLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\t').map(printable).join('\t'))
    .join('\n');
}

function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(width - [...text].length);
  return align === 'left' ? text + blanks : blanks + text;
}
