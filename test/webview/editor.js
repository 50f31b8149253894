// Stands in for the editor: takes what the page sends, keeps its memory, and gives it messages.
window.sent = [];
// what an earlier life of the page has kept; set by a test before the page is made
window.memory ??= undefined;
window.acquireVsCodeApi = () => ({
  postMessage: (message) => window.sent.push(message),
  getState: () => window.memory,
  setState: (state) => {
    window.memory = state;
  },
});
window.give = (message) => window.dispatchEvent(new MessageEvent('message', { data: message }));
