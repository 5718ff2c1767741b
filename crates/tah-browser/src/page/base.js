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

  // Whether an element is there, in this document or one of its open shadow roots.
  has(selector) {
    const look = (root) => {
      if (root.querySelector(selector)) return true;
      for (const element of root.querySelectorAll("*")) {
        if (element.shadowRoot && look(element.shadowRoot)) return true;
      }
      return false;
    };
    return look(document);
  },

  pixelRatio() {
    return devicePixelRatio;
  },

  // A whole page that stands before the real one, or null.
  interstitial() {
    const title = document.title.toLowerCase();
    const has = (selector) => document.querySelector(selector) !== null;
    const found = (kind, reason) => ({ kind, reason });
    const cloudflare = ["just a moment", "attention required! | cloudflare", "checking your browser"];
    if (has("#challenge-running, #challenge-form, #cf-challenge-running, .cf-browser-verification, script[src*='/cdn-cgi/challenge-platform/'][src*='orchestrate']")
      || cloudflare.some((start) => title.startsWith(start)))
      return found("cloudflare", `Cloudflare's check page: ${document.title}`);
    // A page that says little but that one must prove to be human.
    const text = (document.body ? document.body.innerText : "").slice(0, 3000);
    if (text.length < 1500) {
      const words = /(verify|confirm|prove)( that)? you('| a)re (a )?(human|not a (ro)?bot)|are you a (ro)?bot\?|unusual traffic from your|complete the (captcha|security check)|(人机|安全)验证/i;
      const match = words.exec(text);
      if (match) return found("generic", `the page says: ${match[0]}`);
    }
    return null;
  },

  // Called on a challenge's <iframe>: whether it is shown and not yet passed.
  standsThere(kind) {
    const box = this.getBoundingClientRect();
    const shown = this.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!shown || box.width < 20 || box.height < 20 || box.bottom < -1000 || box.right < 0) return false;
    // The little badge in the corner asks nothing of anybody.
    if (kind === "recaptcha" && (this.closest(".grecaptcha-badge") || /size=invisible/.test(this.src))) return false;
    const answers = { recaptcha: "g-recaptcha-response", hcaptcha: "h-captcha-response", turnstile: "cf-turnstile-response" };
    const given = Array.from(document.querySelectorAll(`[name="${answers[kind]}"]`)).some((field) => field.value !== "");
    return !given;
  },

  // Lets everything that is already queued in the page run; `times`: and what that queued.
  async tick(times = 1) {
    for (let i = 1; i < times; i++) await tah.tick();
    return new Promise((done) => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => setTimeout(() => done(true), 0);
      channel.port2.postMessage(0);
    });
  },
});
