// What must not be written in some places, and why, as rules for oxlint: where each holds stands in oxlint.config.ts.

const UNTYPED_ROWS =
  'Take rows with readRows, readRow, requireRow, hasRows or countChanged of @tollgate/platform.';

/** Whether it stands alone in its line or behind `void`: nothing is done with what it answers. */
const isDropped = ({ type, operator }) =>
  type === 'ExpressionStatement' || (type === 'UnaryExpression' && operator === 'void');

/** A stream is asked for by an object that is made on the spot. */
const isStream = ([first]) => first?.type === 'NewExpression' || first?.type === 'CallExpression';

/** @returns a rule that says `message` of each node of these types */
const forbid = (types, message, isForbidden = () => true) => ({
  create(context) {
    const visit = (node) => {
      if (isForbidden(node)) context.report({ node, message });
    };
    return Object.fromEntries(types.map((type) => [type, visit]));
  },
});

export default {
  meta: { name: 'tollgate' },
  rules: {
    /** Node runs the tools as they are: it takes types away and translates nothing. */
    'erasable-syntax': forbid(
      [
        'TSEnumDeclaration',
        'TSParameterProperty',
        'TSImportEqualsDeclaration',
        'TSExportAssignment',
        'Decorator',
      ],
      'Node cannot run this without a build.',
    ),
    /**
     * Rows come through libs/platform/src/sql.ts, which holds them to a schema (docs/adr/0026). `query()` itself is for
     * what answers nothing and for streams.
     */
    'typed-rows': forbid(['CallExpression'], UNTYPED_ROWS, ({ callee, parent, arguments: given }) => {
      if (callee.property?.name !== 'query') return false;
      return parent.type === 'AwaitExpression' ? !isDropped(parent.parent) : !isStream(given);
    }),
    /** What has been applied somewhere must stay what it was, whatever becomes of our code. */
    'frozen-imports': forbid(
      ['ImportDeclaration', 'ImportExpression'],
      'A migration is frozen: it imports nothing but types of typeorm.',
      ({ importKind, source }) => importKind !== 'type' || source.value !== 'typeorm',
    ),
    'frozen-sql': forbid(
      ['TemplateLiteral'],
      'A migration is frozen: its SQL is literal.',
      ({ expressions }) => expressions.length > 0,
    ),
  },
};
