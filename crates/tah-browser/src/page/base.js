// What the engine itself asks of a document. Each function is called with plain JSON and returns plain JSON.
Object.assign(tah, {
  // The size of the viewport of this frame, in CSS pixels.
  viewport() {
    return [innerWidth, innerHeight];
  },

  // The state of the document and how its request was answered (0: unknown).
  document() {
    const entry = performance.getEntriesByType("navigation")[0];
    return {
      url: location.href,
      title: document.title,
      ready: document.readyState,
      status: entry ? entry.responseStatus || 0 : 0,
    };
  },

  // Whether an element is there.
  has(selector) {
    return document.querySelector(selector) !== null;
  },

  // Lets everything that is already queued in the page run.
  tick() {
    return new Promise((done) => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => setTimeout(() => done(true), 0);
      channel.port2.postMessage(0);
    });
  },
});
