/** Says in words what an old Node would otherwise say as a syntax error somewhere below. Imported first. */
const [major] = process.versions.node.split('.').map(Number);
if (major < 20) {
  console.error(
    `This needs Node 20 or newer; this is Node ${process.versions.node}. Install a newer one from your system or nvm.`,
  );
  process.exit(1);
}
