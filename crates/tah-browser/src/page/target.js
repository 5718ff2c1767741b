// Finding the element that is meant: by selector, by its text, by XPath, by number or by point.
{
  const dom = tah.dom;

  class Unusable extends Error {}

  function byCss(value) {
    const found = [];
    for (const root of dom.roots()) {
      try {
        found.push(...root.querySelectorAll(value));
      } catch {
        throw new Unusable(`${JSON.stringify(value)} is not a CSS selector`);
      }
    }
    return dom.inOrder(found);
  }

  function byXpath(value) {
    const found = [];
    for (const root of dom.roots()) {
      let result;
      try {
        // In a shadow root only relative paths have a meaning.
        const path = root === document ? value : value.replace(/^(\(*)\//, "$1./");
        const context = root === document ? document : root;
        result = document.evaluate(path, context, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
      } catch (error) {
        if (root !== document) continue;
        throw new Unusable(`${JSON.stringify(value)} is not an XPath to elements (${error.message.split(":").pop().trim()})`);
      }
      for (let i = 0; i < result.snapshotLength; i++) {
        const node = result.snapshotItem(i);
        const element = node.nodeType === 1 ? node : node.parentElement ?? node.ownerElement;
        if (element && !found.includes(element)) found.push(element);
      }
    }
    return found;
  }

  // What an element says as a whole; for buttons made of inputs their value.
  function said(element) {
    if (element.localName === "input") {
      return /^(submit|button|reset)$/.test(element.type) ? dom.fold(element.value || (element.type === "submit" ? "Submit" : element.type === "reset" ? "Reset" : "")) : "";
    }
    return dom.fold(element.textContent ?? "");
  }

  function byText(value) {
    const wanted = dom.fold(value);
    if (!wanted) throw new Unusable("the text to look for is empty");
    const lower = wanted.toLowerCase();
    const all = [];
    for (const root of dom.roots()) {
      for (const element of root.querySelectorAll("*")) {
        if (dom.SILENT.has(element.localName) || /^(html|body|iframe|frame)$/.test(element.localName)) continue;
        all.push(element);
      }
    }
    const tests = [
      [said, (text) => text === wanted],
      [named, (text) => text === wanted],
      [said, (text) => text.includes(wanted)],
      [said, (text) => text.toLowerCase() === lower],
      [named, (text) => text.toLowerCase() === lower],
      [said, (text) => text.toLowerCase().includes(lower)],
      [named, (text) => text.toLowerCase().includes(lower)],
    ];
    let hidden = [];
    let hiddenRank = 0;
    for (const [rank, [how, test]] of tests.entries()) {
      const matching = all.filter((element) => test(how(element)));
      if (!matching.length) continue;
      // The smallest: none of its children matches as well.
      const set = new Set(matching);
      const smallest = matching.filter((element) => ![...element.children].some((kid) => set.has(kid)));
      const seen = smallest.filter((element) => dom.visible(element) || element.localName === "option");
      if (seen.length) return { matches: dom.inOrder([...new Set(seen.map(acting))]), rank };
      if (!hidden.length) [hidden, hiddenRank] = [smallest, rank];
    }
    return { matches: dom.inOrder(hidden), rank: hiddenRank };
  }

  function named(element) {
    const own = element.getAttribute("aria-label") ?? element.getAttribute("title") ?? element.getAttribute("alt") ?? element.getAttribute("placeholder");
    return own ? dom.fold(own) : "";
  }

  // A label's text stands for the label; a word inside a button for the button.
  function acting(element) {
    const control = dom.closest(element, (at) => dom.kind(at) !== null);
    return control && dom.fold(control.textContent) === dom.fold(element.textContent) ? control : element;
  }

  function find(target) {
    switch (target.by) {
      case "css":
        return { matches: byCss(target.value), rank: 0 };
      case "text":
        return byText(target.value);
      case "xpath":
        return { matches: byXpath(target.value), rank: 0 };
    }
    return { matches: [], rank: 0 };
  }

  // How alike two short texts are, 0 to 1: shared pairs of letters.
  function likeness(a, b) {
    const pairs = (text) => {
      const made = new Map();
      for (let i = 0; i + 1 < text.length; i++) {
        const pair = text.slice(i, i + 2);
        made.set(pair, (made.get(pair) ?? 0) + 1);
      }
      return made;
    };
    if (a === b) return 1;
    const [pa, pb] = [pairs(a), pairs(b)];
    let shared = 0;
    for (const [pair, count] of pa) shared += Math.min(count, pb.get(pair) ?? 0);
    return (2 * shared) / Math.max(1, a.length + b.length - 2);
  }

  Object.assign(tah, {
    // { count, visible, number, what } of the matches; `index` counts among the visible ones if there are any.
    find(target, start, end) {
      dom.reserve(start, end);
      let matches;
      let rank;
      try {
        ({ matches, rank } = find(target));
      } catch (error) {
        if (error instanceof Unusable) return { invalid: error.message, used: dom.used };
        throw error;
      }
      const seen = matches.filter((element) => dom.visible(element) || (element.labels && [...element.labels].some(dom.visible)));
      const pool = seen.length ? seen : matches;
      const element = pool[target.index ?? 0];
      return {
        count: pool.length,
        visible: seen.length > 0,
        rank,
        number: element ? dom.number(element) : 0,
        what: element ? dom.describe(element) : "",
        used: dom.used,
      };
    },

    // What is at a point of this viewport: an element, or a frame to look into.
    at(x, y, start, end) {
      dom.reserve(start, end);
      const element = tah.hitAt(x, y);
      if (!element) return { number: 0, used: dom.used };
      if (element.localName === "iframe" || element.localName === "frame") return { frame: dom.frameKeys.get(element) ?? null, number: dom.number(element), what: dom.describe(element), used: dom.used };
      const actor = dom.closest(element, (at) => dom.kind(at) !== null) ?? element;
      return { number: dom.number(actor), what: dom.describe(actor), used: dom.used };
    },

    // The nearest things to something that isn't there: [likeness, description].
    nearest(value) {
      const wanted = dom.fold(String(value)).toLowerCase().replace(/[#.[\]="':>*]+/g, " ").trim();
      const scored = [];
      let looked = 0;
      for (const root of dom.roots()) {
        for (const element of root.querySelectorAll("a[href],button,input,select,textarea,summary,[role],[contenteditable],[onclick],label,h1,h2,h3,li,td,[id]")) {
          if (looked++ > 3000) break;
          const kind = dom.kind(element);
          if (!dom.visible(element) || (!kind && !element.id && element.childElementCount > 3)) continue;
          const names = [kind ? dom.label(element, kind) : dom.cut(said(element), 80), element.id, element.getAttribute("name") ?? "", element.className?.baseVal === undefined ? String(element.className) : ""];
          let best = Math.max(...names.filter(Boolean).map((name) => likeness(wanted, name.toLowerCase())), 0);
          if (kind) best += 0.05;
          scored.push([best, element]);
        }
      }
      scored.sort((a, b) => b[0] - a[0]);
      const found = [];
      for (const [score, element] of scored) {
        const what = dom.describe(element);
        if (!found.some(([, known]) => known === what)) found.push([score, what]);
        if (found.length === 3) break;
      }
      return found;
    },

    // Whether an element of a snapshot is still on the page.
    stands(number) {
      return dom.element(number)?.isConnected === true;
    },

    describe(number) {
      return dom.describe(dom.element(number));
    },
  });

  tah.likeness = likeness;
}
