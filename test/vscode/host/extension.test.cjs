const assert = require('node:assert/strict');
const vscode = require('vscode');

const id = 'mm.mm';
const commands = [
  'mm.addRegistry',
  'mm.askAgent',
  'mm.createAgent',
  'mm.newConversation',
  'mm.nextQuestion',
  'mm.openConfiguration',
  'mm.permissions',
  'mm.refreshAgents',
  'mm.restartAgent',
  'mm.setSecret',
  'mm.showLog',
  'mm.watchRegistry',
];

/** Processes below this one, by /proc; the editor's own helpers are among them, so only a difference means something. */
function children() {
  const fs = require('node:fs');
  if (!fs.existsSync('/proc')) return undefined;
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === process.pid;
      } catch {
        return false; // it ended while we looked
      }
    });
}

describe('the extension in its host', () => {
  it('is there, on the side of the workspace', () => {
    const extension = vscode.extensions.getExtension(id);
    assert.ok(extension, `${id} is not installed`);
    assert.equal(extension.extensionKind, vscode.ExtensionKind.Workspace);
  });

  it('activates without starting a process', async () => {
    const extension = vscode.extensions.getExtension(id);
    const before = children();
    await extension.activate();
    assert.equal(extension.isActive, true);
    if (before) assert.deepEqual(children(), before);
  });

  it('has registered every command that it contributes', async () => {
    const known = new Set(await vscode.commands.getCommands(true));
    const contributed = vscode.extensions
      .getExtension(id)
      .packageJSON.contributes.commands.map((command) => command.command);
    assert.deepEqual([...contributed].sort(), [...commands].sort());
    for (const command of contributed) assert.ok(known.has(command), command);
  });

  it('titles and descriptions are resolved', () => {
    const { packageJSON } = vscode.extensions.getExtension(id);
    assert.doesNotMatch(JSON.stringify(packageJSON.contributes), /"%[^"]+%"/);
    assert.equal(packageJSON.contributes.commands[0].title, 'Add a Registry…');
  });

  it('settings have their defaults and cannot come from a workspace', () => {
    for (const key of ['mm.config', 'mm.path']) {
      const info = vscode.workspace.getConfiguration().inspect(key);
      assert.equal(info?.defaultValue, '');
      assert.equal(info?.workspaceValue, undefined);
    }
  });

  it('the views open', async () => {
    for (const view of ['chat', 'agents', 'asks']) await vscode.commands.executeCommand(`mm.${view}.focus`);
  });
});
