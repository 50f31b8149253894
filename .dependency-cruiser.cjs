/**
 * The arrows between the rooms (docs/decisions/0001-rooms.md). Each room names what it may import; everything else of ours is forbidden.
 * The two composition roots, src/extension.ts and src/mm.ts, may import any room.
 */
const allowed = {
  vscode: ['host', 'chat', 'ask', 'a2a', 'config'],
  host: ['chat', 'ask', 'children', 'acp', 'config'],
  cli: ['agent', 'ask', 'a2a', 'config'],
  agent: ['ask', 'acp', 'config'],
  a2a: ['ask', 'acp', 'config'],
  ask: ['children', 'acp', 'config'],
  children: ['acp'],
  acp: [],
  config: [],
  chat: [],
  base: [],
};

const rooms = Object.entries(allowed).map(([room, others]) => ({
  name: `${room}-arrows`,
  comment: `${room} may import ${[...others, 'base'].join(', ')} and nothing else of ours`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^(src|webview|test|bench|scripts)/', pathNot: `^src/(${[room, 'base', ...others].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...rooms,
    {
      name: 'only-vscode-room-sees-the-editor',
      comment: "the module 'vscode' exists only inside an editor; every other room must run without one",
      severity: 'error',
      from: { path: '^(src|webview)/', pathNot: '^src/(vscode/|extension\\.ts$)' },
      to: { path: '^(vscode$|node_modules/@types/vscode/)' },
    },
    {
      name: 'webview-takes-types-only',
      comment: 'a page runs in a browser: of src it may know the types of chat and a2a/view, never code',
      severity: 'error',
      from: { path: '^webview/' },
      to: { path: '^src/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'webview-knows-chat-only',
      comment: 'the pages draw conversations and the registry; other rooms are none of their business',
      severity: 'error',
      from: { path: '^webview/' },
      to: { path: '^(src|test|bench|scripts)/', pathNot: '^src/(chat|a2a/view)' },
    },
    {
      name: 'sdk-types-only',
      comment: 'the SDK is the independent peer of our tests; on our own path only its types are used (decision 0002)',
      severity: 'error',
      from: { path: '^(src|webview)/' },
      to: { path: '^node_modules/@agentclientprotocol/sdk/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-cycles',
      comment: 'modules that need each other are one idea in two files',
      severity: 'error',
      from: { path: '^(src|webview)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'product-not-on-tests',
      comment: 'what is shipped imports nothing from tests, figures or scripts',
      severity: 'error',
      from: { path: '^(src|webview)/' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'resolvable',
      comment: 'an import that cannot be found',
      severity: 'error',
      from: { path: '^(src|webview)/' },
      to: { couldNotResolve: true, pathNot: '^vscode$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|\\.cache)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
      mainFields: ['module', 'main', 'types'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
